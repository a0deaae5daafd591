#pragma once
#ifndef NULL
#define NULL ((void *)0)
#endif
typedef long ptrdiff_t;
