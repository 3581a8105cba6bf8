/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading a file of patterns. For pattern_ref.c. */
#ifndef EXPR_PATTERN_FILE_H
#define EXPR_PATTERN_FILE_H

#include <stdbool.h>

struct err;

/* What is done with its lines. */
struct pattern_file {
	bool values; /* the first word of a line is the text, its rest a value; else it is NULL */
	int (*add)(const struct pattern_file *file, const char *text, const char *value,
		   unsigned line, struct err *err);
	void *arg, *other; /* of add */
};

/* 0, or -1 and err, which names file and line. */
int pattern_file_read(const struct pattern_file *file, const char *path, struct err *err);

#endif
