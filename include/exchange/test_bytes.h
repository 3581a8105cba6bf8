/* SPDX-License-Identifier: BSD-2-Clause */
/* Clients of streams of bytes (mode tcp) that are no sockets: fake connections that say what a test
 * wants, and keep what they get. Linked into tests only (cmocka). */
#ifndef EXCHANGE_TEST_BYTES_H
#define EXCHANGE_TEST_BYTES_H

#include "event/timer.h"
#include "stream/origin.h"

struct end;
struct stream;

struct bytes_client {
	struct origin origin;
	struct timer timer;
	struct end *end;     /* NULL: its stream has ended */
	struct stream *stream;
	uint16_t flags;      /* CONN_*: readiness of the end */
	const char *says;    /* is received next; NULL: nothing */
	size_t says_len;     /* so many bytes; 0: it is a text */
	bool takes_nothing;
	bool finished, reset; /* it was told the end; it was broken off */
	char got[400];
	size_t len;
};

/* Its stream begins; the client says that (NULL: nothing). */
void bytes_open(struct bytes_client *c, struct proxy *frontend, const char *says);
void bytes_say(struct bytes_client *c, const char *says);
/* A new one says bytes that are no text. */
void bytes_open_with(struct bytes_client *c, struct proxy *frontend, const char *bytes, size_t len);
/* It has nothing more to say (RDHUP), or is gone (HUP and an error). */
void bytes_finish(struct bytes_client *c);
void bytes_break_off(struct bytes_client *c);
/* Behind the stream's end. */
void bytes_free(struct bytes_client *c);

#endif
