/* SPDX-License-Identifier: BSD-2-Clause */
/* Names under way and answers that are kept: entries, found by name. Called by whoever opens
 * connections to names; asks by ask.h. An entry asks for both families at once; once one of them has
 * addresses, the other one has FAMILY_MS to come (RFC 8305 3), then the answer goes without it.
 *
 * An answer goes to those who wait by a task, never from within c-ares. An entry that asks, or tells,
 * stays; others make room for new ones, those first that nobody has looked up for the longest time. */
#include "dns/lookup.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "config/module.h"
#include "dns/ask.h"
#include "dns/files.h"
#include "dns/resolvers.h"
#include "event/loop.h"
#include "event/timer.h"

#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 256, ENTRIES_MOST = 1024, ASKING_MOST = 256,
       FAMILY_MS = 50,
       NOTHING_MS = 1000,             /* how long an answer without addresses is kept */
       TTL_MOST = 3600,               /* seconds */
       HOSTS_MOST = 4 << 20, RESOLV_MOST = 65536 }; /* bytes of the files that are read */
enum { V6 = 1 << 0, V4 = 1 << 1 };

struct dns_entry {
	struct list bucket, lru;      /* lru: looked up last in front */
	struct list waiters;          /* struct dns_lookup */
	struct timer timer;           /* while somebody waits: until when */
	struct task task;             /* tells them */
	uint64_t until_ms;            /* the answer is good; it is kept no longer */
	uint8_t asking;               /* families that have not answered: V4, V6 */
	bool told;                    /* those who have waited have their answer already */
	bool telling;
	unsigned ttl;                 /* seconds, of what has come so far */
	enum dns_result worse;        /* what the first family that had no address has said */
	struct dns_answer answer;     /* so far */
	char name[];
};

bool dns_wanted, dns_asks = true;
const struct resolvers *dns_resolvers;
struct dns_stats dns_stats;

static struct list buckets[BUCKETS], lru = LIST_INIT(lru);
static unsigned entries, asking;
static struct dns_hosts *hosts;
static struct dns_servers servers;
static bool begun;

/* ---- entries -------------------------------------------------------------------------------- */

static struct list *bucket_of(struct span name)
{
	return &buckets[hash_wt6(name.ptr, name.len) % BUCKETS];
}

static struct dns_entry *entry_find(struct span name)
{
	struct dns_entry *e;

	list_for_each(e, bucket_of(name), bucket)
		if (span_equal(span_of(e->name), name))
			return e;
	return NULL;
}

static bool entry_is_idle(const struct dns_entry *e)
{
	return !e->asking && !e->telling && list_empty(&e->waiters);
}

static void entry_free(struct dns_entry *e)
{
	list_remove(&e->bucket);
	list_remove(&e->lru);
	timer_cancel(&e->timer);
	task_cancel(&e->task);
	entries--;
	free(e);
}

static bool entry_make_room(void)
{
	struct list *node;

	for (node = lru.prev; node != &lru; node = node->prev) {
		struct dns_entry *e = list_entry(node, struct dns_entry, lru);

		if (entry_is_idle(e)) {
			entry_free(e);
			return true;
		}
	}
	return false;
}

/* ---- answers -------------------------------------------------------------------------------- */

/* All who wait at this moment; who looks up from within does not wait for this answer. */
static void tell(struct task *task)
{
	struct dns_entry *e = container_of(task, struct dns_entry, task);
	struct dns_lookup *lookup;

	timer_cancel(&e->timer);
	e->telling = true;
	e->told = true;
	while (!list_empty(&e->waiters)) {
		lookup = list_first(&e->waiters, struct dns_lookup, node);
		list_remove(&lookup->node);
		lookup->entry = NULL;
		lookup->done(lookup, &e->answer);
	}
	e->telling = false;
}

/* What is known is the answer, whatever is still to come. */
static void time_over(struct timer *timer)
{
	struct dns_entry *e = container_of(timer, struct dns_entry, timer);

	if (!e->answer.count)
		e->answer.result = DNS_SILENT;
	e->until_ms = clock_now_ms + NOTHING_MS;
	task_wake(&e->task);
}

