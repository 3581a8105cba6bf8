/* SPDX-License-Identifier: BSD-2-Clause */
/* What this process is doing at this moment, in words: for a handler of fatal signals. */
#ifndef PROCESS_SCENE_H
#define PROCESS_SCENE_H

#include <stddef.h>

enum { SCENE_PLACES = 1 };

/* Hands lines to say: the turn of the loop, what was called in it, the stream at hand. Then the
 * addresses of functions that the lines speak of are in places; how many. Allocates nothing, locks
 * nothing, changes nothing; memory that is broken may make it fault. */
int scene_say(void (*say)(const char *text, size_t len), void *places[SCENE_PLACES]);

#endif
