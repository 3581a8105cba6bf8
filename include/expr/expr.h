/* SPDX-License-Identifier: BSD-2-Clause */
/* Sample expressions: "fetch(args),converter(args),...", parsed once and evaluated against
 * the view of a stream. Manual chapters 7.1 and 7.3. What can be fetched and converted are
 * rows of tables (src/expr/names.c lists them); expr_chain.c knows none by name. */
#ifndef EXPR_EXPR_H
#define EXPR_EXPR_H

#include "base/sample.h"
#include "config/config.h"

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct converter;
struct err;
struct fetch;
struct proxy;
struct server;
struct tables_walk;
struct userlist;
struct var_name;
struct view;

/* Where an expression runs, one bit a place; a fetch lists the places where what it looks at
 * exists. */
enum {
	AT_CONFIG = 1 << 0,   /* while the files are read: global set-var */
	AT_CONN = 1 << 1,     /* tcp-request connection: addresses only */
	AT_SESSION = 1 << 2,  /* tcp-request session */
	AT_REQUEST = 1 << 3,  /* tcp-request content of a frontend, use_backend */
	AT_SERVER = 1 << 4,   /* a backend is known: its tcp-request content, use-server */
	AT_RESPONSE = 1 << 5, /* tcp-response content: response bytes */
	AT_LOG = 1 << 6,      /* log formats, at the end of a stream (or early, logasap) */
	AT_CHECK = 1 << 7,    /* health checks */

	/* Or'ed with a place when nobody waits for more bytes: the inspection is over. */
	AT_FINAL = 1 << 8,

	AT_REQUESTS = AT_REQUEST | AT_SERVER,
	AT_STREAM = AT_REQUESTS | AT_RESPONSE | AT_LOG,
	AT_CLIENT = AT_CONN | AT_SESSION | AT_STREAM,
	AT_ANY = AT_CONFIG | AT_CLIENT | AT_CHECK,
};

enum expr_result {
	EXPR_FOUND, /* the sample is valid; with SMP_MAY_CHANGE it may differ later */
	EXPR_NONE,  /* there is no such thing */
	EXPR_WAIT,  /* not known yet: evaluate again when more bytes have come */
};

/* Types of arguments between the parentheses. Backends, servers and the like are looked up
 * when all files have been read; left out, they mean the proxy that the expression stands
 * in, where the row says so. */
enum arg_type { ARG_NONE, ARG_INT, ARG_STR, ARG_IPV4, ARG_IPV6, ARG_MASK4, ARG_MASK6, ARG_FRONTEND,
		ARG_BACKEND, ARG_SERVER, ARG_VAR, ARG_USERLIST, ARG_TABLE,
		ARG_PTR, /* of a row's check */
		ARG_TYPES };

enum { ARG_MAX = 12 }; /* most arguments of a fetch or converter */

/* The arguments of a row. The first `need` of them must be given. A string that is the only needed
 * argument may be left out and is empty then, as in the reference. */
struct arg_spec {
	uint8_t need;
	uint8_t types[ARG_MAX]; /* enum arg_type, ends with ARG_NONE */
};
#define ARGS(n, ...) { .need = (n), .types = { __VA_ARGS__ } }

struct expr_arg {
	uint8_t type; /* ARG_NONE: not given */
	union {
		int64_t num; /* int, time (ms), size */
		struct span str;
		struct in_addr v4;
		struct in6_addr v6;
		struct proxy *proxy;
		struct server *server;
		const struct var_name *var;
		const struct userlist *userlist;
		struct stick_line *table; /* proxy/stick_conf.h */
		void *ptr;
	};
};

/* What a fetch is called with. */
struct fetch_call {
	const struct view *view;
	const struct expr_arg *args; /* ARG_MAX of them */
	unsigned place;              /* the one AT_* bit that is running */
	bool final;                  /* the bytes are complete, or all that will be waited for */
	const struct fetch *row;
	bool later;                  /* set with EXPR_WAIT: though the bytes are complete, ask
				      * again */
	bool all;                    /* one value after the other is asked for: an ACL */
	unsigned nth;                /* value number for rows with several, from 0 */
	uint64_t walk[2];            /* theirs, between two values; zero at first */
};

