/* SPDX-License-Identifier: BSD-2-Clause */
/* The last wrong request and the last wrong response of each proxy, with the bytes: for "show
 * errors". */
#ifndef EXCHANGE_BAD_MESSAGE_H
#define EXCHANGE_BAD_MESSAGE_H

#include "base/list.h"
#include "net/addr.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/time.h>

struct proxy;
struct proxy_part;
struct server;

struct bad_message {
	struct list node;
	const struct proxy *proxy; /* a request's frontend, a response's backend */
	const struct proxy *other; /* on the other side; NULL: not chosen yet */
	struct server *server;     /* NULL: none; as other */
	bool response;
	uint64_t event;            /* number, from 0 */
	struct timeval when;
	struct addr src;
	uint64_t stream;           /* id */
	const char *text;          /* what is wrong; NULL: an option has let it pass */
	uint32_t position;
	uint32_t len, size;        /* of bytes: held, room */
	char *bytes;
};

extern struct list bad_messages;    /* struct bad_message.node */

/* From now on wrong messages are kept. */
void bad_message_start(void);
extern struct proxy_part bad_message_proxy_part;

#endif