static void take_addresses(struct dns_entry *e, const struct ask_answer *got)
{
	struct dns_answer *answer = &e->answer;
	unsigned i;

	for (i = 0; i < got->count && answer->count < DNS_ADDRS; i++)
		answer->addr[answer->count++] = got->addr[i];
	if (got->ttl < e->ttl)
		e->ttl = got->ttl;
	answer->result = DNS_FOUND;
}

/* Both families have answered. */
static void entry_complete(struct dns_entry *e)
{
	uint64_t ms = NOTHING_MS;

	if (e->answer.count)
		ms = (uint64_t)(e->ttl < TTL_MOST ? e->ttl : TTL_MOST) * 1000;
	else
		e->answer.result = e->worse;
	e->until_ms = clock_now_ms + ms;
	if (!list_empty(&e->waiters))
		task_wake(&e->task);
}

static void family_answered(void *whose, int family, const struct ask_answer *got)
{
	struct dns_entry *e = whose;

	e->asking &= (uint8_t)~(family == AF_INET ? V4 : V6);
	if (got->result == DNS_FOUND)
		take_addresses(e, got);
	else if (got->result > e->worse)
		e->worse = got->result; /* a family that fails may have had addresses */
	if (!e->asking) {
		asking--;
		entry_complete(e);
	} else if (e->answer.count && timer_armed(&e->timer)) {
		timer_set_by(&e->timer, clock_now_ms + FAMILY_MS);
	}
}

/* ---- looking up ----------------------------------------------------------------------------- */

static const struct dns_answer *without(enum dns_result result)
{
	static struct dns_answer answer;

	answer.result = result;
	return &answer;
}

/* Addresses; names of /etc/hosts; this host, which no server is asked for (RFC 6761 6.3). */
static const struct dns_answer *at_hand(struct span text, struct span name)
{
	static struct dns_answer answer;
	static const struct span local = { "localhost", 9 };

	answer.result = DNS_FOUND;
	answer.count = 1;
	if (dns_literal(text, &answer.addr[0]))
		return &answer;
	answer.count = hosts && name.len ? dns_hosts_find(hosts, name, answer.addr, DNS_ADDRS) : 0;
	if (answer.count > DNS_ADDRS)
		answer.count = DNS_ADDRS;
	if (answer.count)
		return &answer;
	if (name.len < local.len || memcmp(name.ptr + name.len - local.len, local.ptr, local.len) ||
	    (name.len > local.len && name.ptr[name.len - local.len - 1] != '.'))
		return NULL;
	memset(answer.addr, 0, 2 * sizeof(*answer.addr));
	answer.addr[0].family = AF_INET;
	answer.addr[0].v4.s_addr = htonl(INADDR_LOOPBACK);
	answer.addr[1].family = AF_INET6;
	answer.addr[1].v6 = in6addr_loopback;
	answer.count = 2;
	return &answer;
}

static struct dns_entry *entry_new(struct span name)
{
	struct dns_entry *e;

	if (entries >= ENTRIES_MOST && !entry_make_room())
		return NULL;
	e = calloc(1, sizeof(*e) + name.len + 1);
	if (!e)
		return NULL;
	memcpy(e->name, name.ptr, name.len);
	list_init(&e->waiters);
	timer_init(&e->timer, time_over);
	task_init(&e->task, tell);
	list_append(bucket_of(name), &e->bucket);
	list_init(&e->lru);
	entries++;
	return e;
}

static void entry_ask(struct dns_entry *e)
{
	asking++;
	dns_stats.asked++;
	e->asking = V4 | V6;
	e->told = false;
	e->worse = DNS_UNKNOWN;
	e->ttl = UINT32_MAX;
	e->answer.count = 0;
	e->answer.result = DNS_UNKNOWN;
	dns_ask(e->name, AF_INET6, e);
	dns_ask(e->name, AF_INET, e);
}

