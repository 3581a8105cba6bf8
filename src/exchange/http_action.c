/* SPDX-License-Identifier: BSD-2-Clause */
/* What the actions of HTTP rules have in common (exchange/http_action.h); texts are in
 * rule_text.c. */
#include "exchange/http_action.h"

#include "base/arena.h"
#include "exchange/exchange.h"
#include "http/chars.h"
#include "http/message.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"

struct exchange *action_exchange(const struct view *view)
{
	return stream_exchange(view->stream);
}

struct message *action_message(const struct rule *rule, const struct view *view)
{
	return rule->where & AT_RESPONSE ? view->http->response : view->http->request;
}

void action_count_failed(struct exchange *x)
{
	struct stream *s = x->stream;

	s->origin->frontend->fe->counters.failed_rewrites++;
	origin_counters(s->origin)->failed_rewrites++;
	if (s->backend)
		s->backend->be->counters.failed_rewrites++;
	if (s->server)
		s->server->tally->counters.failed_rewrites++;
}

enum action_result action_rewrite_failed(struct view *view)
{
	struct exchange *x = action_exchange(view);

	if (x->arena->failed)
		return ACTION_ERROR;
	action_count_failed(x);
	x->unwritten = !x->lenient;
	return x->lenient ? ACTION_NEXT : ACTION_ERROR;
}

/* What editing has added is known; to measure costs a look at each field. */
bool action_fits(const struct message *msg, size_t more)
{
	size_t most = buffer_size();

	return (size_t)msg->head_len + msg->grown + more <= most ||
	       message_size(msg) + more <= most;
}

bool action_name_frames(struct span name)
{
	enum field_id id = field_id(name);

	return id == FIELD_CONTENT_LENGTH || id == FIELD_TRANSFER_ENCODING;
}

int action_field_name(struct statement *st, struct span *name)
{
	const char *word = stmt_need(st, "the name of a header");

	if (!word)
		return -1;
	*name = span_of(word);
	if (!span_is_token(*name)) {
		stmt_error(st, st->at - 1, "'%s' is no name of a header", word);
		if (name->len > 1 && word[name->len - 1] == ':')
			stmt_hint(st, "the colon is not part of it");
		else if (*word != ':' && strchr(word, ':'))
			stmt_hint(st, "name and value are two words: '%.*s' and '%s'",
				  (int)strcspn(word, ":"), word,
				  strchr(word, ':') + 1 + strspn(strchr(word, ':') + 1, " "));
		return -1;
	}
	if (action_name_frames(*name))
		stmt_warning(st, st->at - 1, "this rule does nothing: '%s' tells where a message "
			     "ends, which rules do not change", word);
	return 0;
}
