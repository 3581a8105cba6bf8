/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The chunked coding (RFC 9112 7.1), byte by byte where there is framing, and never where there is
 * payload. Whoever looks at a body calls it with each piece as it comes; a piece may end anywhere.
 * The grammar of extensions is followed to the letter, because a quoted string that one recipient
 * lets run over the end of the line and another does not is a way to smuggle requests. Trailer
 * fields are checked as those of a head are; names that would change framing or routing are refused
 * in requests, and not kept of responses (RFC 9110 6.5.1).
 */
#include "http/h1.h"

#include "http/chars.h"

enum {
	LINE_MAX = 4096,    /* a size with its extensions */
	TRAILER_MAX = 16384, /* the trailer section */
	DIGITS_MAX = 16,
};

enum state {
	SIZE,      /* zero: the first byte of a size, or another digit */
	PAD,       /* blanks behind the size */
	EXT_BEGIN, /* behind ";" */
	EXT_NAME,
	EXT_NAMED, /* blanks behind the name */
	EXT_EQUAL, /* behind "=" */
	EXT_TOKEN,
	EXT_QUOTED,
	EXT_ESCAPED, /* behind a backslash in a quoted string */
	EXT_END,     /* behind a value */
	SIZE_LF,
	DATA, /* left: bytes of it to come */
	DATA_CR,
	DATA_LF,
	TRAILER, /* at the start of a line */
	TRAILER_NAME,
	TRAILER_VALUE,
	TRAILER_LF,
	LAST_LF,
	DONE,
};

static enum h1_result chunk_bad(const struct h1_chunks *c, struct message_error *error, size_t at,
				const char *text)
{
	error->status = c->response ? 502 : 400;
	error->position = (uint32_t)at;
	error->text = text;
	return H1_BAD;
}

/* ---- the line of a size ---- */

/* Behind the line: payload, or the trailer when the size was 0. */
static uint8_t after_size(struct h1_chunks *c)
{
	c->line = 0;
	c->digits = 0;
	c->left = c->size;
	c->size = 0;
	return c->left ? DATA : TRAILER;
}

/* What may follow a complete part of the line; 0: nothing such (SIZE never follows). */
static uint8_t line_goes_on(char ch)
{
	return ch == ';' ? EXT_BEGIN : ch == '\r' ? SIZE_LF : 0;
}

/* The state behind ch, 0xff: ch is wrong. */
static uint8_t size_next(struct h1_chunks *c, char ch)
{
	int digit = str_hex_digit(ch);
	uint8_t next;

	if (digit >= 0) {
		if (c->digits == DIGITS_MAX || c->size >> 58)
			return 0xff;
		c->digits++;
		c->size = c->size << 4 | (unsigned)digit;
		return SIZE;
	}
	if (!c->digits)
		return 0xff;
	if (char_is(ch, CHAR_BLANK))
		return PAD;
	next = line_goes_on(ch);
	return next ? next : 0xff;
}

/* RFC 9112 7.1.1: BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ]. */
static uint8_t ext_next(struct h1_chunks *c, char ch)
{
	bool blank = char_is(ch, CHAR_BLANK), token = char_is(ch, CHAR_TOKEN);
	uint8_t next = 0;

	switch (c->state) {
	case PAD:
		if (blank || ch == ';' || (ch == '\r' && c->response))
			next = blank ? PAD : line_goes_on(ch);
		break;
	case EXT_BEGIN:
		next = blank ? EXT_BEGIN : token ? EXT_NAME : 0;
		break;
	case EXT_NAME:
		next = token ? EXT_NAME : blank ? EXT_NAMED : line_goes_on(ch);
		if (ch == '=')
			next = EXT_EQUAL;
		break;
	case EXT_NAMED:
		next = blank ? EXT_NAMED : ch == '=' ? EXT_EQUAL : ch == ';' ? EXT_BEGIN : 0;
		break;
	case EXT_EQUAL:
		next = blank ? EXT_EQUAL : token ? EXT_TOKEN : ch == '"' ? EXT_QUOTED : 0;
		break;
	case EXT_TOKEN:
		next = token ? EXT_TOKEN : blank ? EXT_END : line_goes_on(ch);
		break;
	case EXT_QUOTED:
		if (char_is(ch, CHAR_VALUE))
			next = ch == '"' ? EXT_END : ch == '\\' ? EXT_ESCAPED : EXT_QUOTED;
		break;
	case EXT_ESCAPED:
		next = char_is(ch, CHAR_VALUE) ? EXT_QUOTED : 0;
		break;
	default: /* EXT_END */
		next = blank ? EXT_END : line_goes_on(ch);
		break;
	}
	return next ? next : 0xff;
}

