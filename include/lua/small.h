/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory of the state of Lua: many small pieces, which come and go with each script. */
#ifndef LUA_SMALL_H
#define LUA_SMALL_H

#include <stddef.h>

/* As realloc, for a piece of `old` bytes (ptr NULL: a new one), but new is not 0. NULL: there is no
 * memory, and the piece is as it was. */
void *small_resize(void *ptr, size_t old, size_t new);
/* The piece has `size` bytes; NULL is none. */
void small_free(void *ptr, size_t size);
/* The state is closed: what small pieces lay in goes. */
void small_end(void);

#endif
