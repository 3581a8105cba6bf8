/* SPDX-License-Identifier: BSD-2-Clause */
/* What servers of databases, directories and gRPC answer to a health check. Pure functions over bytes:
 * nothing behind them is looked at, nothing is assumed of them. */
#ifndef CHECK_ANSWERS_H
#define CHECK_ANSWERS_H

#include "base/str.h"
#include "proxy/server.h"

#include <stdbool.h>

struct answer {
	enum check_status status; /* CHECK_UNKNOWN: incomplete */
	int code;
	struct span text; /* of the bytes, or constant; ptr NULL: none */
	size_t len;       /* of the first packet: mysql */
};

/* A packet of MySQL: the greeting (text: the version), an error, or any other. */
struct answer answer_mysql(struct span bytes, bool greeting, bool last);
/* The answer to an anonymous bind (RFC 4511 4.2.2). */
struct answer answer_ldap(struct span bytes, bool last);
/* An agent's HELLO, or its DISCONNECT (SPOP 2.0). max_frame: what was offered. */
struct answer answer_spop(struct span bytes, size_t max_frame, bool last);

/* The answer to a DNS query of this id (RFC 1035 4.1.1): NOERROR and NXDOMAIN are L7OK, other codes
 * L7STS with the code and its name. */
struct answer answer_dns(struct span bytes, unsigned id);
/* The answer of an NTP server (RFC 5905 7.3) to a packet with these 8 bytes as transmit timestamp:
 * L7STS: it has no time to give. */
struct answer answer_ntp(struct span bytes, const char transmit[8]);

/* A Status-Server request (RFC 5997 3). */
struct radius_request {
	uint8_t id;
	uint8_t authenticator[16]; /* of this request alone, and not to be foreseen */
	struct span secret;        /* that the server shares */
};
void radius_ask(const struct radius_request *r, struct text *out);
/* The answer to it (RFC 2865 3): Access-Accept and Accounting-Response are L7OK, others L7STS with
 * their code. What is not signed with the secret, over this request, is none. */
struct answer answer_radius(struct span bytes, const struct radius_request *r);

/* The message of a response to grpc.health.v1.Health/Check, with its length in front: L7OK is SERVING,
 * L7STS any other status, whose name is the text. */
struct answer answer_grpc(struct span bytes, bool last);

#endif