/* ---- the trailer section ---- */

/* FNV-1a over the name in lower case: names come in pieces, and nothing is kept of them. */
static uint32_t hash_add(uint32_t hash, char ch)
{
	return (hash ^ (uint8_t)char_lower(ch)) * 16777619u;
}

#define HASH_START 2166136261u

static uint32_t hash_name(struct span name)
{
	uint32_t hash = HASH_START;
	size_t i;

	for (i = 0; i < name.len; i++)
		hash = hash_add(hash, name.ptr[i]);
	return hash;
}

/* Length (in c->line) and hash agree with a name that no trailer may have; the last ones are for
 * the connection, and no harm to a server. */
static bool trailer_is_forbidden(const struct h1_chunks *c)
{
	static const uint8_t forbidden[] = { FIELD_CONTENT_LENGTH, FIELD_TRANSFER_ENCODING,
					     FIELD_HOST, FIELD_CONNECTION, FIELD_UPGRADE,
					     FIELD_KEEP_ALIVE, FIELD_PROXY_CONNECTION, FIELD_TE };
	size_t i, count = c->response ? sizeof(forbidden) : 5;

	for (i = 0; i < count; i++) {
		struct span name = field_id_name(forbidden[i]);

		if (c->line == name.len && c->hash == hash_name(name))
			return true;
	}
	return false;
}

static bool trailers_too_many(const struct h1_chunks *c)
{
	return c->max && c->fields > c->max;
}

static uint8_t trailer_next(struct h1_chunks *c, char ch)
{
	switch (c->state) {
	case TRAILER:
		if (ch == '\r')
			return LAST_LF;
		if (!char_is(ch, CHAR_TOKEN))
			return 0xff;
		c->fields++;
		if (trailers_too_many(c))
			return 0xff;
		c->line = 1;
		c->kept_line = c->kept_len;
		c->hash = hash_add(HASH_START, ch);
		return TRAILER_NAME;
	case TRAILER_NAME:
		if (ch == ':') {
			c->drops = trailer_is_forbidden(c);
			return c->drops && !c->response ? 0xff : TRAILER_VALUE;
		}
		if (!char_is(ch, CHAR_TOKEN) || c->line == LINE_MAX)
			return 0xff;
		c->line++;
		c->hash = hash_add(c->hash, ch);
		return TRAILER_NAME;
	case TRAILER_VALUE:
		if (ch == '\r')
			return TRAILER_LF;
		return char_is(ch, CHAR_VALUE) ? TRAILER_VALUE : 0xff;
	case TRAILER_LF:
		return ch == '\n' ? TRAILER : 0xff;
	default: /* LAST_LF */
		return ch == '\n' ? DONE : 0xff;
	}
}

/* ---- the whole ---- */

static const char *what_is_wrong(const struct h1_chunks *c)
{
	switch (c->state) {
	case SIZE:
		return "malformed or too large chunk size";
	case DATA_CR:
	case DATA_LF:
		return "no CRLF behind a chunk";
	case TRAILER:
		if (trailers_too_many(c))
			return "too many trailer fields (tune.http.maxhdr)";
		/* fall through */
	case TRAILER_NAME:
	case TRAILER_VALUE:
		return "a trailer field that is not allowed";
	case SIZE_LF:
	case TRAILER_LF:
	case LAST_LF:
		return "CR without LF";
	default:
		return "malformed chunk extension";
	}
}

