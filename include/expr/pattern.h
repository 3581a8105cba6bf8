/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns that samples are compared with: lists of values of one match method, from words of
 * the configuration and from files, indexed where that helps. Manual 7.1 and 7.1.1 to 7.1.6.
 * ACLs and maps are made of them. */
#ifndef EXPR_PATTERN_H
#define EXPR_PATTERN_H

#include "base/sample.h"
#include "event/loop.h"

#include <stdbool.h>

struct arena;
struct err;
struct pattern_set;

enum match { MATCH_NONE, MATCH_FOUND, MATCH_BOOL, MATCH_INT, MATCH_IP, MATCH_BIN, MATCH_LEN,
	     MATCH_STR, MATCH_BEG, MATCH_SUB, MATCH_DIR, MATCH_DOM, MATCH_END, MATCH_REG,
	     MATCH_VERSION, /* integers written as "major.minor" */
	     MATCH_METH,    /* methods of HTTP: -i helps only those without a name in RFC 9110 */
	     MATCH_GROUP,   /* users of a userlist by groups: acl.c asks the list */
	     MATCHES };

/* The name behind -m, and back; MATCH_NONE: there is no such method. */
enum match match_find(const char *name);
const char *match_name(enum match match);
/* What is used without -m; MATCH_NONE: -m must be given. */
enum match match_default(enum sample_type type);
/* Can samples of this declared type be compared so? */
bool match_fits(enum match match, enum sample_type type);
/* Does the method compare with patterns at all? found and bool do not. */
bool match_has_patterns(enum match match);

enum { PATTERN_ICASE = 1 << 0,   /* -i */
       PATTERN_NO_NAMES = 1 << 1, /* -n: host names are not looked up */
       PATTERN_TRUST_NAMES = 1 << 2, /* only check: a host name without address is no mistake */
       PATTERN_MAP = 1 << 3,     /* files: the first word of a line, its rest is a value */
};
/* How numbers compare; a range is compared as what it is behind any of them. */
enum pattern_op { OP_EQUAL, OP_GREATER_EQUAL, OP_GREATER, OP_LESS_EQUAL, OP_LESS };

struct pattern {
	const char *text;     /* as it was written */
	const char *value;    /* maps: what stands behind it; else NULL */
	unsigned order;       /* they match in this order */
	bool ignore_case;
	struct pattern *next, *prev; /* of the set, in order */
	const void *source;   /* what it was loaded from: pattern_set_source; NULL: the line itself */
	struct span key;      /* in an index; ptr NULL: not in one */
	struct arena *own;    /* added while running: its memory; NULL: the set's */
	struct reap reap;
	void *data;           /* maps: the value, converted */
	union {
		struct { int64_t min, max; };
		struct { struct in6_addr addr, mask; }; /* IPv4 in the first four bytes */
		struct span str;
		struct regex *regex;
	};
	uint8_t family, bits; /* MATCH_IP; bits 255: a mask that is no prefix */
	bool unresolved;      /* a host name that has no address, where names are trusted */
};

struct pattern_set *pattern_set_new(enum match match, struct arena *arena);
/* Maps: what checks and converts each value when its pattern is added (into p->data). */
void pattern_set_convert(struct pattern_set *set,
			 int (*convert)(struct pattern *p, struct arena *arena, struct err *err));
/* Adds one pattern; value (NULL: none) is copied. 0, or -1 and err. */
int pattern_add(struct pattern_set *set, const char *text, const char *value,
		enum pattern_op op, unsigned flags, struct err *err);
/* Adds the lines of a file; err names file and line. */
int pattern_load(struct pattern_set *set, const char *path, unsigned flags, struct err *err);
/* Patterns added from now on come from this file (expr/pattern_ref.h); NULL: from the configuration
 * itself. */
void pattern_set_source(struct pattern_set *set, const void *source);

/* Changes while the program runs, between two lookups. What goes is freed at the end of the turn. */
/* As pattern_add, into memory of its own. */
int pattern_add_running(struct pattern_set *set, const char *text, const char *value,
			unsigned flags, const void *source, struct err *err);
/* The first with this text, of this source; NULL: none. */
struct pattern *pattern_find(const struct pattern_set *set, const char *text, const void *source);
/* The same pattern with another value takes its place. 0, or -1 and err: it stays as it was. */
int pattern_change_value(struct pattern_set *set, struct pattern *p, const char *value,
			 unsigned flags, struct err *err);
/* The set goes: gives back what lies outside its arena. */
void pattern_set_release(struct pattern_set *set);
/* Could it be added? */
int pattern_try(const struct pattern_set *set, const char *text, const char *value,
		unsigned flags, struct err *err);
void pattern_remove(struct pattern_set *set, struct pattern *p);

/* Compares; smp is cast in place. NULL: no pattern matches. Of several, addresses, whole
 * strings and prefixes give the longest, the others the first. */
const struct pattern *pattern_match(const struct pattern_set *set, struct sample *smp);

const struct pattern *pattern_first(const struct pattern_set *set);
unsigned pattern_count(const struct pattern_set *set);

#endif
