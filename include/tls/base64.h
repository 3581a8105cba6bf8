/* SPDX-License-Identifier: BSD-2-Clause */
/* Base64 of files and commands. */
#ifndef TLS_BASE64_H
#define TLS_BASE64_H

#include "base/str.h"

/* Decodes; blanks and ends of lines are passed over, all else must be right. Returns the length;
 * -1: it is not base64, or longer than size. */
long base64_decode(struct span text, void *bytes, size_t size);
/* Appends. */
void base64_encode(struct text *out, const void *bytes, size_t len);

#endif
