/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzer: what servers and agents answer to health checks. The first byte chooses the protocol. */
#include "check/agent.h"
#include "check/answers.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is reported lies within what was received, or is a constant. */
static void check_span(struct span s)
{
	volatile char sum = 0;
	size_t i;

	for (i = 0; s.ptr && i < s.len; i++)
		sum = (char)(sum + s.ptr[i]);
}

static void check_agent(struct span bytes)
{
	struct agent_line line;

	agent_parse(bytes, &line);
	check_span(line.weight);
	check_span(line.maxconn);
	check_span(line.state);
	check_span(line.about);
	if (line.weight.ptr && !line.weight.len)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { (const char *)data + 1, size - 1 };
	struct answer a, last;

	if (!size)
		return 0;
	switch (data[0] % 5) {
	case 0:
	case 1:
		a = answer_mysql(bytes, data[0] % 5 == 0, false);
		last = answer_mysql(bytes, data[0] % 5 == 0, true);
		break;
	case 2:
		a = answer_ldap(bytes, false);
		last = answer_ldap(bytes, true);
		break;
	case 3:
		a = answer_spop(bytes, 16380, false);
		last = answer_spop(bytes, 16380, true);
		break;
	default:
		check_agent(bytes);
		return 0;
	}
	check_span(a.text);
	if (last.status == CHECK_UNKNOWN || (a.status != CHECK_UNKNOWN && a.status != last.status))
		abort();
	return 0;
}
