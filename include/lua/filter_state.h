/* SPDX-License-Identifier: BSD-2-Clause */
/* A filter of one stream that is a script, for the files of it: lua/filter.c asks its functions about
 * the stream, lua/filter_bytes.c gives them bytes. */
#ifndef LUA_FILTER_STATE_H
#define LUA_FILTER_STATE_H

#include "base/kind.h"
#include "config/config.h"
#include "event/timer.h"
#include "filter/filter.h"
#include "lua/stream.h"

/* A line "filter lua.NAME WORDS". */
struct script_filter_line {
	const struct registered *function;
	const char **words;
	int count;
	bool htx;              /* streams of messages have it, too */
	int ref;               /* what its function has returned; LUA_NOREF: nil, there is no filter */
	struct location loc;
	struct script_filter_line *next;
	KIND_MEMBER
};

/* One direction. */
struct script_way {
	struct pump_filter member; /* of the chain */
	struct buf *buf;           /* bytes that have come: those on their way, then those that wait */
	uint32_t out;              /* the former */
	bool started, headed;      /* start_analyze, http_headers have said that it goes on */
	bool wanted;               /* register_data_filter */
	bool linked, opened;       /* the member; the pump */
	bool last;                 /* the source has no more */
	bool ended;                /* ... or a script has said that these are the last (set_eom) */
	bool told;                 /* http_end has said that it goes on */
	bool over;                 /* the end has been passed on */
	bool woken;                /* its function is called, be there bytes or not */
};

struct script_filter_state {
	struct filter filter;
	struct stream_scripts *ss; /* the stream's; NULL: it has no script for the stream */
	int ref;                   /* what new has returned; LUA_NOREF: nothing */
	bool made;                 /* new has been called */
	unsigned wake_ms;          /* filter.wake_time of the function at work; 0: nothing was said */
	struct timer timer;
	struct script_way ways[2]; /* request, response */
};

extern const struct filter_kind script_filter_kind;
struct script_filter_state *script_filter_of(struct filter *filter);

/* What functions say: filter.ERROR, WAIT, CONTINUE. */
enum { SAYS_ERROR = -1, SAYS_WAIT, SAYS_CONTINUE };

enum filter_call_result {
	CALL_SAID,   /* it has returned a number */
	CALL_SILENT, /* it has not, or there is no such function */
	CALL_FAILED, /* which is logged */
	CALL_ENDS,   /* it has called txn:done */
	CALL_SHORT,  /* no memory */
};
/* Calls a function of the filter, with the message or the channel of the turn's direction. */
enum filter_call_result script_filter_call(struct script_filter_state *f, const char *name,
					   const struct filter_turn *turn, bool message,
					   lua_Integer *says);
/* Logs a failure of it: a sentence without a full stop. */
void script_filter_tell(const struct script_filter_state *f, const char *error);

/* ---- lua/filter_bytes.c ------------------------------------------------------------------------ */

/* Bytes may flow: as open of struct filter_kind. */
void script_filter_open(struct filter *filter, bool response);
/* Its functions for bytes are called in the next run of the pumps, which it wakes. */
void script_filter_ask(struct script_filter_state *f);
/* What it has of the direction is thrown away; the chain is left, or will be. */
void script_filter_forget(struct script_filter_state *f, bool response);

#endif
