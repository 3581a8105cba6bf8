/* SPDX-License-Identifier: BSD-2-Clause */
/* A sentence for the user, filled in by what failed at start-up or in a command. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

struct err {
	char text[512];
};

/* Writes the sentence (no final line feed, cut at the size of the text); returns -1, so
 * that a caller may `return err_set(err, ...)`. err may be NULL. */
int err_set(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Puts "text: " in front of the sentence that is there; returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
