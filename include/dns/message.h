/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions and answers of the DNS (RFC 1035, 2782, 6891) as bytes: message.c, by c-ares, or
 * message_none.c in a build without it. Pure; for resolution.c and nameserver.c. */
#ifndef DNS_MESSAGE_H
#define DNS_MESSAGE_H

#include "base/str.h"
#include "net/addr.h"

#include <stdbool.h>

enum dns_type { DNS_A = 1, DNS_CNAME = 5, DNS_AAAA = 28, DNS_SRV = 33 };

enum { DNS_QUESTION_MOST = 512,  /* bytes of a question */
       DNS_HEAD = 12,            /* of the head of a message */
       DNS_MESSAGE_MOST = 65535, /* of a message */
       DNS_RECORDS = 1024 };     /* that are taken of an answer: more are left out */

/* "c-ares 1.18.1"; NULL: this build asks nobody. */
const char *dns_library(void);

/* Writes a question that wants recursion, and says that answers of `payload` bytes are taken. to has
 * room for DNS_QUESTION_MOST. Its length; 0: the name is none, or no memory. */
size_t dns_question_write(const char *name, enum dns_type type, uint16_t id, unsigned payload,
			  unsigned char *to);

/* What an answer says. */
enum dns_said {
	DNS_SAID_RECORDS,
	DNS_SAID_NONE,        /* there is such a name, without records of this type */
	DNS_SAID_ALIAS,       /* only an alias, which leads to none */
	DNS_SAID_ALIAS_WRONG, /* aliases that lead in a round, or records of other names */
	DNS_SAID_NX,
	DNS_SAID_REFUSED,
	DNS_SAID_OTHER,       /* another code of failure */
	DNS_SAID_INVALID,     /* no message, or one that breaks off */
	DNS_SAID_TRUNCATED,   /* the rest is to be had over TCP */
	DNS_SAID_FOREIGN,     /* no answer, or one to another question */
};

struct dns_record {
	struct addr v4, v6;   /* AF_UNSPEC: none. A, AAAA: the one; SRV: what the message has beside it */
	uint16_t port, priority, weight; /* SRV */
	const char *target;   /* SRV: a host, in lower case; good until the next answer is read */
	uint32_t ttl;         /* seconds */
};

struct dns_answer_records {
	unsigned count;
	struct dns_record record[DNS_RECORDS];
};

/* Reads what came for a question. records: of the type that was asked for, where DNS_SAID_RECORDS is
 * returned: in memory that the next call uses again. */
enum dns_said dns_answer_read(struct span bytes, const char *name, enum dns_type type,
			      const struct dns_answer_records **records);
/* The number of a message of at least DNS_HEAD bytes. */
static inline uint16_t dns_message_id(const unsigned char *bytes)
{
	return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

#endif
