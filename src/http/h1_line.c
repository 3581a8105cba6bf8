/* SPDX-License-Identifier: BSD-2-Clause */
/* What all lines of a head have in common, where something is not as usual: what is wrong, what an
 * option lets pass, bytes that run out, odd line ends. Called by the other files of
 * http/h1_head.h. */
#include "http/h1_head.h"

enum h1_result h1_bad(struct head *h, const char *at, unsigned status, const char *text)
{
	h->error->status = h->msg->is_response ? 502 : (uint16_t)status;
	h->error->position = (uint32_t)(at - h->bytes);
	h->error->text = text;
	return H1_BAD;
}

enum h1_result h1_pause(struct head *h, enum h1_state state, const char *from, const char *looked)
{
	h->parser->state = (uint8_t)state;
	h->parser->from = (uint32_t)(from - h->bytes);
	h->parser->looked = (uint32_t)(looked - h->bytes);
	return H1_INCOMPLETE;
}

bool h1_tolerate(struct head *h, const char *at)
{
	if (!(h->options & H1_ACCEPT_INVALID))
		return false;
	if (!(h->msg->flags & MSG_INVALID))
		h->parser->invalid = (uint32_t)(at - h->bytes);
	h->msg->flags |= MSG_INVALID;
	return true;
}

enum h1_result h1_odd_line_end(struct head *h, const char **p)
{
	const char *s = *p;

	if (s < h->end && *s == '\n' && h1_has_loose_lines(h)) {
		h1_tolerate(h, s);
		*p = s + 1;
		return H1_DONE;
	}
	if (s < h->end && *s != '\r')
		return h1_bad(h, s, 400, *s == '\n' ? "LF without CR" : "no CRLF behind the line");
	if (h->end - s < 2)
		return H1_INCOMPLETE;
	return h1_bad(h, s + 1, 400, "CR without LF");
}

static void rebase(struct span *span, const char *from, const char *to)
{
	if (span->ptr)
		span->ptr = to + (span->ptr - from);
}

void h1_moved(struct head *h)
{
	const char *from = h->parser->base, *to = h->bytes;
	struct message *msg = h->msg;
	unsigned i;

	rebase(&msg->method_text, from, to);
	rebase(&msg->target, from, to);
	rebase(&msg->reason, from, to);
	rebase(&msg->protocol, from, to);
	rebase(&msg->host, from, to);
	for (i = 0; i < msg->count; i++) {
		rebase(&msg->fields[i].name, from, to);
		rebase(&msg->fields[i].value, from, to);
	}
}
