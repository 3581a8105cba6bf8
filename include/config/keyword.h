/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of the language are rows: which word, where it may stand, what it sets. A module
 * (see config/module.h) brings its rows; config/ knows none by name. */
#ifndef CONFIG_KEYWORD_H
#define CONFIG_KEYWORD_H

#include <stddef.h>
#include <stdint.h>

struct statement;

/* Where a word may stand. A listen section is frontend and backend at once. What a row sets
 * is "the object of its scope": the module's own data (config_data) for global words, the
 * struct proxy for defaults, frontend and backend words, the struct bind_conf and struct
 * server for the words of those lines, the object that the section's begin returned for
 * sections of other kinds. */
enum scope {
	SCOPE_GLOBAL = 1 << 0,
	SCOPE_DEFAULTS = 1 << 1,
	SCOPE_FRONTEND = 1 << 2,
	SCOPE_BACKEND = 1 << 3,
	SCOPE_BIND = 1 << 4,   /* words of a bind line */
	SCOPE_SERVER = 1 << 5, /* words of a server or default-server line */
	SCOPE_RING = 1 << 6,   /* ring section */
	SCOPE_STATS = 1 << 7,  /* words of a "stats socket" line, besides those of bind */
	SCOPE_OTHER = 1 << 8,  /* sections known, but not supported yet */
	SCOPE_ERRORS = 1 << 9, /* http-errors section */
	SCOPE_USERLIST = 1 << 10, /* userlist section */
	SCOPE_CRT_STORE = 1 << 11, /* crt-store section */
	SCOPE_NAMESPACES = 1 << 12, /* namespace_list section */
	SCOPE_PEERS = 1 << 13, /* peers section */
	SCOPE_RESOLVERS = 1 << 14, /* resolvers section */
	SCOPE_UDP = 1 << 15,   /* udp-lb section */
	SCOPE_DGRAM = 1 << 16, /* words of a dgram-bind line */
	SCOPE_ACME = 1 << 17,  /* acme section */
	SCOPE_LOG_PROFILE = 1 << 18, /* log-profile section */

	SCOPE_PROXY = SCOPE_DEFAULTS | SCOPE_FRONTEND | SCOPE_BACKEND,
	SCOPE_FRONT = SCOPE_DEFAULTS | SCOPE_FRONTEND,
	SCOPE_BACK = SCOPE_DEFAULTS | SCOPE_BACKEND,
};

struct keyword;
/* Parses the words behind the keyword: st->at stands on the first of them. Reports its own
 * problems through the statement; returns 0, or -1 after having reported an error. Must
 * consume all words (stmt_end checks). */
typedef int keyword_parse(struct statement *st, const struct keyword *kw, void *object);

enum { KW_NO = 1 << 0,      /* may be preceded by "no" (st->no) */
       KW_DEFAULT = 1 << 1, /* may be preceded by "default" (st->dflt) */
       KW_ONCE = 1 << 2,    /* a row of numbers: a second one in the same object counts, and gets
			     * a warning; in a defaults section, or where the first one changed
			     * nothing, a notice */
       KW_PARENS = 1 << 3,  /* written as "name(...)"; the setter looks at the word before st->at */
       KW_FIRST = 1 << 4,   /* a second one in the same object gets a warning, and is ignored;
			     * the number 0 is as if not given */
};

struct keyword {
	const char *name;     /* "bind", "timeout client", "option tcpka": blanks part words;
			       * the longest matching row is taken */
	unsigned scope;       /* enum scope, or'ed */
	unsigned flags;       /* KW_* */
	const char *args;     /* as the manual shows them: "<time>", "[if <condition>]" */
	keyword_parse *parse; /* a stock setter below, or the module's own */
	size_t offset;        /* stock setters: of the field in the object */
	/* What the row sets lies in a part (base/part.h) of the object of the scope: gives that
	 * part, which is the row's object then. NULL: it does not. */
	void *(*within)(struct statement *st, void *object);
	int64_t min, max;     /* set_int, set_duration, set_size: range; both 0: no limit
			       * but that of the type */
	uint64_t bit;         /* set_bit */
	const char *const *names; /* set_enum: NULL-terminated, the field gets the index */
	const char *dflt;     /* default, as a user would write it; for help and manual */
	const char *help;     /* one line */
};

/* Stock setters. Each takes exactly one argument, unless told otherwise. */
keyword_parse set_int;      /* int */
keyword_parse set_unsigned; /* unsigned */
keyword_parse set_duration; /* unsigned, milliseconds; units us ms s m h d, default ms */
keyword_parse set_seconds;  /* unsigned, milliseconds; same units, default s */
keyword_parse set_size;     /* size_t, bytes; suffixes k m g */
keyword_parse set_flag;     /* bool: no argument; "no" clears */
keyword_parse set_enum;     /* int */
keyword_parse set_string;   /* const char *, in the generation's arena */
keyword_parse set_guid;     /* the same: up to GUID_MOST of letters, digits and ".:-_" */
enum { GUID_MOST = 127 };

/* No argument. The field is a struct options; sets (or with "no" clears) kw->bit and notes
 * that it was given; "default" takes it back to not given. */
struct options {
	uint64_t on;    /* bits that are set */
	uint64_t given; /* bits that were given, with or without "no" */
};
keyword_parse set_bit;

#endif
