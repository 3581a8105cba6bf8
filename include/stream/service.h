/* SPDX-License-Identifier: BSD-2-Clause */
/* Services for streams of bytes: an end inside the program that answers in the place of a server.
 * "tcp-request content use-service NAME" names one. Those of exchanges: exchange/http_service.h. */
#ifndef STREAM_SERVICE_H
#define STREAM_SERVICE_H

#include "base/kind.h"
#include "base/result.h"
#include "expr/rule_conf.h"

struct end;
struct stream;

struct stream_service {
	const char *name;  /* as rules write it */
	const char *shown; /* in logs, in the place of a server: "<lua.echo>" */
	/* Makes an applet of the server's end. 0; -1: no memory. */
	int (*open)(const struct stream_service *service, struct stream *s, struct end *end);
	struct stream_service *next; /* of those that were added */
	KIND_MEMBER
};
/* Makes it known, while the configuration is read; again does nothing. It stays for ever. */
void stream_service_add(struct stream_service *service);

/* The row use-service, for the lists of content rules. */
extern const struct action service_actions[];
/* Something inside the program answers the stream: it has waited for no queue and no connection,
 * and the log has 0 for them. */
void service_answers(struct stream *s);
/* The step of streams that a rule has given to a service. */
MUST_USE int service_open(struct stream *s);

#endif
