/* SPDX-License-Identifier: BSD-2-Clause */
/* What exchanges keep of early data of TLS 1.3, the client's and ours: see early_request.h. */
#ifndef EXCHANGE_EARLY_PART_H
#define EXCHANGE_EARLY_PART_H

#include "base/result.h"
#include "base/str.h"
#include "exchange/exchange_part.h"

struct early {
	struct span words; /* that went along with our first message to the server, ... */
	size_t taken;      /* ... and how many bytes of them the server has */
	bool used;         /* it has them: its handshake was not done then */
	bool asked;        /* a rule waits for the client to finish the handshake, ... */
	bool waits;        /* ... with a timer */
	bool marked;       /* we have added Early-Data */
};

extern struct exchange_part early_part;

/* NULL: nothing is kept. */
static inline struct early *early_of(const struct exchange *x)
{
	return exchange_part(x, &early_part);
}

/* A rule (wait-for-handshake) waits until the client has finished: RULES_WAIT. False: no memory. */
MUST_USE bool early_ask(struct exchange *x);
static inline bool early_asked(const struct exchange *x)
{
	const struct early *early = early_of(x);

	return early && early->asked;
}
/* Nobody has to wait (any more). */
void early_unask(struct exchange *x);
/* The request is sent once more, to whomever: no server has anything of it. */
void early_forget(struct exchange *x);

#endif
