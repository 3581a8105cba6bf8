/* SPDX-License-Identifier: BSD-2-Clause */
/* crt-lists (tls/lists.h): reading them, the bind lines that use them, changes at run time. */
#ifndef TLS_LIST_H
#define TLS_LIST_H

#include "base/result.h"
#include "base/str.h"
#include "tls/lists.h"

#include <stddef.h>

struct arena;
struct err;
struct tls_bind;
struct tls_list;

/* Cuts a line (len bytes) into words that are allocated in the arena. 0, or -1 and err. Pure. */
MUST_USE int tls_list_cut(struct arena *arena, const char *line, size_t len,
			  struct tls_list_words *words, struct err *err);

/* The list of this name (full path), read when it was not yet. NULL and err. */
struct tls_list *tls_list_load(const char *name, struct err *err);
/* The list "@<frontend>", which is no file: its last line from now on. 0, or -1 and err. */
MUST_USE int tls_list_take(const char *name, const struct tls_frontend_line *own, struct err *err);
/* The bind line's certificates from now on. 0, or -1 and err. */
MUST_USE int tls_list_use(struct tls_list *list, struct tls_bind *bind, struct err *err);
/* The line as it would be written in a file. */
void tls_list_say(const struct tls_list_line *line, struct text *text);
/* At run time, for all bind lines of the list; line: as in a file. The certificate must be in
 * the store already; that of a directory is a file in the directory. All or nothing. 0, or -1 and
 * err. */
MUST_USE int tls_list_add(struct tls_list *list, struct span line, struct err *err);
/* Takes the lines of this certificate out (number 0: all of them; else the one of that line),
 * except a bind line's default certificate. 0, or -1 and err. */
MUST_USE int tls_list_delete(struct tls_list *list, const char *crt, unsigned number,
			     struct err *err);
/* Frees all lists: no bind line has any line of them any more. */
void tls_lists_free(void);

#endif
