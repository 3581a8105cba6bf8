/* SPDX-License-Identifier: BSD-2-Clause */
/* crt-lists: files whose lines name certificates, options and the names they are for; and
 * directories, which are lists of what is in them. Read once for one path; bind lines that name
 * the same list share it, and a line that is added or deleted at run time is so for all of them.
 * Filled by tls/list.h. */
#ifndef TLS_LISTS_H
#define TLS_LISTS_H

#include "base/list.h"
#include "config/config.h"
#include "tls/settings.h"
#include "tls/store.h"
#include "tls/store_files.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct tls_bind;

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

/* All of them, by tls_list.next; NULL: none. */
extern struct tls_list *tls_lists;
struct tls_list *tls_list_find(const char *name); /* with any number of slashes behind it */
/* Of a name, in bytes: slashes behind a directory's are no part of it. */
size_t tls_list_name_length(const char *name);

#endif
