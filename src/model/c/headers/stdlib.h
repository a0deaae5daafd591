#pragma once
#ifndef NULL
#define NULL ((void *)0)
#endif
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
void abort(void);
void exit(int code);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void free(void *memory);
int rand(void);