/* A byte of the trailer section; when they are too many, none of them is kept (RFC 9110 6.5.1). */
static void trailer_keep(struct h1_chunks *c, char ch)
{
	if (c->drops) {
		c->drops = c->state != TRAILER_LF;
		c->kept_len = c->kept_room ? c->kept_line : 0;
		return;
	}
	if (c->kept_len < c->kept_room)
		c->kept[c->kept_len++] = ch;
	else
		c->kept_len = c->kept_room = 0;
}

/* One byte of framing. False: it is wrong. */
static bool chunk_step(struct h1_chunks *c, char ch)
{
	uint8_t next;

	if (c->state == SIZE) {
		next = size_next(c, ch);
	} else if (c->state < SIZE_LF) {
		next = ext_next(c, ch);
	} else if (c->state == SIZE_LF) {
		next = ch == '\n' ? after_size(c) : 0xff;
	} else if (c->state == DATA_CR) {
		next = ch == '\r' ? DATA_LF : 0xff;
	} else if (c->state == DATA_LF) {
		next = ch == '\n' ? SIZE : 0xff;
	} else {
		next = ++c->trailer > TRAILER_MAX ? 0xff : trailer_next(c, ch);
		trailer_keep(c, ch);
	}
	if (next == 0xff || (c->state < SIZE_LF && ++c->line > LINE_MAX))
		return false;
	c->state = next;
	return true;
}

/* The CR that is missing in front of this byte, where it may be. False: there may be none. */
static bool chunk_mend(struct h1_chunks *c, char ch)
{
	bool due = c->state == SIZE_LF || c->state == DATA_LF || c->state == TRAILER_LF ||
		   c->state == LAST_LF;

	return ch != '\n' || due || !c->bare_lf || chunk_step(c, '\r');
}

/* Framing up to payload or to the end. *at moves. DONE: the end; INCOMPLETE: payload or no more
 * bytes. */
static enum h1_result skip_framing(struct h1_chunks *c, const char *bytes, size_t len, size_t *at,
				   struct message_error *error)
{
	size_t i;

	if (c->state == DATA && !c->left)
		c->state = DATA_CR;
	for (i = *at; i < len && c->state != DATA; i++) {
		if (c->state == DONE)
			break;
		if (c->state == TRAILER && c->halts && bytes[i] != '\r' && bytes[i] != '\n')
			break;
		if (!chunk_mend(c, bytes[i]) || !chunk_step(c, bytes[i])) {
			*at = i;
			return chunk_bad(c, error, i, what_is_wrong(c));
		}
	}
	*at = i;
	return c->state == DONE ? H1_DONE : H1_INCOMPLETE;
}

/* Both ways in one: payload is moved to `out` when that is not NULL. */
static enum h1_result chunks_walk(struct h1_chunks *c, const char *bytes, size_t len, char *out,
				  size_t *consumed, size_t *payload, struct message_error *error)
{
	size_t at = 0, n;
	enum h1_result r;

	*payload = 0;
	for (;;) {
		r = skip_framing(c, bytes, len, &at, error);
		if (r != H1_INCOMPLETE || at == len || c->state != DATA)
			break;
		n = len - at < c->left ? len - at : c->left;
		if (out && n)
			memmove(out + *payload, bytes + at, n);
		*payload += n;
		at += n;
		c->left -= n;
		if (c->left)
			break;
	}
	*consumed = at;
	return r;
}

enum h1_result h1_chunks_scan(struct h1_chunks *c, const char *bytes, size_t len, size_t *consumed,
			      struct message_error *error)
{
	size_t payload;

	return chunks_walk(c, bytes, len, NULL, consumed, &payload, error);
}

enum h1_result h1_chunks_decode(struct h1_chunks *c, char *bytes, size_t len, size_t *consumed,
				size_t *payload, struct message_error *error)
{
	return chunks_walk(c, bytes, len, bytes, consumed, payload, error);
}
