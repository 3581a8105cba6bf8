/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers that the program gives itself: the built-in ones, and what all kinds of them are made
 * by. Called by the exchange's steps and by actions. Sends nothing: the exchange does. A reply and
 * all that it points to lies in the exchange's arena, or lives as long as the configuration. */
#include "exchange/reply.h"

#include "base/arena.h"
#include "exchange/answer.h"
#include "exchange/errors.h"
#include "exchange/exchange.h"
#include "http/message.h"
#include "proxy/proxy.h"
#include "stream/stream.h"

enum { FIELDS_AT_FIRST = 8 };

#define LITERAL(s) { s, sizeof(s) - 1 }
#define PAGE(n, phrase, sentence)                                                             \
	LITERAL("<html><body><h1>" #n " " phrase "</h1>\n" sentence "\n</body></html>\n")

static const struct builtin {
	unsigned status, flags;
	struct span reason, body;
} builtins[] = {
#define REPLY(n, phrase, flags, sentence)                                                     \
	{ n, flags, LITERAL(phrase), PAGE(n, phrase, sentence) },
#include "exchange/reply_builtin.def"
#undef REPLY
};
enum { BUILTINS = sizeof(builtins) / sizeof(builtins[0]) };

static const struct builtin *builtin_find(unsigned status)
{
	unsigned i;

	for (i = 0; i < BUILTINS; i++) {
		if (builtins[i].status == status)
			return &builtins[i];
	}
	return NULL;
}

/* -- making ----------------------------------------------------------------------------- */

void reply_add(struct exchange *x, struct reply *reply, struct span name, struct span value)
{
	unsigned n = reply ? reply->field_count : 0;
	struct field *more;

	if (!reply)
		return;
	/* Room is made when the count is 0 or 8, 16, ...: what is there was made here. */
	if (n % FIELDS_AT_FIRST == 0) {
		more = arena_alloc(x->arena, (n + FIELDS_AT_FIRST) * sizeof(*more));
		if (!more)
			return;
		if (n)
			memcpy(more, reply->fields, n * sizeof(*more));
		reply->fields = more;
	}
	reply->fields[n] =
		(struct field){ .name = name, .value = value, .id = (uint8_t)field_id(name) };
	reply->field_count = n + 1;
}

struct reply *reply_new(struct exchange *x, unsigned status, const char *type, struct span body)
{
	struct reply *reply = arena_alloc(x->arena, sizeof(*reply));

	if (!reply)
		return NULL;
	reply->status = status;
	reply->body = body;
	if (body.len)
		reply_add(x, reply, span_of("content-type"), span_of(type ? type : "text/plain"));
	return reply;
}

struct reply *reply_builtin(struct exchange *x, unsigned status)
{
	const struct builtin *b = builtin_find(status);
	struct reply *reply = arena_alloc(x->arena, sizeof(*reply));

	if (!reply)
		return NULL;
	if (!b)
		b = builtin_find(500);
	reply->status = b->status;
	reply->reason = b->reason;
	reply->body = b->body;
	reply->close = b->flags & REPLY_CLOSES;
	reply_add(x, reply, span_of("cache-control"), span_of("no-cache"));
	reply_add(x, reply, span_of("content-type"), span_of("text/html"));
	return reply;
}

/* -- errors ----------------------------------------------------------------------------- */

/* What the configuration says about the status, the backend's word before the frontend's. */
static const struct answer *find_answer(const struct stream *s, unsigned status)
{
	const struct answer *answer = NULL;

	if (s->backend && errors_find(errors_lines(s->backend), status, &answer) && answer)
		return answer;
	return errors_find(errors_lines(s->origin->frontend), status, &answer) ? answer : NULL;
}

struct reply *reply_error(struct exchange *x, unsigned status)
{
	const struct answer *answer = find_answer(x->stream, status);
	struct reply *reply;
	struct view view;

	if (!answer && !errors_handle(status))
		answer = find_answer(x->stream, 400);
	if (!answer)
		return reply_builtin(x, status);
	stream_view(x->stream, &view, NULL);
	reply = answer_make(answer, x, &view);
	if (reply)
		reply->named = status;
	return reply;
}

struct reply *reply_silent(struct exchange *x, unsigned status)
{
	struct reply *reply = arena_alloc(x->arena, sizeof(*reply));

	if (!reply)
		return NULL;
	reply->silent = reply->close = true;
	reply->status = status;
	return reply;
}

const char *reply_challenge(struct arena *arena, const char *realm)
{
	size_t size = 2 * strlen(realm) + 32;
	char *memory = arena_alloc(arena, size);
	struct text t;

	if (!memory)
		return NULL;
	text_init(&t, memory, size);
	text_str(&t, "Basic realm=\"");
	for (; *realm; realm++) {
		if (*realm == '"' || (*realm == '\\' && !realm[1]))
			text_char(&t, '\\');
		else if (*realm == '\\')
			text_char(&t, *realm++);
		text_char(&t, *realm);
	}
	text_char(&t, '"');
	return t.ptr;
}

/* -- no memory -------------------------------------------------------------------------- */

/* What the configuration says of 500, if there is memory for that; else one that needs none. */
struct reply *reply_no_memory(struct exchange *x)
{
	static struct field fields[] = { { .name = LITERAL("cache-control"), .value = LITERAL("no-cache") },
					 { .name = LITERAL("content-type"), .value = LITERAL("text/html") } };
	static struct reply last;
	const struct builtin *b = builtin_find(500);
	struct reply *reply = reply_error(x, 500);
	bool silent = !reply && !x->arena->failed; /* an empty errorfile */

	if (reply && !x->arena->failed)
		return reply;
	x->arena->failed = false;
	last = (struct reply){ .status = b->status, .silent = silent, .reason = b->reason, .body = b->body, .close = true,
			       .fields = fields, .field_count = ARRAY_LEN(fields) };
	return &last;
}
