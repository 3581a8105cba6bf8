/* SPDX-License-Identifier: BSD-2-Clause */
/* Hosts that requests of the program's own go to (client/own_host.h). Each is a copy of the hidden
 * proxy of client_conf.c, whose counters all of them share; one of a name has a server of its own,
 * whose idle connections (exchange/idle.h) therefore stand under the words that name the host. One
 * that nobody has used for a while is closed with its connections. */
#include "client/own_host.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/kind.h"
#include "client/client_conf.h"
#include "client/own_request.h"
#include "dns/files.h"
#include "event/timer.h"
#include "exchange/idle.h"
#include "proxy/proxy.h"
#include "stream/origin.h"
#include "tls/conn.h"

#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

enum { HOSTS_MOST = 64, /* that nobody uses at present */
       KEPT_MOST = 256, /* connections of all */
       KEPT_MS = 5000, FRESH_MS = 1000, BUCKETS = 64,
       KEY_MOST = 8 + TLS_NAME_MOST + sizeof(struct sockaddr_storage) };

struct own_host {
	KIND_MEMBER
	struct list bucket, age; /* in both the newest in front */
	struct proxy proxy;
	struct server server;    /* of a host; its proxy is NULL: a backend has its own */
	struct server_state state;
	struct origin origin;    /* of all streams that go there */
	unsigned uses;
	uint64_t since_ms;       /* the last use has ended */
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path) + 1]; /* of a Unix socket */
	struct span name;        /* empty: a backend's servers say theirs by themselves */
	size_t len;
	char key[];
};

struct key {
	size_t len, name; /* of all; where the host's name begins */
	char bytes[KEY_MOST];
};

static struct list buckets[BUCKETS], ages;
static unsigned hosts;
static struct timer timer;

/* ---- keys ----------------------------------------------------------------------------------- */

static void key_add(struct key *key, const void *bytes, size_t len)
{
	memcpy(key->bytes + key->len, bytes, len);
	key->len += len;
}

/* False: it has none. */
static bool key_make(struct key *key, const struct own_target *t)
{
	const unsigned char kind = t->backend ? 2 : t->tls;

	key->len = 0;
	key_add(key, &kind, sizeof(kind));
	if (t->backend) {
		key_add(key, &t->backend, sizeof(t->backend));
		key->name = key->len;
		return true;
	}
	if (t->host.len > TLS_NAME_MOST)
		return false;
	key_add(key, &t->port, sizeof(t->port));
	if (t->to_len)
		key_add(key, &t->to, t->to_len);
	key->name = key->len;
	key_add(key, t->host.ptr, t->host.len);
	return true;
}

static struct list *bucket_of(const struct key *key)
{
	return &buckets[hash_wt6(key->bytes, key->len) % BUCKETS];
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Nobody uses it. False: it has to wait for a connection that is on its way out. */
static bool host_free(struct own_host *host)
{
	if (host->server.proxy) {
		idle_close_server(&host->server);
		timer_cancel(&host->server.idle_timer);
	}
	if (host->server.conns)
		return false;
	list_remove(&host->bucket);
	list_remove(&host->age);
	hosts--;
	origin_free(&host->origin);
	free(host);
	return true;
}

static void purge(struct timer *t)
{
	struct own_host *host;
	struct list *node, *newer;

	for (node = ages.prev; node != &ages; node = newer) {
		newer = node->prev;
		host = list_entry(node, struct own_host, age);
		if (host->uses)
			continue;
		if (host->since_ms + KEPT_MS > clock_now_ms) {
			timer_set(t, host->since_ms + KEPT_MS);
			return;
		}
		if (!host_free(host))
			timer_set_by(t, clock_now_ms + KEPT_MS);
	}
}

/* The one that was not used for longest. */
static void drop_oldest(void)
{
	struct list *node;

	for (node = ages.prev; node != &ages; node = node->prev) {
		struct own_host *host = list_entry(node, struct own_host, age);

		if (!host->uses && host_free(host))
			return;
	}
}

/* Those that were used last keep theirs. */
static void bound_kept(void)
{
	struct own_host *host;
	unsigned kept = 0;

	list_for_each(host, &ages, age) {
		if (!host->server.proxy)
			continue;
		kept += host->server.idle_count;
		if (kept > KEPT_MOST)
			idle_close_server(&host->server);
	}
}

/* ---- a new one ------------------------------------------------------------------------------ */

static void begin(void)
{
	unsigned i;

	if (ages.next)
		return;
	list_init(&ages);
	for (i = 0; i < BUCKETS; i++)
		list_init(&buckets[i]);
	timer_init(&timer, purge);
}

static void make_server(struct own_host *host, const struct own_target *t)
{
	struct server *s = &host->server;

	*s = *client_conf.proxy->dispatch;
	host->state = *s->state;
	s->proxy = &host->proxy;
	s->state = &host->state;
	list_init(&s->streams);
	list_init(&s->trackers);
	list_init(&s->tracker_node);
	list_init(&s->queue);
	list_init(&s->idle);
	list_init(&s->left);
	s->set.pool_max_conn = KEPT_MOST;
	if (!t->tls)
		return;
	s->tls = client_tls();
	s->particular = true;
}

static void make_proxy(struct own_host *host, const struct own_target *t)
{
	struct proxy *px = &host->proxy;

	*px = *client_conf.proxy;
	list_init(&px->node);
	list_init(&px->binds);
	list_init(&px->switch_rules);
	list_init(&px->streams);
	list_init(&px->queue);
	list_init(&px->uppers);
	px->default_backend = t->backend ? t->backend : px;
	px->dispatch = t->backend ? NULL : &host->server;
	KIND_IS(struct proxy, px);
}

static void make_origin(struct own_host *host)
{
	struct origin *o = &host->origin;

	o->frontend = &host->proxy;
	o->session_vars = &o->vars;
	o->src.family = AF_UNSPEC;
}

/* A Unix socket's path lies with the host. */
static void move_to(struct own_host *host, const struct sockaddr_storage *to, socklen_t len)
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)to;
	struct addr *addr = &host->state.addr;

	addr_from_sockaddr(addr, to, len);
	if (addr->family != AF_UNIX)
		return;
	memcpy(host->path, un->sun_path, len - offsetof(struct sockaddr_un, sun_path));
	if (!host->path[0])
		host->path[0] = '@';
	addr->path = host->path;
}

