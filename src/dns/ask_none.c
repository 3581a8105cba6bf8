/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without c-ares: /etc/hosts is all there is. */
#include "dns/ask.h"

void (*dns_asked)(void *whose, int family, const struct ask_answer *answer);

const char *dns_library(void)
{
	return NULL;
}

int dns_ask_begin(const struct dns_servers *servers, struct err *err)
{
	(void)servers;
	(void)err;
	return 0;
}

void dns_ask_end(void)
{
}

void dns_ask(const char *name, int family, void *whose)
{
	static const struct ask_answer nothing = { .result = DNS_FAILED };

	(void)name;
	dns_asked(whose, family, &nothing);
}
