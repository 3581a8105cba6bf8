/* SPDX-License-Identifier: BSD-2-Clause */
/* What a log format is compiled into. For logformat_compile.c, logformat_write.c and
 * logformat_encode.c. */
#ifndef EXPR_LOGFORMAT_NODE_H
#define EXPR_LOGFORMAT_NODE_H

#include "base/encode.h"
#include "base/sample.h"
#include "expr/logformat.h"

struct alias;
struct expr;

enum node_kind { NODE_TEXT, NODE_BLANK, NODE_ALIAS, NODE_EXPR };

struct node {
	struct node *next;
	enum node_kind kind;
	unsigned flags;        /* LF_* */
	enum sample_type type; /* that it is turned into where it is encoded; SMP_ANY: its own */
	struct span name;      /* ptr NULL: it has none */
	struct span key;       /* of an object's member: what stands in front of the value */
	union {
		struct span text;
		const struct alias *alias;
		struct expr *expr;
	};
};

struct logformat {
	const char *text; /* as written */
	unsigned place;   /* AT_*: where expressions run */
	bool late;        /* it mentions what may change until the end */
	bool numbers;     /* it mentions what view->log has */
	bool exprs;       /* it holds expressions */
	bool uri;         /* it mentions the target of the request */
	const char *http; /* an alias that is for mode http alone; NULL: there is none */
	struct location loc;
	enum logformat_style style;
	enum encoding encoding; /* an object of the named nodes, and there are no others */
	struct node *nodes;
};

/* Makes the keys of the nodes, which all have names, in memory of the arena. */
struct arena;
void logformat_keys(struct logformat *format, struct arena *arena);
/* Appends the object. */
void logformat_write_object(const struct logformat *format, const struct view *view,
			    struct text *t);
/* Appends the value of a node, encoded as its flags want it. */
void logformat_write_encoded(const struct node *node, const struct logformat *format,
			     const struct view *view, struct text *t);

#endif
