/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The field lines of a head of HTTP/1 (RFC 9112 5), as http/h1_head.h has them: behind a start line
 * (h1_parse.c), or alone, as a CGI program answers. One pass over the bytes; when they run out the
 * parser remembers where, and goes on there. What a field means is checked in h1_check.c as soon as
 * its line is complete.
 */
#include "http/h1_head.h"

#include "http/chars.h"
#include "http/scan.h"

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The name has ended with something that is no colon: *q moves on to it when that is let pass. */
COLD static enum h1_result bad_name(struct head *h, const char *s, const char **q)
{
	if (**q == ':')
		return h1_bad(h, *q, 400, "a field without a name");
	if (*q == s && char_is(*s, CHAR_BLANK))
		return h1_bad(h, s, 400, "a folded line");
	if (**q == '\n')
		return h1_bad(h, *q, 400, "LF without CR");
	if (char_is(**q, CHAR_CTL) || !h1_tolerate(h, *q)) {
		if (char_is(**q, CHAR_BLANK))
			return h1_bad(h, *q, 400, "a blank in front of the colon");
		return h1_bad(h, *q, 400, "a character that a field's name must not have");
	}
	++*q;
	return H1_DONE;
}

static void trim_blanks(const char **from, const char **to)
{
	while (*from < *to && is_blank(**from))
		++*from;
	while (*to > *from && is_blank((*to)[-1]))
		--*to;
}

/* RFC 9112 5.2: each line end within a folded value is read as blanks. */
COLD static void unfold(struct head *h, const char *from, const char *to)
{
	char *p = (char *)h->bytes + (from - h->bytes), *end = p + (to - from);

	for (; p < end; p++)
		if (*p == '\r' || *p == '\n')
			*p = ' ';
	h->parser->folded = false;
}

/* The line has ended at line, and the next one begins at next. By option it may go on there; so
 * that has to be seen, too. */
COLD static enum h1_result look_for_fold(struct head *h, const char *line, const char *next, bool *folded)
{
	*folded = false;
	if (next == h->end)
		return H1_INCOMPLETE;
	if (is_blank(*next)) {
		h1_tolerate(h, line);
		*folded = h->parser->folded = true;
	}
	return H1_DONE;
}

/* The line that begins at s has no place. If it gets one, it is looked at once more. */
COLD static enum h1_result no_room(struct head *h, const char *s)
{
	if (h->msg->max >= h->msg->most)
		return h1_bad(h, s, 400, "too many fields (tune.http.maxhdr)");
	h1_pause(h, AT_NAME, s, s);
	return H1_FULL;
}

/* The line ends at line, with CRLF or, by option, with LF. */
static enum h1_result add_field(struct head *h, const char *s, const char *colon, const char *line)
{
	const char *value = colon + 1, *end = line;
	struct message *msg = h->msg;
	struct field *f;
	bool usual;

	if (unlikely(msg->count == msg->max))
		return no_room(h, s);
	if (unlikely(h->parser->folded))
		unfold(h, value, end);
	/* Nearly always one blank in front and none behind, which is seen without a loop. Nothing but
	 * blanks and the line's end, which ends a value of no bytes, is below '!'. */
	usual = *value == ' ' && (uint8_t)value[1] > ' ' && (uint8_t)end[-1] > ' ' &&
		likely(*line == '\r');
	if (likely(usual))
		value++;
	else
		trim_blanks(&value, &end);
	f = &msg->fields[msg->count++];
	f->name = span_between(s, colon);
	f->value = span_between(value, end);
	f->id = (uint8_t)field_id(f->name);
	f->hop = f->settled = false;
	f->line = usual;
	if (unlikely(!usual))
		h->parser->odd = true;
	if (likely((!f->id && !(msg->flags & MSG_INVALID)) || f->id > FIELD_HTTP2_SETTINGS))
		return H1_DONE;
	return h1_check_field(h, f);
}

enum h1_result h1_field_lines(struct head *h, const char **at, const char **behind)
{
	const char *s = *at, *q = s, *end = h->end, *colon = NULL;
	bool folded = false;
	enum h1_result r;

	if (h->parser->state >= AT_NAME) {
		s = h->bytes + h->parser->from;
		q = h->bytes + h->parser->looked;
	}
	if (h->parser->state == AT_VALUE)
		colon = h->bytes + h->parser->colon;
	for (;;) {
		while (!colon) {
			if (likely(q < end && *q != '\r'))
				q = scan_token(q, end);
			if (q == end)
				return h1_pause(h, AT_NAME, s, q);
			if (*q == ':' && q > s) {
				colon = q++;
			} else if ((*q == '\r' || *q == '\n') && q == s) {
				*at = *behind = s;
				r = h1_line_end(h, behind);
				return r == H1_INCOMPLETE ? h1_pause(h, AT_NAME, s, s) : r;
			} else {
				r = bad_name(h, s, &q);
				if (r == H1_BAD)
					return r;
			}
		}
		q = scan_value(h->bytes, q, end);
		*behind = q;
		r = q == end ? H1_INCOMPLETE : h1_line_end(h, behind);
		if (unlikely(r == H1_DONE && h1_has_loose_lines(h)))
			r = look_for_fold(h, q, *behind, &folded);
		if (r == H1_INCOMPLETE) {
			h->parser->colon = (uint32_t)(colon - h->bytes);
			return h1_pause(h, AT_VALUE, s, q);
		}
		if (r == H1_DONE && !folded)
			r = add_field(h, s, colon, q);
		if (unlikely(r != H1_DONE))
			return r;
		q = *behind;
		if (unlikely(folded))
			continue;
		s = q;
		colon = NULL;
	}
}

enum h1_result h1_fields_head(struct h1_parser *p, const char *bytes, size_t len, unsigned options,
			      struct message *msg, struct message_error *error)
{
	struct head h = { p, bytes, bytes + len, msg, options, error };
	const char *at = bytes, *behind;
	enum h1_result r;

	h1_follow(&h);
	r = h1_field_lines(&h, &at, &behind);
	if (r == H1_DONE)
		msg->head_len = (uint32_t)(behind - bytes);
	return r;
}
