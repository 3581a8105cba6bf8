/* SPDX-License-Identifier: BSD-2-Clause */
/* Characters that look like others, or like nothing: what word processors and web pages put into
 * lines that are copied from there, and what another encoding leaves. Pure. */
#ifndef CONFIG_ODD_H
#define CONFIG_ODD_H

#include <stdbool.h>
#include <stddef.h>

struct odd {
	char name[64];  /* "U+00A0, a no-break space" */
	char plain[32]; /* what to write in its place */
	size_t at, len; /* bytes */
	bool quote;     /* it looks like a quote or a dash, and may be meant in a text */
	bool foreign;   /* it may be meant where the word is right: text in another encoding */
};

/* The first one. False: there is none. */
bool odd_find(const char *text, size_t len, struct odd *odd);

#endif
