/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences for the user. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[sizeof(err->text)]; /* the tail may be cut: it is a message */
	va_list ap;
	int n;

	if (!err)
		return -1;
	memcpy(old, err->text, sizeof(old));
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n + 3 > sizeof(err->text))
		return -1;
	memcpy(err->text + n, ": ", 2);
	memccpy(err->text + n + 2, old, 0, sizeof(err->text) - (size_t)n - 2);
	err->text[sizeof(err->text) - 1] = 0;
	return -1;
}
