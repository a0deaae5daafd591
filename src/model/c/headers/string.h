#pragma once
#ifndef NULL
#define NULL ((void *)0)
#endif
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);
size_t strlen(const char *text);
int strcmp(const char *one, const char *other);
char *strcpy(char *to, const char *from);
char *strerror(int number);
