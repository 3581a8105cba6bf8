/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that somebody waits for. Called by whoever opens connections to names; asks by
 * resolution.h, for each family alone. Once one of them has addresses, the other one has FAMILY_MS
 * to come (RFC 8305 3), then the answer goes without it. Answers that are still good are kept
 * there, too. */
#include "dns/lookup.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/module.h"
#include "dns/files.h"
#include "dns/resolvers.h"

#include <stdlib.h>
#include <string.h>

enum { FAMILY_MS = 50,
       HOSTS_MOST = 4 << 20 }; /* bytes of the file that are read */

bool dns_wanted;
struct resolvers *dns_resolvers;

static struct dns_hosts *hosts;
static bool begun;

/* ---- at hand -------------------------------------------------------------------------------- */

static bool is_this_host(struct span name)
{
	static const struct span local = { "localhost", 9 };

	return name.len >= local.len &&
	       !memcmp(name.ptr + name.len - local.len, local.ptr, local.len) &&
	       (name.len == local.len || name.ptr[name.len - local.len - 1] == '.');
}

/* Addresses; names of /etc/hosts; this host, which no server is asked for (RFC 6761 6.3). False: it
 * has to be asked for. */
static bool at_hand(struct span text, struct span name, struct dns_answer *answer)
{
	answer->count = dns_literal(text, &answer->addr[0]);
	if (!answer->count && hosts && name.len)
		answer->count = dns_hosts_find(hosts, name, answer->addr, DNS_ADDRS);
	if (answer->count > DNS_ADDRS)
		answer->count = DNS_ADDRS;
	if (answer->count)
		return true;
	if (!is_this_host(name))
		return false;
	memset(answer->addr, 0, 2 * sizeof(*answer->addr));
	answer->addr[0].family = AF_INET;
	answer->addr[0].v4.s_addr = htonl(INADDR_LOOPBACK);
	answer->addr[1].family = AF_INET6;
	answer->addr[1].v6 = in6addr_loopback;
	answer->count = 2;
	return true;
}

/* ---- answers -------------------------------------------------------------------------------- */

static void take(struct dns_answer *answer, const struct resolution *res)
{
	const struct dns_record *record;
	unsigned i;

	for (i = 0; res->status == STATUS_VALID && i < res->count && i < DNS_OF_FAMILY; i++) {
		record = &res->held[i].record;
		answer->addr[answer->count++] = res->wanted == DNS_A ? record->v4 : record->v6;
	}
}

void dns_cancel(struct dns_lookup *lookup)
{
	if (!lookup->waits)
		return;
	lookup->waits = false;
	timer_cancel(&lookup->timer);
	resolution_leave(&lookup->v6);
	resolution_leave(&lookup->v4);
}

static void tell(struct dns_lookup *lookup)
{
	dns_cancel(lookup);
	lookup->done(lookup, &lookup->answer);
}

static void family_answered(struct dns_lookup *lookup, const struct resolution *res)
{
	take(&lookup->answer, res);
	if (!lookup->v6.resolution && !lookup->v4.resolution)
		tell(lookup);
	else if (lookup->answer.count)
		timer_set(&lookup->timer, clock_now_ms + FAMILY_MS);
}

static void v6_answered(struct dns_requester *r, struct resolution *res)
{
	family_answered(container_of(r, struct dns_lookup, v6), res);
}

static void v4_answered(struct dns_requester *r, struct resolution *res)
{
	family_answered(container_of(r, struct dns_lookup, v4), res);
}

static void family_late(struct timer *timer)
{
	tell(container_of(timer, struct dns_lookup, timer));
}

/* ---- looking up ----------------------------------------------------------------------------- */

static void take_at_hand(struct dns_lookup *lookup, const char *name, enum dns_type type)
{
	const struct resolution *res = resolution_at_hand(dns_resolvers, name, type);

	if (res)
		take(&lookup->answer, res);
}

static void family_ask(const char *name, enum dns_type type, struct dns_requester *r)
{
	*r = (struct dns_requester){ .alone = true,
				     .resolved = type == DNS_A ? v4_answered : v6_answered };
	resolution_want(dns_resolvers, name, type, r);
}

/* A family whose answer is good does without the other one: that one has none, or comes too late.
 */
static const struct dns_answer *ask(struct dns_lookup *lookup, const char *name)
{
	take_at_hand(lookup, name, DNS_AAAA);
	take_at_hand(lookup, name, DNS_A);
	if (lookup->answer.count)
		return &lookup->answer;
	family_ask(name, DNS_AAAA, &lookup->v6);
	family_ask(name, DNS_A, &lookup->v4);
	timer_init(&lookup->timer, family_late);
	lookup->waits = lookup->v6.resolution || lookup->v4.resolution;
	return lookup->waits ? NULL : &lookup->answer;
}

const struct dns_answer *dns_look(struct dns_lookup *lookup, struct span text)
{
	char memory[DNS_NAME_MOST + 1];
	struct span name = { memory, dns_name(text, memory) };

	BUG_ON(lookup->waits);
	if (at_hand(text, name, &lookup->answer) || !name.len || !begun)
		return &lookup->answer;
	return ask(lookup, memory);
}

/* ---- the module ----------------------------------------------------------------------------- */

int dns_read(struct span of_hosts, struct err *err)
{
	hosts = dns_hosts_parse(of_hosts);
	return hosts ? 0 : err_set(err, "out of memory for /etc/hosts");
}

static int prepare(struct config *cfg, void *data, struct err *err)
{
	size_t len;
	char *text;
	int rc;

	(void)cfg;
	(void)data;
	if (!dns_wanted)
		return 0;
	text = dns_file_read("/etc/hosts", HOSTS_MOST, &len);
	rc = dns_read((struct span){ text ? text : "", len }, err);
	free(text);
	return rc;
}

static int start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	begun = dns_wanted && dns_resolvers && dns_resolvers->count && dns_library();
	return 0;
}

static void stop(void)
{
	begun = false;
	if (hosts)
		dns_hosts_free(&hosts);
}

const struct module dns_module = {
	.name = "dns", .prepare = prepare, .start = start, .stop = stop,
};
