/* SPDX-License-Identifier: BSD-2-Clause */
/* Which connections are folded (tls/silence.h). A list has those that do not, used last at its end;
 * one timer looks at its beginning. Only the SSL itself is folded: nothing but a call for this
 * connection looks into it, and each begins in layer_ops.c; what hangs at it is shared with others.
 * Where OpenSSL does not use our memory nothing ever is. */
#include "tls/silence.h"

#include "base/bug.h"
#include "event/timer.h"
#include "tls/fold.h"
#include "tls/memory.h"
#include "tls/tune.h"

enum { FOLDS_TURN = 256 }; /* in one turn of the loop: half a millisecond */

static struct list awake = LIST_INIT(awake);
static void silence_timer(struct timer *timer);
static struct timer timer = { .fire = silence_timer };

static void silence_arm(void)
{
	const struct tls_conn *first = list_first(&awake, struct tls_conn, by_use);

	if (!list_empty(&awake))
		timer_set(&timer, clock_now_ms + 1 + tls_tune.silence_ms -
				  ((uint32_t)clock_now_ms - first->used_ms));
}

static void silence_append(struct tls_conn *t)
{
	t->used_ms = (uint32_t)clock_now_ms;
	list_append(&awake, &t->by_use);
	if (!timer_armed(&timer))
		silence_arm();
}

static void silence_timer(struct timer *fired)
{
	struct tls_conn *t;
	unsigned n;

	(void)fired;
	for (n = 0; n < FOLDS_TURN && !list_empty(&awake); n++) {
		t = list_first(&awake, struct tls_conn, by_use);
		if ((uint32_t)clock_now_ms - t->used_ms < tls_tune.silence_ms)
			break;
		list_remove(&t->by_use);
		t->folded = tls_fold(t->ssl);
		tls_stats.folded += t->folded != NULL;
	}
	if (n < FOLDS_TURN)
		silence_arm();
	else
		timer_set(&timer, clock_now_ms + 1);
}

void tls_silence_begin(struct tls_conn *t)
{
	list_init(&t->by_use);
	t->used_ms = (uint32_t)clock_now_ms;
	if (tls_memory_started)
		silence_append(t);
}

void tls_silence_wake(struct tls_conn *t)
{
	tls_unfold(t->ssl, &t->folded);
	tls_stats.folded--;
	silence_append(t);
}

void tls_silence_later(struct tls_conn *t)
{
	list_remove(&t->by_use);
	tls_silence_begin(t);
}

void tls_silence_end(struct tls_conn *t)
{
	BUG_ON(t->folded);
	list_remove(&t->by_use);
	if (list_empty(&awake))
		timer_cancel(&timer);
}
