#pragma once
typedef enum {
    memory_order_relaxed,
    memory_order_consume,
    memory_order_acquire,
    memory_order_release,
    memory_order_acq_rel,
    memory_order_seq_cst
} memory_order;
#define ATOMIC_VAR_INIT(value) (value)
typedef _Atomic _Bool atomic_flag;
typedef _Atomic _Bool atomic_bool;
typedef _Atomic char atomic_char;
typedef _Atomic short atomic_short;
typedef _Atomic int atomic_int;
typedef _Atomic long atomic_long;
typedef _Atomic unsigned int atomic_uint;
typedef _Atomic unsigned long atomic_ulong;