/* Fills in the sample, type included (another one than the row's, where that says SMP_ANY or
 * SMP_ADDR); sets SMP_NOT_LAST when a further value follows. */
typedef enum expr_result fetch_run(struct fetch_call *call, struct sample *smp);
/* Converts in place; smp has been cast to the row's `in` type. False: no value. Both are asked for
 * again when more bytes come, as long as SMP_MAY_CHANGE stays set: a converter that knows from the
 * bytes themselves that its answer stays (the message is complete, or beyond hope) clears it. */
typedef bool converter_run(const struct expr_arg *args, struct sample *smp,
			   const struct view *view, const struct converter *row);
/* Checks or completes arguments after they were parsed (none yet looked up). 0, or -1, err. */
struct expr_context;
typedef int args_check(struct expr_arg *args, const struct expr_context *ctx, struct err *err);

struct fetch {
	const char *name; /* the last row of a table has none */
	struct arg_spec args;
	uint8_t type;   /* enum sample_type */
	uint16_t where; /* AT_* */
	fetch_run *run;
	args_check *check;
	int data;       /* tells names apart that share a function */
	const char *help;
	bool looks;     /* whatever where says, it may look at the bytes of request or response */
};

/* `where` of the usual sources. */
enum {
	FROM_PROCESS = AT_ANY,
	FROM_STATE = AT_CLIENT | AT_CHECK,        /* of proxies and servers: once they exist */
	FROM_CONNECTION = AT_CLIENT,               /* client side of the session */
	FROM_FRONTEND = AT_CLIENT,
	FROM_REQUEST = AT_REQUESTS,                /* bytes of the request */
	FROM_BACKEND = AT_SERVER | AT_RESPONSE | AT_LOG | AT_CHECK,
	FROM_SERVER = AT_RESPONSE | AT_LOG | AT_CHECK, /* the server, our connection to it */
	FROM_RESPONSE = AT_RESPONSE | AT_CHECK,    /* bytes of the response */
};

struct converter {
	const char *name; /* the last row of a table has none */
	struct arg_spec args;
	uint8_t in, out; /* enum sample_type; out SMP_SAME: as it came in */
	converter_run *run;
	args_check *check;
	int data;
	const char *help;
};

/* What surrounds an expression while it is parsed. */
struct expr_context {
	struct config *cfg;   /* NULL: at run time; what is named is then looked up at once */
	struct arena *arena;  /* where the result lives; with cfg may be NULL: its arena */
	struct location loc;
	struct proxy *proxy;  /* that it stands in; NULL: none */
	enum sample_type value; /* what a converter whose arguments are parsed gets; else SMP_ANY */
	const char *what;       /* whose arguments a check is given: "fetch 'src'" */
	int data;               /* of its row */
	bool no_files;          /* what would be read from a file is refused: a script asks */
	struct config *running; /* at run time: where names of proxies, servers, tables and userlists
				 * are looked up; NULL: there are none */
	const bool *used;       /* is it evaluated at all, when all has been read? NULL: it is */
};

/* Sets cfg and what goes with it: cfg is read at the start, or while the program serves. */
static inline void expr_context_of(struct expr_context *ctx, struct config *cfg)
{
	ctx->cfg = cfg->serving ? NULL : cfg;
	ctx->running = cfg->serving ? cfg : NULL;
	ctx->no_files = cfg->serving;
	ctx->arena = cfg->arena;
}

struct expr;

/* Parses at *text as far as the expression reaches and moves *text behind it (the final NUL,
 * or e.g. the "]" of a log format). NULL, and err with a sentence that names the word which
 * is wrong. */