/* Asks, unless it is asking; an answer that was told before all had come is one, too. */
static const struct dns_answer *entry_look(struct dns_entry *e, struct dns_lookup *lookup)
{
	if ((!e->asking || e->told) && e->until_ms > clock_now_ms) {
		dns_stats.cached++;
		return &e->answer;
	}
	if (e->telling)
		return &e->answer;
	if (!e->asking) {
		if (asking >= ASKING_MOST)
			return without(DNS_FULL);
		entry_ask(e);
		if (!e->asking) {
			task_cancel(&e->task);
			return &e->answer;
		}
	}
	if (list_empty(&e->waiters))
		timer_set(&e->timer, clock_now_ms + (e->answer.count ? FAMILY_MS : DNS_MS));
	list_append(&e->waiters, &lookup->node);
	lookup->entry = e;
	return NULL;
}

const struct dns_answer *dns_look(struct dns_lookup *lookup, struct span text)
{
	char memory[DNS_NAME_MOST + 1];
	struct span name = { memory, dns_name(text, memory) };
	const struct dns_answer *answer = at_hand(text, name);
	struct dns_entry *e;

	BUG_ON(lookup->entry);
	dns_stats.looked++;
	if (answer)
		return answer;
	if (!name.len)
		return without(DNS_UNKNOWN);
	if (!begun)
		return without(DNS_OFF);
	e = entry_find(name);
	if (!e)
		e = entry_new(name);
	if (!e)
		return without(DNS_FULL);
	list_remove(&e->lru);
	list_prepend(&lru, &e->lru);
	return entry_look(e, lookup);
}

void dns_cancel(struct dns_lookup *lookup)
{
	struct dns_entry *e = lookup->entry;

	if (!e)
		return;
	lookup->entry = NULL;
	list_remove(&lookup->node);
	if (list_empty(&e->waiters) && !e->telling)
		timer_cancel(&e->timer);
}

/* ---- the module ----------------------------------------------------------------------------- */

char *dns_file_read(const char *path, size_t most, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *text = f ? malloc(most) : NULL;

	*len = 0;
	if (text)
		*len = fread(text, 1, most, f);
	if (f)
		fclose(f);
	return text;
}

int dns_read(struct span of_hosts, struct span of_resolv, struct err *err)
{
	hosts = dns_hosts_parse(of_hosts);
	dns_servers_parse(of_resolv, &servers);
	return hosts ? 0 : err_set(err, "out of memory for /etc/hosts");
}

static void take_servers(const struct resolvers *resolvers)
{
	const struct nameserver *ns;

	servers.count = 0;
	for (ns = resolvers->nameservers; ns && servers.count < DNS_SERVERS; ns = ns->next)
		if (!ns->stream)
			servers.addr[servers.count++] = ns->addr;
}

static int prepare(struct config *cfg, void *data, struct err *err)
{
	size_t hosts_len, resolv_len;
	char *of_hosts, *of_resolv;
	int rc;

	(void)cfg;
	(void)data;
	if (!dns_wanted)
		return 0;
	of_hosts = dns_file_read("/etc/hosts", HOSTS_MOST, &hosts_len);
	of_resolv = dns_file_read("/etc/resolv.conf", RESOLV_MOST, &resolv_len);
	rc = dns_read((struct span){ of_hosts ? of_hosts : "", hosts_len },
		      (struct span){ of_resolv ? of_resolv : "", resolv_len }, err);
	free(of_hosts);
	free(of_resolv);
	if (dns_resolvers)
		take_servers(dns_resolvers);
	return rc;
}

static int start(struct config *cfg, void *data, struct err *err)
{
	unsigned i;

	(void)cfg;
	(void)data;
	for (i = 0; i < BUCKETS; i++)
		list_init(&buckets[i]);
	if (!dns_wanted || !dns_asks || !servers.count || !dns_library())
		return 0;
	dns_asked = family_answered;
	begun = dns_ask_begin(&servers, err) == 0;
	return begun ? 0 : -1;
}

static void stop(void)
{
	struct dns_entry *e, *next;

	dns_ask_end();
	begun = false;
	list_for_each_safe(e, next, &lru, lru) {
		while (!list_empty(&e->waiters))
			dns_cancel(list_first(&e->waiters, struct dns_lookup, node));
		entry_free(e);
	}
	asking = 0;
	if (hosts)
		dns_hosts_free(&hosts);
}

const struct module dns_module = {
	.name = "dns", .prepare = prepare, .start = start, .stop = stop,
};
