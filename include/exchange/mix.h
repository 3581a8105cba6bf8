/* SPDX-License-Identifier: BSD-2-Clause */
/* The random mix over fake carriers (carrier_mix_test.c): what an exchange does follows from the
 * seed of the round and its number, so that both sides know it. Clients are fake connections that
 * lend many ends at once (mix_wire.c); servers are real ones on loopback (mix_origin.c). Linked
 * into the test only. */
#ifndef EXCHANGE_MIX_H
#define EXCHANGE_MIX_H

#include "base/result.h"
#include "http/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proxy;

enum { MIX_EXCHANGES = 4096 }; /* of a round, at most */

/* What the proxy does with it, by its path. */
enum mix_kind { MIX_PASSES, MIX_DENIED, MIX_RETURNED, MIX_REDIRECTED, MIX_WAITED_FOR };
/* How a body ends. */
enum mix_frame { MIX_BARE, MIX_LENGTH, MIX_CHUNKED, MIX_CLOSE };
/* What the server does instead of answering, the first times that it is asked. */
enum mix_fault { MIX_GOOD, MIX_EMPTY, MIX_RESET, MIX_CUT, MIX_JUNK, MIX_BUSY };

struct mix_plan {
	unsigned id;
	enum mix_kind kind;
	enum method method;
	enum mix_frame asks, answers;
	size_t asked, answered;   /* bytes of the bodies */
	unsigned status;
	bool expects;             /* Expect: 100-continue */
	bool takes_gzip;
	unsigned interims;        /* 103 that come before the answer */
	bool early;               /* the server answers before it has read the body */
	bool says_close;          /* the server closes behind its answer, and says so */
	bool sly;                 /* ... and does not */
	enum mix_fault fault;
	unsigned faults;          /* how many times */
	size_t fault_at;          /* bytes of the answer before it; modulo its length */
	unsigned pace;            /* most bytes of one write of client and server */
};

/* What the configuration of the round allows beyond the plans. */
struct mix_round {
	uint64_t seed;
	bool slow_servers;        /* places of servers are few: who waits may be refused */
	bool sly_servers;         /* they close idle connections without a word */
	unsigned exchanges;       /* to be carried */
	unsigned wires, lanes;    /* fake connections, and ends that one lends at most */
	const char *config;
};
extern struct mix_round mix_round;
extern uint64_t mix_moved;        /* grows with each byte that any side takes: nothing hangs */

/* A number below; the order in which things happen. */
unsigned mix_rnd(unsigned below);
struct mix_plan mix_plan(unsigned id);
/* Byte of a body of the exchange; response: of the answer. */
char mix_byte(unsigned id, bool response, size_t at);
static inline bool mix_has_body(const struct mix_plan *p)
{
	return p->method != METHOD_HEAD && p->status != 204 && p->status != 304;
}
/* A finding: says what, with the seed, and ends the process. */
_Noreturn void mix_found(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The servers: they listen on that port. */
unsigned origin_open(void);
void origin_turn(void);
void origin_close(void);
/* Requests that have reached it. */
extern unsigned origin_requests;

/* The clients. */
void wires_open(struct proxy *frontend);
/* Something happens at some of them. */
void wires_turn(void);
/* All exchanges of the round have been begun, and are over. */
MUST_USE bool wires_done(void);
/* What hangs, for people. */
void wires_print(void);
void wires_close(void);
/* Exchanges that have come to their end with an answer; that the client has given up; that were
 * broken off. */
extern unsigned wires_whole, wires_given_up, wires_broken;

#endif
