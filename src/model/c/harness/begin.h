/* What the program below calls. An access to a variable that other threads see waits until it is its turn; the steps at the
   end of the file say in which order. Between a turn and the next one of its own, a thread computes on its own. */
extern int dprintf(int, const char *, ...);
extern int sched_yield(void);
extern int usleep(unsigned);
extern unsigned alarm(unsigned);
extern void exit(int);
struct fp_begin { void *(*function)(void *); void *argument; int thread; };
static void fp_turn(char kind, const volatile void *place);
static void fp_value(long value);
static void fp_done(void);
static void fp_enter(void);
static void fp_leave(void);
static void fp_stop(void);
static void fp_error(const char *what, int line);
static long fp_input(void);
static long fp_open(int declaration);
static long fp_index(long index, long count, int line);
static struct fp_begin *fp_child(void *(*function)(void *), void *argument);
static void *fp_thread(void *begin);
static int fp_is_main(void);
static void fp_take(const volatile void *mutex);
static void fp_give(const volatile void *mutex, int line);
static void fp_end(int line);
static void fp_object(int object, const volatile void *place, unsigned long size);
#define FP_IS_POINTER(v) (__builtin_classify_type(v) == 5)
#define FP_IS_ATOMIC(place) _Generic(&(place), _Atomic(__typeof__((void)0, (place))) *: 1, default: 0)
#define FP_LONG(v) ((long)__builtin_choose_expr(__builtin_classify_type(v) < 5, (v), 0))
/* the value of a variable */
#define FP_READ(...) ({ __auto_type fp_place = &(__VA_ARGS__); \
    if (!FP_IS_POINTER(*fp_place)) fp_turn('r', fp_place); \
    __auto_type fp_read = *fp_place; fp_value(FP_LONG(fp_read)); fp_done(); fp_read; })
/* variable = value */
#define FP_WRITE(variable, ...) ({ __auto_type fp_place = &(variable); __auto_type fp_new = (__VA_ARGS__); \
    fp_turn('w', fp_place); *fp_place = fp_new; fp_value(FP_LONG(fp_new)); fp_done(); fp_new; })
/* variable = variable operator value: a read and a write, or one step if the variable is atomic */
#define FP_CHANGE(result, variable, operator, ...) ({ __auto_type fp_place = &(variable); __auto_type fp_by = (__VA_ARGS__); \
    if (FP_IS_ATOMIC(variable)) fp_turn('u', fp_place); else fp_turn('r', fp_place); \
    __auto_type fp_old = *fp_place; fp_value(FP_LONG(fp_old)); \
    if (!FP_IS_ATOMIC(variable)) fp_done(); \
    __typeof__((void)0, *fp_place) fp_new = fp_old operator fp_by; \
    if (!FP_IS_ATOMIC(variable)) fp_turn('w', fp_place); \
    *fp_place = fp_new; fp_value(FP_LONG(fp_new)); fp_done(); \
    (void)fp_old; (void)fp_new; result; })
/* left operator right, the left one first */
#define FP_ORDER(left, operator, ...) ({ __auto_type fp_left = (left); __auto_type fp_right = (__VA_ARGS__); fp_left operator fp_right; })
/* a function that is one step: it changes what the address means */
#define FP_ONE(kind, function, address) ({ __auto_type fp_place = (address); fp_turn(kind, fp_place); \
    __auto_type fp_result = function(fp_place); fp_done(); fp_result; })
#define FP_MORE(kind, function, address, ...) ({ __auto_type fp_place = (address); fp_turn(kind, fp_place); \
    __auto_type fp_result = function(fp_place, __VA_ARGS__); fp_done(); fp_result; })
#define FP_VOID(kind, function, address) ({ __auto_type fp_place = (address); fp_turn(kind, fp_place); function(fp_place); fp_done(); })
#define FP_WEAK(address, expected, wanted) ({ __auto_type fp_place = (address); __auto_type fp_expected = (expected); \
    __auto_type fp_wanted = (wanted); fp_turn('u', fp_place); _Bool fp_result = *fp_place == *fp_expected && fp_input(); \
    if (fp_result) *fp_place = fp_wanted; else *fp_expected = *fp_place; fp_done(); fp_result; })
#define FP_ATOMIC(...) ({ fp_enter(); __auto_type fp_result = __VA_ARGS__; fp_leave(); fp_result; })
#define FP_ATOMIC_VOID(...) ({ fp_enter(); __VA_ARGS__; fp_leave(); })
/* waiting for a condition may end at any time */
#define FP_WAIT(condition, mutex) ({ __auto_type fp_mutex = (mutex); (void)(condition); \
    FP_ONE('w', pthread_mutex_unlock, fp_mutex); FP_ONE('w', pthread_mutex_lock, fp_mutex); })
/* the same for mutexes, where it is an error to leave one that is not held, or to end with one */
#define FP_LOCK(mutex) ({ __auto_type fp_mutex = (mutex); FP_ONE('w', pthread_mutex_lock, fp_mutex); fp_take(fp_mutex); 0; })
#define FP_TRYLOCK(mutex) ({ __auto_type fp_mutex = (mutex); int fp_busy = FP_ONE('w', pthread_mutex_trylock, fp_mutex); \
    if (!fp_busy) fp_take(fp_mutex); fp_busy; })
#define FP_UNLOCK(mutex) ({ __auto_type fp_mutex = (mutex); fp_give(fp_mutex, __LINE__); FP_ONE('w', pthread_mutex_unlock, fp_mutex); })
#define FP_WAIT_HELD(condition, mutex) ({ __auto_type fp_waits = (mutex); (void)(condition); FP_UNLOCK(fp_waits); FP_LOCK(fp_waits); })
/* coming to a barrier is a step, and leaving it is one */
#define FP_BARRIER(barrier) ({ __auto_type fp_place = (barrier); fp_enter(); fp_leave(); pthread_barrier_wait(fp_place); \
    fp_enter(); fp_leave(); })
#define FP_CREATE(thread, attributes, function, argument) ({ __auto_type fp_name = (thread); struct fp_begin *fp_new_thread = fp_child(function, (void *)(argument)); \
    int fp_result = pthread_create(fp_name, attributes, fp_thread, fp_new_thread); fp_done(); fp_result; })
#define FP_EXIT(result) ({ fp_end(__LINE__); if (fp_is_main()) fp_stop(); pthread_exit(result); })
#define FP_ASSERT(text, ...) ((__VA_ARGS__) ? (void)0 : fp_error(text, __LINE__))
#define FP_ASSUME(...) ((__VA_ARGS__) ? (void)0 : fp_stop())
#define FP_COUNT(array) (__builtin_types_compatible_p(__typeof__(array), __typeof__(&(array)[0])) ? -1 : (long)(sizeof(array) / sizeof((array)[0])))
#define FP_INDEX(array, ...) fp_index((__VA_ARGS__), FP_COUNT(array), __LINE__)
#define FP_OBJECT(object, variable) fp_object(object, &(variable), sizeof(variable))
