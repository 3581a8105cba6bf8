/* SPDX-License-Identifier: BSD-2-Clause */
/* Filters (manual 4.2 "filter", 9): lines of a proxy, and what becomes of them in a stream. The
 * filters of the frontend come first, then those of the backend, each in the order of their lines;
 * both directions pass them in this order. Called by the stream; what they do to bytes they do as
 * members of a pump's chain (relay/chain.h). doc/internals/filters.md. */
#ifndef FILTER_FILTER_H
#define FILTER_FILTER_H

#include "base/kind.h"
#include "config/config.h"
#include "filter/moment.h"
#include "relay/chain.h"

struct arena;
struct filters;
struct message;
struct module;
struct pool;
struct proxy;
struct relay;
struct view_http;

/* A line, in the arena of the configuration. */
struct filter_line {
	struct filter_line *next;
	const struct filter_kind *kind;
	const char *name;     /* given to it; NULL: none */
	const void *data;     /* the kind's */
	struct location loc;
};

/* One filter of one stream; the kind's own state begins with it. */
struct filter {
	struct filter *next;
	struct filters *set;
	const struct filter_line *line;
	const struct proxy *proxy; /* whose line it is */
	uint8_t place;             /* in chains */
};

/* The heads of an exchange, as they are about to leave. */
struct filter_heads {
	struct message *req, *res; /* res NULL: there is none yet */
	struct arena *arena;
	struct view_http *http;
	bool local;                /* the response is the program's own: no filter sees its body */
};

struct filter_kind {
	const char *name;     /* behind "filter" */
	/* The words behind it. 0, or -1 after a report. NULL: there are none. */
	int (*parse)(struct statement *st, struct proxy *px, struct filter_line *line);
	struct pool *pool;    /* of its state */
	bool once;            /* a proxy may have one */
	bool http;            /* it does nothing in mode tcp */
	/* AT_MOMENT: when it wants to hear of streams of its proxy, and is taken up at the latest. Of
	 * responses of the program none hears: RESPONSE and ANSWER are those of servers. */
	unsigned moments;
	enum moment_said (*hear)(struct filter *f, enum moment moment); /* NULL: it is taken up */
	/* Besides, in this order; NULL: nothing to do. */
	void (*begin)(struct filter *f);     /* it has just been taken up */
	void (*backend)(struct filter *f);   /* the backend is known */
	/* A head leaves. False: no memory. Not called in mode tcp. */
	bool (*request)(struct filter *f, struct filter_heads *heads);
	bool (*response)(struct filter *f, struct filter_heads *heads);
	void (*open)(struct filter *f, bool response); /* bytes may flow now */
	/* The response that was about to leave is another one: what was made of it is forgotten.
	 * Its chain is empty again. */
	void (*forget)(struct filter *f);
	void (*end)(struct filter *f);       /* the stream ends, the chains are no more */
};

/* All filters of one stream. */
struct filters {
	struct pump_chain request, response;
	struct relay *relay;
	const struct proxy *frontend, *backend; /* backend NULL until chosen */
	uint64_t stream;      /* its id */
	struct filter *first;
	struct filter **last;
	struct filter *asked[2]; /* at a moment of the request, of the response: who was last */
	bool waits[2];        /* that one has said so */
	uint8_t count;
	uint8_t broken;       /* enum moment_said: why a filter's pass has failed; SAID_GOES_ON: none
			       * has, or there was no memory */
	bool http;
};

/* ---- for the stream ----------------------------------------------------------------------- */

/* The relay's; NULL: it has none. */
struct filters *filters_of(struct relay *relay);
/* With those of the frontend; NULL: no memory. They are the relay's until filters_end. */
struct filters *filters_new(struct relay *relay, const struct proxy *frontend, uint64_t stream,
			    bool http);
/* The backend is chosen: its filters are added, once. False: no memory. */
bool filters_backend(struct filters *set, const struct proxy *backend);
/* Those that want to hear of it do, in order, until one says something else than that the stream
 * goes on. again: the stream has waited at this moment; a filter that made it wait is asked first. */
enum moment_said filters_hear(struct filters *set, enum moment moment, bool again);
/* Heads leave, as in struct filter_kind. */
bool filters_request(struct filters *set, struct filter_heads *heads);
bool filters_response(struct filters *set, struct filter_heads *heads);
/* A pump of the relay has been opened, and has not run yet. */
void filters_open(struct filters *set, bool response);
/* Wants a filter to see the bytes of a body, and so without its coding? */
static inline bool filters_see(const struct pump_chain *chain)
{
	return chain->sees;
}
void filters_forget_response(struct filters *set);
/* Has a filter ended a message before its source did? The source's connection is not to be kept. */
bool filters_cut(const struct filters *set);
void filters_end(struct filters *set);

/* ---- for kinds ---------------------------------------------------------------------------- */

/* The state of a filter whose kind has its states in this pool. */
#ifdef KINDS
#define FILTER_STATE(type, f, of_pool)                              \
	({                                                          \
		struct filter *state_of_ = (f);                     \
		BUG_ON(state_of_->line->kind->pool != (of_pool));   \
		container_of(state_of_, type, filter);              \
	})
#else
#define FILTER_STATE(type, f, of_pool) container_of(f, type, filter)
#endif
/* Its part of the chain of one direction begins. */
void filter_link(struct filter *f, bool response, struct pump_filter *member);
/* Is there a filter of this kind in the proxy? name NULL: by whichever name. */
const struct filter_line *filter_find(const struct proxy *px, const struct filter_kind *kind,
				      const char *name);
/* One that no line has asked for, behind all others. */
void filter_add(struct config *cfg, struct proxy *px, const struct filter_kind *kind);

/* At which moments those of the proxy want to hear of streams. */
unsigned filters_moments(const struct proxy *px);
/* The kind of names that begin with "lua.": installed by lua/. NULL: there are none. */
extern const struct filter_kind *filter_script_kind;

extern const struct filter_kind *const filter_kinds[]; /* src/modules.c; NULL-terminated */
extern const struct module filter_module;

#endif
