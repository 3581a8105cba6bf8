/* SPDX-License-Identifier: BSD-2-Clause */
/* Which connections rest (tls/rest.h). A list has those that do not, used last at its end; one timer
 * looks at its beginning. Only the SSL itself is folded: nothing but a call for this connection
 * looks into it, and each begins in conn.c; what hangs at it is shared with others. Where OpenSSL
 * does not use our memory nothing ever rests. */
#include "tls/rest.h"

#include "base/bug.h"
#include "event/timer.h"
#include "tls/fold.h"
#include "tls/memory.h"

enum { REST_TURN = 256 }; /* in one turn of the loop: half a millisecond */

unsigned tls_rest_ms = 5000;

static struct list awake = LIST_INIT(awake);
static void rest_timer(struct timer *timer);
static struct timer timer = { .fire = rest_timer };

static void rest_arm(void)
{
	const struct tls_conn *first = list_first(&awake, struct tls_conn, rest);

	if (!list_empty(&awake))
		timer_set(&timer, clock_now_ms + 1 + tls_rest_ms -
				  ((uint32_t)clock_now_ms - first->used_ms));
}

static void rest_append(struct tls_conn *t)
{
	t->used_ms = (uint32_t)clock_now_ms;
	list_append(&awake, &t->rest);
	if (!timer_armed(&timer))
		rest_arm();
}

static void rest_timer(struct timer *fired)
{
	struct tls_conn *t;
	unsigned n;

	(void)fired;
	for (n = 0; n < REST_TURN && !list_empty(&awake); n++) {
		t = list_first(&awake, struct tls_conn, rest);
		if ((uint32_t)clock_now_ms - t->used_ms < tls_rest_ms)
			break;
		list_remove(&t->rest);
		t->folded = tls_fold(t->ssl);
		tls_stats.resting += t->folded != NULL;
	}
	if (n < REST_TURN)
		rest_arm();
	else
		timer_set(&timer, clock_now_ms + 1);
}

void tls_rest_begin(struct tls_conn *t)
{
	list_init(&t->rest);
	t->used_ms = (uint32_t)clock_now_ms;
	if (tls_memory_started)
		rest_append(t);
}

void tls_rest_wake(struct tls_conn *t)
{
	tls_unfold(t->ssl, &t->folded);
	tls_stats.resting--;
	rest_append(t);
}

void tls_rest_later(struct tls_conn *t)
{
	list_remove(&t->rest);
	tls_rest_begin(t);
}

void tls_rest_end(struct tls_conn *t)
{
	BUG_ON(t->folded);
	list_remove(&t->rest);
	if (list_empty(&awake))
		timer_cancel(&timer);
}
