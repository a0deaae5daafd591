#pragma once
#ifndef NULL
#define NULL ((void *)0)
#endif
int printf(const char *format, ...);
int puts(const char *text);
int putchar(int character);
