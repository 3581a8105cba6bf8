/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without c-ares: resolvers.c refuses the sections that would ask. */
#include "dns/message.h"

const char *dns_library(void)
{
	return NULL;
}

size_t dns_question_write(const char *name, enum dns_type type, uint16_t id, unsigned payload,
			  unsigned char *to)
{
	(void)name, (void)type, (void)id, (void)payload, (void)to;
	return 0;
}

enum dns_said dns_answer_read(struct span bytes, const char *name, enum dns_type type,
			      const struct dns_answer_records **records)
{
	(void)bytes, (void)name, (void)type, (void)records;
	return DNS_SAID_INVALID;
}
