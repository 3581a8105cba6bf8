/* SPDX-License-Identifier: BSD-2-Clause */
/* Complete responses kept in files (manual 4.2: errorfile). Pure: bytes in, spans of them out. */
#ifndef HTTP_ERRORFILE_H
#define HTTP_ERRORFILE_H

#include "base/str.h"

#include <stdint.h>

struct err;

enum { ERRORFILE_FIELDS = 64 };

struct errorfile {
	unsigned status;
	struct span reason;
	struct {
		struct span name, value;
	} fields[ERRORFILE_FIELDS];  /* without those that frame the message or name its hops */
	unsigned field_count;
	struct span body;
	bool close;                  /* "Connection: close" was there */
};

/* Reads a response whose lines end with LF or CRLF; spans point into bytes. A Content-Length, if
 * any, must be that of the body. 0, or -1 and err: what is wrong in which line. */
int errorfile_parse(const char *bytes, size_t len, struct errorfile *file, struct err *err);

#endif