static struct own_host *host_new(const struct key *key, const struct own_target *t)
{
	struct own_host *host = calloc(1, sizeof(*host) + key->len);

	if (!host)
		return NULL;
	KIND_IS(struct own_host, host);
	host->len = key->len;
	host->name = (struct span){ host->key + key->name, key->len - key->name };
	memcpy(host->key, key->bytes, key->len);
	make_proxy(host, t);
	make_origin(host);
	if (!t->backend)
		make_server(host, t);
	if (t->to_len)
		move_to(host, &t->to, t->to_len);
	list_prepend(bucket_of(key), &host->bucket);
	list_prepend(&ages, &host->age);
	hosts++;
	return host;
}

/* ---- for requests --------------------------------------------------------------------------- */

static struct own_host *host_find(const struct key *key)
{
	struct own_host *host;

	list_for_each(host, bucket_of(key), bucket)
		if (host->len == key->len && !memcmp(host->key, key->bytes, key->len))
			return host;
	return NULL;
}

struct own_host *own_host_take(const struct own_target *target)
{
	struct own_host *host;
	struct key key;

	begin();
	if (!key_make(&key, target))
		return NULL;
	host = host_find(&key);
	if (!host && hosts >= HOSTS_MOST)
		drop_oldest();
	if (!host)
		host = host_new(&key, target);
	if (!host)
		return NULL;
	host->uses++;
	host->origin.accepted_ms = clock_now_ms;
	host->origin.accepted = clock_wall();
	return host;
}

void own_host_give(struct own_host **given)
{
	struct own_host *host = *given;

	*given = NULL;
	host->uses--;
	host->since_ms = clock_now_ms;
	list_remove(&host->age);
	list_prepend(&ages, &host->age);
	bound_kept();
	timer_set_by(&timer, clock_now_ms + KEPT_MS);
}

const struct origin *own_host_origin(const struct own_host *host)
{
	return &host->origin;
}

bool own_host_waits(const struct own_host *host, bool fresh)
{
	return host->server.idle_count && !(fresh && host->since_ms + FRESH_MS <= clock_now_ms);
}

struct span own_host_name(const struct origin *origin, bool *unsaid)
{
	const struct own_host *host = container_of(origin->frontend, const struct own_host, proxy);
	struct span name = host->name;
	struct addr addr;

	/* An address is no name that a server could be asked for (RFC 6066 3), but one that its
	 * certificate is for. A dot at the end is for name servers. */
	*unsaid = dns_literal(host->name, &addr);
	if (name.len > 1 && name.ptr[name.len - 1] == '.')
		name.len--;
	return name;
}

void own_host_move(struct own_host *host, const struct addr *to)
{
	host->state.addr = *to;
}

void own_hosts_end(void)
{
	if (!ages.next)
		return;
	timer_cancel(&timer);
	while (!list_empty(&ages))
		if (!host_free(list_first(&ages, struct own_host, age)))
			return;
}
