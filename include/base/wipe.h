/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory in which keys may have been, as commands and changes carry them: overwritten when it is
 * not needed any more, so that they are in no core dump. */
#ifndef BASE_WIPE_H
#define BASE_WIPE_H

#include <stddef.h>

/* As free. */
void wipe_free(void *memory);
/* As realloc; used: bytes that are to be kept. NULL: no memory, and all is as before. */
void *wipe_resize(void *memory, size_t used, size_t size);
/* The first bytes go, the rest of len moves to the front; what is behind it is overwritten. Returns
 * how much is left. */
size_t wipe_move(char *memory, size_t gone, size_t len);

#endif
