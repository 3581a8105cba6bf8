/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences for the user. */
#include "base/err.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* It was cut at its size. */
static void err_end(struct err *err)
{
	err->text[str_whole(err->text, sizeof(err->text) - 1)] = 0;
}

int err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (!err)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	if (n >= (int)sizeof(err->text))
		err_end(err);
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
	if (n < 0)
		return -1;
	if ((size_t)n + 3 > sizeof(err->text)) {
		err_end(err);
		return -1;
	}
	memcpy(err->text + n, ": ", 2);
	if (!memccpy(err->text + n + 2, old, 0, sizeof(err->text) - (size_t)n - 2))
		err_end(err);
	return -1;
}
