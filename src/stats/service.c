/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server end of a stream that asks for the stats page or the metrics: takes the body of a POST,
 * answers with a head, and says the body piece by piece, one piece of buffer a turn, so that a
 * page of ten thousand servers holds nobody up. Changes are made by a task, never from inside a
 * pump's run. Opened by page_access.c.
 */
#include "stats/service_end.h"

#include "base/arena.h"
#include "base/kind.h"
#include "base/pool.h"
#include "event/loop.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "relay/pump.h"
#include "stats/form.h"
#include "stats/html_page.h"
#include "stats/metrics.h"
#include "stats/report.h"
#include "stats/stat_say.h"
#include "stream/stream.h"

enum { SERVICE_PIECE = 16384 }; /* bytes a turn */

struct service {
	uint16_t flags;          /* CONN_* readiness, as the pumps see it */
	struct framing framing;
	struct end *end;
	struct arena *arena;     /* of the exchange */
	struct task task;
	struct reap reap;
	struct page_request req; /* page NULL: metrics */
	bool post, head;         /* the method */
	bool complete;           /* the request is here */
	bool answered;           /* the head of the answer has left */
	bool too_long;           /* the body does not fit */
	const char *result;      /* of the changes */
	size_t body;             /* bytes of the request's body, in report.piece */
	struct report report;
	union {
		struct html html;
		struct stat_teller teller;
		struct metrics metrics;
	};
	KIND_MEMBER
};

static struct pool service_pool = POOL_INIT("stats", sizeof(struct service));

/* -- what is said ---------------------------------------------------------------------------- */

static bool say_html(void *state, struct text *out, bool resumed)
{
	return html_say(state, out, resumed);
}

static bool say_metrics(void *state, struct text *out, bool resumed)
{
	return metrics_say(state, out, resumed);
}

static bool say_rows(void *state, struct text *out, bool resumed)
{
	struct stat_teller *teller = state;

	if (resumed)
		stat_scan_resume(&teller->scan);
	return stat_say(teller, out);
}

static bool say_schema(void *state, struct text *out, bool resumed)
{
	(void)state;
	(void)resumed;
	stat_say_schema(out);
	return false;
}

static bool say_nothing(void *state, struct text *out, bool resumed)
{
	(void)state;
	(void)out;
	(void)resumed;
	return false;
}

static void service_begin_rows(struct service *s)
{
	static const enum stat_form forms[] = {
		[PAGE_CSV] = STAT_CSV, [PAGE_TYPED] = STAT_TYPED, [PAGE_JSON] = STAT_JSON,
	};

	s->teller = (struct stat_teller){ .form = forms[s->req.form] };
	stat_scan_init(&s->teller.scan);
	s->teller.scan.options = s->req.options;
	s->teller.scan.wants = page_shows;
	s->teller.scan.arg = &s->req;
	report_init(&s->report, say_rows, &s->teller);
}

static void service_begin(struct service *s)
{
	streams_count_bytes();
	if (s->result) {
		report_init(&s->report, say_nothing, NULL);
	} else if (!s->req.page) {
		report_init(&s->report, say_metrics, &s->metrics);
	} else if (s->req.form == PAGE_SCHEMA) {
		report_init(&s->report, say_schema, NULL);
	} else if (s->req.form == PAGE_HTML) {
		html_init(&s->html, &s->req);
		report_init(&s->report, say_html, &s->html);
	} else {
		service_begin_rows(s);
	}
}

/* -- the request ----------------------------------------------------------------------------- */

/* It can be answered: not from inside the pump that has brought the request. */
static void service_task(struct task *task)
{
	struct service *s = container_of(task, struct service, task);

	if (!s->end)
		return;
	if (s->complete && !s->answered && s->post && !s->result)
		s->result = s->too_long ? "EXCD" : page_change(&s->req, s->report.piece, s->body);
	s->flags |= CONN_READABLE;
	end_ready(s->end);
}

static enum io service_head_out(struct end *end, struct message *msg)
{
	if (msg->framing == BODY_CHUNKED)
		end_decode(end_peer(end));
	return IO_OK;
}

static enum io service_send(struct end *end, const void *buf, size_t len, bool more, size_t *sent)
{
	struct service *s = KIND_OF(struct service, end_applet(end));
	size_t room = sizeof(s->report.piece) - s->body;

	(void)more;
	*sent = len;
	if (len > room)
		s->too_long = true;
	else if (s->post)
		memcpy(s->report.piece + s->body, buf, len);
	if (s->post && !s->too_long)
		s->body += len;
	return IO_OK;
}

static void service_finish(struct end *end)
{
	struct service *s = KIND_OF(struct service, end_applet(end));

	s->complete = true;
	task_wake(&s->task);
}

/* -- the response's head --------------------------------------------------------------------- */

static bool service_field(struct service *s, struct message *msg, const char *name,
			  const char *value)
{
	return value && message_add(msg, s->arena, span_of(name), span_of(value));
}

/* The page itself says it where scripts do not run: what was ticked is not to be lost. */
static bool service_say_refresh(struct service *s, struct message *msg)
{
	unsigned seconds = (s->req.page->refresh_ms + 999) / 1000;

	if (!seconds || s->req.norefresh || s->req.form == PAGE_HTML)
		return true;
	return service_field(s, msg, "refresh", arena_printf(s->arena, "%u", seconds));
}

