/* SPDX-License-Identifier: BSD-2-Clause */
/* Fake clients of streams of bytes for tests (exchange/test_bytes.h). */
#include "exchange/test_bytes.h"

#include "base/clock.h"
#include "relay/end.h"
#include "stream/stream.h"
#include "stream/timeouts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <string.h>

static enum io client_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct bytes_client *c = end_applet(end);

	*got = !c->says ? 0 : c->says_len ? c->says_len : strlen(c->says);
	c->flags &= (uint16_t)~CONN_READABLE;
	if (c->flags & CONN_ERROR)
		return IO_ERR;
	if (!c->says)
		return c->flags & CONN_RDHUP ? IO_EOF : IO_AGAIN;
	assert_true(*got < size);
	memcpy(buf, c->says, *got);
	c->says = NULL;
	c->says_len = 0;
	if (c->flags & CONN_RDHUP)
		c->flags |= CONN_READABLE;
	return IO_OK;
}

static enum io client_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct bytes_client *c = end_applet(end);

	(void)more;
	*sent = 0;
	if (c->flags & CONN_ERROR)
		return IO_ERR;
	if (c->takes_nothing) {
		c->flags &= (uint16_t)~CONN_WRITABLE;
		return IO_AGAIN;
	}
	assert_true(c->len + len < sizeof(c->got));
	memcpy(c->got + c->len, buf, len);
	c->len += len;
	*sent = len;
	return IO_OK;
}

static void client_finish(struct end *end)
{
	struct bytes_client *c = end_applet(end);

	c->finished = true;
}

static void client_close(struct end *end, bool reset)
{
	struct bytes_client *c = end_applet(end);

	c->reset = reset;
	c->end = NULL;
}

static const struct end_ops client_ops = {
	.name = "test",
	.recv = client_recv,
	.send = client_send,
	.finish = client_finish,
	.close = client_close,
};

static bool client_lend(struct origin *origin, struct end *end, struct buf **held)
{
	struct bytes_client *c = container_of(origin, struct bytes_client, origin);

	(void)held;
	c->end = end;
	c->stream = stream_of(container_of(end, struct relay, client));
	c->flags = CONN_WRITABLE | (c->says ? CONN_READABLE : 0);
	end_set_applet(end, &client_ops, c, &c->flags, NULL);
	return true;
}

static void client_ended(struct origin *origin)
{
	(void)origin;
}

static const struct carrier_ops client_carrier = {
	.name = "test", .lend = client_lend, .ended = client_ended,
};

static void client_expired(struct timer *timer)
{
	struct bytes_client *c = container_of(timer, struct bytes_client, timer);

	if (c->end)
		stream_timer(c->stream);
}

void bytes_open(struct bytes_client *c, struct proxy *frontend, const char *says)
{
	bytes_open_with(c, frontend, says, 0);
}

void bytes_open_with(struct bytes_client *c, struct proxy *frontend, const char *says, size_t len)
{
	*c = (struct bytes_client){
		.origin = { .carrier = &client_carrier, .frontend = frontend,
			    .accepted_ms = clock_now_ms, .accepted = clock_wall() },
		.says = says, .says_len = len,
	};
	c->origin.session_vars = &c->origin.vars;
	c->origin.src.family = AF_UNSPEC;
	timer_init(&c->timer, client_expired);
	assert_true(stream_start(&c->origin, &c->timer));
}

void bytes_say(struct bytes_client *c, const char *says)
{
	assert_null(c->says);
	c->says = says;
	c->flags |= CONN_READABLE;
	end_ready(c->end);
}

void bytes_finish(struct bytes_client *c)
{
	c->flags |= CONN_READABLE | CONN_RDHUP;
	end_ready(c->end);
}

void bytes_break_off(struct bytes_client *c)
{
	c->flags |= CONN_READABLE | CONN_WRITABLE | CONN_RDHUP | CONN_HUP | CONN_ERROR;
	end_ready(c->end);
}

void bytes_free(struct bytes_client *c)
{
	assert_null(c->end);
	timer_cancel(&c->timer);
	origin_free(&c->origin);
}
