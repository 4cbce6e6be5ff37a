/* SPDX-License-Identifier: MIT */
/*
 * Calls that have no place here are compile errors: unbounded string writes, shells, names instead
 * of descriptors, calls that keep hidden state. Included by base.h.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

/* The headers that declare them come first, or their declarations would not compile. */
#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__GNUC__)
/* Macros in a fortified build where the compiler is clang. */
#undef sprintf
#undef vsprintf
#pragma GCC poison strcpy strncpy strcat strncat sprintf vsprintf gets
#pragma GCC poison system popen mktemp tmpnam tempnam
#undef alloca
#pragma GCC poison alloca strtok atoi atol atof asctime ctime
/* Libraries read and print numbers by it: the "C" locale is the only one here. */
#pragma GCC poison setlocale newlocale uselocale
#endif

#endif
