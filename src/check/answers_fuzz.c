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

static struct answer ask(unsigned protocol, struct span bytes, bool last)
{
	if (protocol < 2)
		return answer_mysql(bytes, protocol == 0, last);
	if (protocol == 5)
		return answer_grpc(bytes, last);
	return protocol == 2 ? answer_ldap(bytes, last) : answer_spop(bytes, 16380, last);
}

/* Pieces: what the first bytes decide is what all of them come to. */
static void check_pieces(unsigned protocol, struct span bytes, enum check_status whole)
{
	enum { MOST = 200 };
	struct span part = { bytes.ptr, 0 };
	struct answer a;

	for (; part.len < bytes.len && part.len < MOST; part.len++) {
		a = ask(protocol, part, false);
		if (a.status != CHECK_UNKNOWN && a.status != whole)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { (const char *)data + 1, size - 1 };
	struct answer a, last;

	if (!size)
		return 0;
	if (data[0] >= 0xf0) { /* whole datagrams */
		a = data[0] & 2 ? answer_radius(bytes, &(struct radius_request){ .id = 7 }) :
		    data[0] & 1 ? answer_dns(bytes, 7) : answer_ntp(bytes, "transmit");
		check_span(a.text);
		return 0;
	}
	if (data[0] % 6 == 4) {
		check_agent(bytes);
		return 0;
	}
	a = ask(data[0] % 6, bytes, false);
	last = ask(data[0] % 6, bytes, true);
	check_span(a.text);
	if (last.status == CHECK_UNKNOWN || (a.status != CHECK_UNKNOWN && a.status != last.status))
		abort();
	check_pieces(data[0] % 6, bytes, a.status);
	return 0;
}
