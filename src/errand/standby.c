/* SPDX-License-Identifier: BSD-2-Clause */
/* Called by errand.c. A connection stands under the words that name its server, so that one to a name
 * needs no lookup. Whatever comes from the server while it waits ends it. The newest is taken first. */
#include "errand/standby.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/kind.h"
#include "errand/errand.h"
#include "event/timer.h"
#include "net/conn.h"
#include "tls/client.h"
#include "tls/conn.h"

#include <stdlib.h>

enum { STANDBY_MOST = 256, STANDBY_MS = 5000, FRESH_MS = 1000, BUCKETS = 64,
       KEY_MOST = 8 + TLS_NAME_MOST + sizeof(struct sockaddr_storage) };

struct standby {
	KIND_MEMBER
	struct list bucket, age; /* in both the newest in front */
	struct conn *conn;
	uint64_t since_ms;
	size_t len;
	char key[];
};

struct key {
	size_t len;
	char bytes[KEY_MOST];
};

static struct list buckets[BUCKETS], ages;
static unsigned count;
static struct timer timer;

/* ---- keys ----------------------------------------------------------------------------------- */

static void key_add(struct key *key, const void *bytes, size_t len)
{
	memcpy(key->bytes + key->len, bytes, len);
	key->len += len;
}

/* False: it has none. */
static bool key_make(struct key *key, const struct errand_target *t)
{
	const unsigned char tls = t->tls;

	key->len = 0;
	if (t->host.len > TLS_NAME_MOST)
		return false;
	key_add(key, &tls, sizeof(tls));
	key_add(key, &t->port, sizeof(t->port));
	if (t->to_len)
		key_add(key, &t->to, t->to_len);
	key_add(key, t->host.ptr, t->host.len);
	return true;
}

static struct list *bucket_of(const struct key *key)
{
	return &buckets[hash_wt6(key->bytes, key->len) % BUCKETS];
}

/* ---- one that waits ------------------------------------------------------------------------- */

static struct conn *standby_leave(struct standby *k)
{
	struct conn *conn = k->conn;

	list_remove(&k->bucket);
	list_remove(&k->age);
	count--;
	free(k);
	return conn;
}

static void standby_close(struct standby *k)
{
	struct conn *conn = standby_leave(k);

	conn_close(&conn, false);
}

/* TLS says things that are not for us: tickets. */
static void standby_ready(struct conn *conn)
{
	if (conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR | CONN_BROKEN) || !conn_is_quiet(conn))
		standby_close(KIND_OF(struct standby, conn->owner));
}

static void purge(struct timer *t)
{
	while (count) {
		struct standby *oldest = list_entry(ages.prev, struct standby, age);

		if (oldest->since_ms + STANDBY_MS > clock_now_ms) {
			timer_set(t, oldest->since_ms + STANDBY_MS);
			return;
		}
		standby_close(oldest);
	}
}

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

void standby_give(const struct errand_target *target, struct conn **conn)
{
	struct key key;
	struct standby *k = key_make(&key, target) ? malloc(sizeof(*k) + key.len) : NULL;

	if (!k) {
		conn_close(conn, false);
		return;
	}
	begin();
	if (count == STANDBY_MOST)
		standby_close(list_entry(ages.prev, struct standby, age));
	k->conn = *conn;
	k->since_ms = clock_now_ms;
	k->len = key.len;
	memcpy(k->key, key.bytes, key.len);
	*conn = NULL;
	KIND_IS(struct standby, k);
	k->conn->owner = k;
	k->conn->ready = standby_ready;
	list_prepend(bucket_of(&key), &k->bucket);
	list_prepend(&ages, &k->age);
	count++;
	timer_set_by(&timer, k->since_ms + STANDBY_MS);
}

static bool standby_is_good(const struct standby *k)
{
	return !(k->conn->flags & (CONN_RDHUP | CONN_HUP | CONN_ERROR | CONN_BROKEN)) &&
	       tls_client_is_current(k->conn) && conn_is_quiet(k->conn);
}

struct conn *standby_take(const struct errand_target *target, bool fresh)
{
	struct standby *k, *next;
	struct key key;

	if (!count || !key_make(&key, target))
		return NULL;
	list_for_each_safe(k, next, bucket_of(&key), bucket) {
		if (k->len != key.len || memcmp(k->key, key.bytes, key.len))
			continue;
		if (fresh && k->since_ms + FRESH_MS <= clock_now_ms)
			return NULL; /* the others are older */
		if (standby_is_good(k))
			return standby_leave(k);
		standby_close(k);
	}
	return NULL;
}

void standby_close_all(void)
{
	while (count)
		standby_close(list_entry(ages.prev, struct standby, age));
	if (ages.next)
		timer_cancel(&timer);
}