struct expr *expr_parse(const char **text, const struct expr_context *ctx, struct err *err);
/* The whole text must be one expression. */
struct expr *expr_parse_all(const char *text, const struct expr_context *ctx, struct err *err);
/* From the next words of a statement: an expression, and further words as long as they are
 * converters. Reports problems itself; NULL then. */
struct expr *expr_parse_words(struct statement *st, struct proxy *proxy);

/* The declared type of the result, and where the expression can find something (AT_*). */
enum sample_type expr_type(const struct expr *e);
unsigned expr_where(const struct expr *e);
/* May it stand where rules run in these places? What asks for a client may stand in a health check,
 * too, as in the reference: it finds nothing there, which a warning at loc says (no cfg: none). */
bool expr_allowed(const struct expr *e, unsigned where, struct config *cfg, const struct location *loc);
/* Does it look at the bytes of request or response? */
bool expr_looks(const struct expr *e);
/* The name of its fetch, and the text as written. */
const char *expr_fetch_name(const struct expr *e);
const char *expr_text(const struct expr *e);
bool expr_has_converters(const struct expr *e);
/* Argument n of its fetch, from 0. */
const struct expr_arg *expr_argument(const struct expr *e, unsigned n);
/* What its fetch looks at, for messages about a wrong place: "response". */
const char *expr_source(const struct expr *e);

/* The first value, in its own type. place: one AT_* bit, and AT_FINAL if it is so. A string in the
 * result is valid until the next evaluation: it may lie in the stream's bytes or in scratch
 * memory. */
enum expr_result expr_eval(const struct expr *e, const struct view *view, unsigned place,
			   struct sample *smp);
/* The same, cast to type (of which SMP_ANY leaves it alone). */
enum expr_result expr_eval_as(const struct expr *e, const struct view *view, unsigned place,
			      enum sample_type type, struct sample *smp);
/* What it says without any stream, of this server: a text in the arena. NULL: it looks at a stream,
 * or finds nothing; or e is NULL. */
struct server;
const char *expr_fixed_text(const struct expr *e, struct server *server, struct arena *arena);
/* One value after the other: walk starts zeroed, but for `all`, which is true; call until
 * EXPR_FOUND comes without SMP_NOT_LAST. */
struct expr_walk {
	bool all;
	unsigned nth;
	uint64_t walk[2];
};
enum expr_result expr_eval_next(const struct expr *e, const struct view *view, unsigned place,
				struct expr_walk *walk, struct sample *smp);

/* Casts in place (manual 7.1): false when the value has no counterpart in that type. */
bool sample_cast(struct sample *smp, enum sample_type type);
/* Whether a cast between declared types may work at all. */
bool sample_castable(enum sample_type from, enum sample_type to);
const char *sample_type_name(enum sample_type type);

/* The place of the expression whose converter runs, with AT_FINAL where its fetch had call.final.
 */
extern unsigned expr_place;

/* Scratch memory for the result of a fetch or converter: expr_scratch_size bytes that stay
 * untouched during the next two calls. */
extern size_t expr_scratch_size; /* tune.bufsize, set at start */
char *expr_scratch(void);
/* At start: takes that memory, so that none is needed while rules run. False: there is none. */
bool expr_scratch_resize(size_t size);

/* Rows of all tables in the order of help (base/tables.h); NULL behind the last. */
const struct fetch *expr_fetch_next(struct tables_walk *walk);
const struct converter *expr_converter_next(struct tables_walk *walk);
const struct fetch *expr_fetch_find(struct span name);
const struct converter *expr_converter_find(struct span name);
/* Adds a table, which ends with a row without a name and stays for the life of the process: what is
 * parsed later finds its rows, as help does. 0; or -1 and err: a name is there already, or there is
 * no room. */
int expr_add_fetches(const struct fetch *table, struct err *err);
int expr_add_converters(const struct converter *table, struct err *err);

extern const struct module expr_module;

#endif
