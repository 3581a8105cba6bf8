/* SPDX-License-Identifier: BSD-2-Clause */
/* Patterns that samples are compared with: lists of values of one match method, from words of
 * the configuration and from files, indexed where that helps. Manual 7.1 and 7.1.1 to 7.1.6.
 * ACLs and maps are made of them. */
#ifndef EXPR_PATTERN_H
#define EXPR_PATTERN_H

#include "base/sample.h"
#include "expr/pattern_index.h"

#include <stdbool.h>

struct arena;
struct err;
struct pattern_set;

enum match { MATCH_NONE, MATCH_FOUND, MATCH_BOOL, MATCH_INT, MATCH_IP, MATCH_BIN, MATCH_LEN,
	     MATCH_STR, MATCH_BEG, MATCH_SUB, MATCH_DIR, MATCH_DOM, MATCH_END, MATCH_REG,
	     MATCH_VERSION, /* integers written as "major.minor" */
	     MATCH_METH,    /* methods of HTTP: -i helps only those without a name in RFC 9110 */
	     MATCH_GROUP,   /* users of a userlist by groups: acls.c asks the list */
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
       PATTERN_GROUPS = 1 << 5,  /* map_regm: values name groups of the expression */
       PATTERN_RUNNING = 1 << 4, /* asked for by the stats socket: mistakes are told in its words */
};
/* How numbers compare; a range is compared as what it is behind any of them. */
enum pattern_op { OP_EQUAL, OP_GREATER_EQUAL, OP_GREATER, OP_LESS_EQUAL, OP_LESS };

struct pattern {
	struct index_node node; /* in an index; its key NULL: in none */
	const char *text;     /* as it was written */
	const char *value;    /* maps: what stands behind it; else NULL */
	void *data;           /* maps: the value, converted */
	struct pattern *next, *prev; /* of the table, in order */
	struct pattern *sibling;     /* pattern_ref.c: what the same entry is in the next set */
	uint64_t order;       /* they match in this order */
	union {
		struct { int64_t min, max; };
		struct { struct in6_addr addr, mask; }; /* IPv4 in the first four bytes */
		struct { struct span str; uint64_t pairs; }; /* MATCH_SUB: what str consists of */
		struct regex *regex;
	};
	bool ignore_case;
	uint8_t family, bits; /* MATCH_IP; bits 255: a mask that is no prefix */
	uint8_t op;           /* enum pattern_op, of what was a number behind it */
	bool unresolved;      /* a host name that has no address, where names are trusted */
};

/* What is looked up at a time: a set has one of them; those of versions that are being made ready
 * are put in its place. Wiped: empty. */
struct pattern_table {
	struct pattern *first, *last;
	size_t count;
	size_t unindexed;            /* of these the list must be walked */
	uint64_t next_order;
	uint64_t stamp;              /* another one after each change (pattern_cache.h); 0: empty */
	struct pattern_index exact;  /* as written; networks: IPv4 */
	struct pattern_index folded; /* in lower case; networks: IPv6 */
};

/* Maps: checks and converts a value. 0, or -1 and err. */
typedef int pattern_convert(const char *text, const char *value, void **data, struct arena *arena,
			    struct err *err);

struct pattern_set {
	struct pattern_table table;
	enum match match;
	pattern_convert *convert;    /* NULL: values are texts */
	struct arena *arena;         /* of patterns that are added by pattern_add */
	struct pattern_set *next;    /* ACLs: what else is compared with */
};

/* All of its memory comes from the arena, until it is used by a file (pattern_ref.h). */
struct pattern_set *pattern_set_new(enum match match, struct arena *arena);
/* Adds one pattern for good; value (NULL: none) is copied. 0, or -1 and err. */
int pattern_add(struct pattern_set *set, const char *text, const char *value,
		enum pattern_op op, unsigned flags, struct err *err);

/* A pattern in the arena's memory, in no table yet; it points to the text, which must stay. NULL
 * and err. */
struct pattern *pattern_make(const struct pattern_set *set, struct arena *arena, const char *text,
			     enum pattern_op op, unsigned flags, struct err *err);
/* Gives back what it holds outside the arena. It is in no table any more. */
void pattern_forget(const struct pattern_set *set, struct pattern *p);
/* Of one of the set's tables: at its end. False: out of memory. */
bool pattern_enter(const struct pattern_set *set, struct pattern_table *table, struct pattern *p);
void pattern_leave(const struct pattern_set *set, struct pattern_table *table, struct pattern *p);

/* Compares; smp is cast in place. NULL: no pattern matches. Of several, addresses, whole
 * strings and prefixes give the longest, the others the first. */
const struct pattern *pattern_match(const struct pattern_set *set, struct sample *smp);

const struct pattern *pattern_first(const struct pattern_set *set);
/* Does it stand in an index, or in a list that is walked? */
bool pattern_in_tree(const struct pattern_set *set, const struct pattern *p);

#endif
