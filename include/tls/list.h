/* SPDX-License-Identifier: BSD-2-Clause */
/* crt-lists: files whose lines name certificates, options and the names they are for; and
 * directories, which are lists of what is in them. Read once for one path; bind lines that name
 * the same list share it, and a line that is added or deleted at run time is so for all of them. */
#ifndef TLS_LIST_H
#define TLS_LIST_H

#include "base/list.h"
#include "base/result.h"
#include "base/str.h"
#include "tls/bind.h"
#include "tls/store.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct tls_list;

/* One line, cut into words: "FILE [OPTION ...] FILTER ...". */
struct tls_list_words {
	const char *crt;            /* NULL: an empty line or a comment */
	const char *const *options; /* NULL-terminated; NULL: there are no brackets */
	const char *const *filters; /* NULL-terminated; NULL: none */
};

/* A line and what became of it. Lives in its own arena. */
struct tls_list_line {
	struct list node;      /* tls_list.lines */
	struct arena *arena;
	unsigned number;       /* of the line in the file, from 1 */
	struct tls_list_words words;
	const char *crt;       /* words.crt with crt-base in front */
	struct tls_entry *entries[TLS_BUNDLE_MAX];
	unsigned count;
	struct tls_settings *set; /* what its options say of TLS; NULL: nothing */
	bool ocsp_update, ocsp_update_given; /* ocsp-update on|off */
	struct tls_acme_words acme;
	const struct tls_frontend_line *own; /* NULL: it is of a file, or was added */
};

/* A line "ssl-f-use"; in the arena of the configuration. */
struct tls_frontend_line {
	struct location loc;
	struct tls_files
		files; /* crt: as written; the others with what is in front; NULL: not named */
	const char *text;       /* as a line of a crt-list */
};

struct tls_list {
	struct tls_list *next;
	const char *name;      /* as bind lines name it, with crt-base in front, without slashes
			        * behind */
	bool directory;
	struct list lines;     /* struct tls_list_line, in the order of the file */
	struct tls_bind **binds; /* who uses it */
	unsigned bind_count;
};

/* Cuts a line (len bytes) into words that are allocated in the arena. 0, or -1 and err. Pure. */
MUST_USE int tls_list_cut(struct arena *arena, const char *line, size_t len,
			  struct tls_list_words *words, struct err *err);

/* The list of this name (full path), read when it was not yet. NULL and err. */
struct tls_list *tls_list_load(const char *name, struct err *err);
struct tls_list *tls_list_find(const char *name); /* with any number of slashes behind it */
/* All of them; NULL: none. */
struct tls_list *tls_list_first(void);
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
