/* SPDX-License-Identifier: BSD-2-Clause */
/* "httpclient": sends a request, and shows the answer; for finding out what scripts would get. In
 * expert mode, for administrators: it reaches whatever the program reaches. */
#include "cli/tables.h"

#include "base/bug.h"
#include "cli/modes.h"
#include "client/own_request.h"
#include "client/client_conf.h"
#include "http/message.h"
#include "http/uri.h"

#include <stdio.h>
#include <stdlib.h>

struct client_state {
	struct own_request own;
	char *url, *request, *head; /* head: of the answer, as it is shown */
	struct span rest;           /* to be shown before it goes on */
};

static void client_ready(struct own_request *own)
{
	struct cli_call *call = own->owner;

	cli_wake(call->cli);
}

static char *client_request(struct span method, const struct uri *uri)
{
	bool query = uri->query.ptr != NULL;
	char *text;
	int n = asprintf(&text,
			 "%.*s %.*s%s%.*s HTTP/1.1\r\nhost: %.*s\r\naccept: */*\r\n"
			 "user-agent: HAProxy\r\n\r\n",
			 (int)method.len, method.ptr, uri->path.len ? (int)uri->path.len : 1,
			 uri->path.len ? uri->path.ptr : "/", query ? "?" : "",
			 query ? (int)uri->query.len : 0, query ? uri->query.ptr : "",
			 (int)uri->authority.len, uri->authority.ptr);

	return n < 0 ? NULL : text;
}

static int client_start(struct cli_call *call, struct err *err)
{
	struct client_state *st = CLI_STATE_OF(struct client_state, call);
	enum method method = method_find(span_of(cli_arg(call, 0)));
	struct own_target target;
	struct own_words words;
	const char *wrong;
	struct uri uri;

	if (!*cli_arg(call, 1))
		return err_set(err, "Can't start the HTTP client: not enough parameters.");
	if (!client_is_on())
		return err_set(err, "Can't start the HTTP client: no script and no word httpclient.* "
			       "of the configuration asks for it.");
	if (method == METHOD_OTHER || method == METHOD_CONNECT)
		return err_set(err, "Can't start the HTTP client: it does not know the method.");
	st->url = strdup(cli_arg(call, 1));
	if (!st->url)
		return err_set(err, "Out of memory.");
	wrong = own_url(span_of(st->url), &uri, &target);
	if (!wrong && target.tls)
		wrong = client_tls_off();
	if (wrong)
		return err_set(err, "Can't start the HTTP client: %s.", wrong);
	st->request = client_request(method_span(method), &uri);
	if (!st->request)
		return err_set(err, "Out of memory.");
	st->own.owner = call;
	st->own.ready = client_ready;
	words = (struct own_words){ .method = method, .head = span_of(st->request) };
	own_request_begin(&st->own, &target, &words, (struct own_limits){ 0 });
	return 0;
}

/* The first line as people read it, fields as they came. */
static bool show_head(struct client_state *st, const struct message *msg)
{
	size_t size = message_size(msg) + 64;
	struct text t;
	unsigned i;

	st->head = malloc(size);
	if (!st->head)
		return false;
	text_init(&t, st->head, size);
	text_printf(&t, "HTTP/%u.%u %u ", msg->major, msg->minor, msg->status);
	text_add(&t, msg->reason.ptr, msg->reason.len);
	text_char(&t, '\n');
	for (i = 0; i < msg->count; i++) {
		if (!msg->fields[i].name.ptr)
			continue;
		text_add(&t, msg->fields[i].name.ptr, msg->fields[i].name.len);
		text_str(&t, ": ");
		text_add(&t, msg->fields[i].value.ptr, msg->fields[i].value.len);
		text_str(&t, "\r\n");
	}
	text_str(&t, "\r\n");
	st->rest = (struct span){ t.ptr, t.len };
	return true;
}

static void show_fault(struct cli_call *call, const struct own_request *own)
{
	static const struct {
		unsigned status;
		const char *reason, *text;
	} replies[] = {
#define REPLY(n, phrase, flags, sentence) { n, phrase, sentence },
#include "exchange/reply_builtin.def"
#undef REPLY
	};
	unsigned status = own_status(own->fault), i = 0;
	char body[512];
	struct text t;

	while (replies[i].status != status)
		i++;
	text_init(&t, body, sizeof(body));
	text_printf(&t, "<html><body><h1>%u %s</h1>\n%s\n</body></html>\n", status, replies[i].reason,
		    own->fault == OWN_UNSAID ? own->why : replies[i].text);
	text_printf(call->out, "HTTP/1.1 %u %s\ncontent-length: %zu\r\ncache-control: no-cache\r\n"
		    "content-type: text/html\r\n\r\n%s", status, replies[i].reason, t.len, body);
}

/* Who reads half an answer is told so. */
static void show_missing(struct cli_call *call, const struct client_state *st)
{
	if (!st->head) {
		show_fault(call, &st->own);
		return;
	}
	text_char(call->out, '\n');
	cli_say(call, LOG_L_ERR, "The rest of the answer has not come from the server: %s.",
		st->own.why);
}

/* As much of what is to be shown as there is room for. */
static void show_rest(struct client_state *st, struct text *out, size_t begin)
{
	size_t n = CLI_PIECE - (out->len - begin);

	if (n > st->rest.len)
		n = st->rest.len;
	text_add(out, st->rest.ptr, n);
	st->rest.ptr += n;
	st->rest.len -= n;
}

static enum cli_step client_next(struct cli_call *call)
{
	struct client_state *st = CLI_STATE_OF(struct client_state, call);
	size_t begin = call->out->len;

	for (;;) {
		if (st->rest.len)
			show_rest(st, call->out, begin);
		if (call->out->len - begin >= CLI_PIECE / 2)
			return CLI_MORE;
		switch (own_request_go(&st->own)) {
		case OWN_WAITS:
			return CLI_WAIT;
		case OWN_HEAD:
			if (show_head(st, &st->own.msg))
				break;
			cli_say(call, LOG_L_ERR, "Out of memory.");
			return CLI_END;
		case OWN_PIECE:
			st->rest = st->own.piece;
			break;
		case OWN_DONE:
			return CLI_END;
		case OWN_FAILED:
			show_missing(call, st);
			return CLI_END;
		}
	}
}

static void client_end(struct cli_call *call)
{
	struct client_state *st = CLI_STATE_OF(struct client_state, call);

	if (!st)
		return;
	own_request_end(&st->own);
	free(st->url);
	free(st->request);
	free(st->head);
}

const struct cli_command cli_httpclient_commands[] = {
	{ .words = "httpclient", .args = "<method> <URI>", .level = LEVEL_ADMIN, .flags = CLI_EXPERT,
	  .start = client_start, .next = client_next, .end = client_end,
	  CLI_STATE(struct client_state), .help = "launch an HTTP request" },
	{ .words = NULL },
};
