/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A name that is asked for by the words of a section "resolvers": once, or again and again, for all
 * in this process who want it. It knows neither servers nor who asks. See doc/internals/names.md.
 */
#ifndef DNS_RESOLUTION_H
#define DNS_RESOLUTION_H

#include "base/list.h"
#include "dns/message.h"
#include "event/loop.h"
#include "event/timer.h"

#include <stdbool.h>
#include <stdint.h>

struct nameserver;
struct resolution_attempt;
struct resolvers;

/* How the last run has ended. */
enum dns_status { STATUS_NONE /* none has yet */, STATUS_VALID, STATUS_NX, STATUS_REFUSED,
		  STATUS_TIMEOUT, STATUS_OTHER };

/* A record that holds: of the last answers, up to "hold obsolete". */
struct dns_held {
	struct dns_record record; /* target: its own */
	uint64_t seen_ms;         /* in an answer last */
};

struct resolution {
	struct list node;           /* in resolvers->resolutions */
	struct list bucket;         /* resolution.c */
	struct resolvers *resolvers;
	enum dns_type wanted, type; /* asked for first; now */
	struct list requesters;     /* struct dns_requester */
	struct timer timer;         /* runs: until when answers are waited for; else the next run */
	struct task task;           /* tells requesters */
	struct resolution_attempt *attempts; /* one for each name server */
	unsigned waiting;           /* of them */
	int tries;                  /* of this run that have failed */
	bool alone;                 /* never asked for the other family */
	bool runs, other_family;    /* it was asked for the other family in this try */
	bool certain;               /* a name server has said in this try that there is none */
	bool paced;                 /* its next run has its place among those that begin */
	bool telling;
	enum dns_status error;      /* what this try has heard last */
	enum dns_status status;
	uint64_t valid_ms;          /* of the last valid answer; 0: none */
	const struct nameserver *by; /* who gave it */
	bool changed;               /* it has changed what is held, or is valid again */
	struct dns_held *held;
	unsigned count, room;
	char name[];
};

/* Whoever wants a name embeds it. Zeroed: nothing is wanted. */
struct dns_requester {
	struct list node;
	struct resolution *resolution; /* NULL: nothing is wanted */
	bool again;  /* for ever, every "timeout resolve"; else once */
	bool alone;  /* of this type and no other; that there is none is an answer, too: it ends the
			run */
	/* A run has ended: resolution->status and what is held tell how. By a task; it may leave.
	 * One that wants it once has left already; what is held is good until it returns. */
	void (*resolved)(struct dns_requester *r, struct resolution *res);
};

/* Wants the name (lower case: dns_name), as addresses of the family that the type says (else of the
 * other one, unless r->alone), or as services. Where an answer is at hand that still holds ("hold
 * valid"), and the requester wants it once: that one is returned, and nothing is wanted. Else NULL;
 * r->resolution is NULL when it cannot be had: no memory, or too many names. */
struct resolution *resolution_want(struct resolvers *resolvers, const char *name, enum dns_type type,
				   struct dns_requester *r);
/* One that is alone and whose answer still holds ("hold valid"); NULL: there is none. Nothing is
 * asked. */
const struct resolution *resolution_at_hand(const struct resolvers *resolvers, const char *name,
					    enum dns_type type);
/* Nothing is wanted any more. */
void resolution_leave(struct dns_requester *r);
/* Asks now, unless it does. */
void resolution_hurry(struct resolution *res);
/* A run has failed: does what was valid before still hold? */
bool resolution_holds(const struct resolution *res);
/* Nothing is held any more: what is valid next is a change. */
void resolution_drop(struct resolution *res);
/* All of a section's are forgotten; nobody is told. */
void resolutions_end(struct resolvers *resolvers);

#endif