static bool service_say_policy(struct service *s, struct message *msg)
{
	char memory[512];
	struct text t;

	if (s->req.form != PAGE_HTML)
		return true;
	text_init(&t, memory, sizeof(memory));
	html_say_policy(&s->req, &t);
	return service_field(s, msg, "content-security-policy", arena_strdup(s->arena, memory)) &&
	       service_field(s, msg, "referrer-policy", "same-origin");
}

static const char *service_type(const struct service *s)
{
	if (!s->req.page)
		return "text/plain; version=0.0.4";
	switch (s->req.form) {
	case PAGE_HTML:
		return "text/html; charset=utf-8";
	case PAGE_JSON:
	case PAGE_SCHEMA:
		return "application/json";
	default:
		return "text/plain";
	}
}

/* After a change the browser asks for the page that tells of it. */
static bool service_say_redirect(struct service *s, struct message *msg)
{
	return service_field(s, msg, "cache-control", "no-cache") &&
	       service_field(s, msg, "content-type", "text/plain") &&
	       service_field(s, msg, "content-length", "0") &&
	       service_field(s, msg, "location",
			     page_result_location(&s->req, s->result, s->arena));
}

static bool service_say_answer(struct service *s, struct message *msg)
{
	return service_field(s, msg, "cache-control", "no-cache") &&
	       service_field(s, msg, "content-type", service_type(s)) &&
	       service_field(s, msg, "x-content-type-options", "nosniff") &&
	       (!s->req.page || (service_say_refresh(s, msg) && service_say_policy(s, msg)));
}

static enum io service_head_in(struct end *end, struct message *msg)
{
	struct service *s = KIND_OF(struct service, end_applet(end));
	bool ok;

	if (!s->complete || (s->post && !s->result))
		return IO_AGAIN;
	message_init(msg, true, msg->fields, msg->max);
	msg->major = msg->minor = 1;
	msg->flags |= MSG_KEEP_ALIVE;
	message_set_status(msg, s->result ? 303 : 200, (struct span){ NULL, 0 });
	msg->framing = s->result ? BODY_LENGTH : s->head ? BODY_NONE : BODY_CLOSE;
	ok = s->result ? service_say_redirect(s, msg) : service_say_answer(s, msg);
	s->answered = true;
	s->framing.ended = msg->framing != BODY_CLOSE;
	service_begin(s);
	return ok ? IO_OK : IO_ERR;
}

/* -- the response's body --------------------------------------------------------------------- */

static enum io service_recv(struct end *end, void *buf, size_t size, size_t *got)
{
	struct service *s = KIND_OF(struct service, end_applet(end));

	*got = 0;
	if (s->framing.ended)
		return IO_EOF;
	/* The rest in another turn. */
	if (!(s->flags & CONN_READABLE))
		return IO_AGAIN;
	s->flags &= (uint16_t)~CONN_READABLE;
	*got = report_fill(&s->report, buf, size < SERVICE_PIECE ? size : SERVICE_PIECE);
	s->framing.ended = !*got && s->report.done;
	if (s->framing.ended)
		return IO_EOF;
	task_wake(&s->task);
	return *got ? IO_OK : IO_AGAIN;
}

static void service_free(struct reap *reap)
{
	struct service *s = container_of(reap, struct service, reap);

	pool_give(&service_pool, &s);
}

static void service_close(struct end *end, bool reset)
{
	struct service *s = KIND_OF(struct service, end_applet(end));

	(void)reset;
	s->end = NULL;
	task_cancel(&s->task);
	loop_reap(&s->reap, service_free);
}

static const struct message_ops service_ops = {
	.end = {
		.name = "stats",
		.recv = service_recv,
		.send = service_send,
		.finish = service_finish,
		.close = service_close,
	},
	.head_in = service_head_in,
	.head_out = service_head_out,
};

static struct service *service_new(struct end *end, struct arena *arena, enum method method)
{
	struct service *s = pool_take_raw(&service_pool);

	if (!s)
		return NULL;
	KIND_IS(struct service, s);
	s->flags = CONN_WRITABLE;
	s->framing = (struct framing){ .passable = UINT64_MAX };
	s->end = end;
	s->arena = arena;
	s->head = method == METHOD_HEAD;
	s->post = s->complete = s->answered = s->too_long = false;
	s->result = NULL;
	s->body = 0;
	task_init(&s->task, service_task);
	end_set_applet(end, &service_ops.end, s, &s->flags, &s->framing);
	return s;
}

int service_open_page(struct end *end, struct arena *arena, enum method method,
		      const struct page_request *req)
{
	struct service *s = service_new(end, arena, method);

	if (!s)
		return -1;
	s->req = *req;
	s->post = method == METHOD_POST;
	return 0;
}

int service_open_metrics(struct end *end, struct arena *arena, enum method method,
			 const struct metrics *metrics)
{
	struct service *s = service_new(end, arena, method);

	if (!s)
		return -1;
	s->req.page = NULL;
	s->metrics = *metrics;
	return 0;
}
