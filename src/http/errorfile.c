/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads responses that people have written by hand: lines may end with LF alone, the rest is as
 * strict as for what comes from a server. Called while the configuration is read. */
#include "http/errorfile.h"

#include "base/err.h"
#include "http/chars.h"

#include <strings.h>

struct reader {
	const char *at, *end;
	unsigned line;
	struct err *err;
};

/* The next line without its end. False: there is no end of a line any more. */
static bool reader_line(struct reader *r, struct span *line)
{
	const char *lf = memchr(r->at, '\n', (size_t)(r->end - r->at));

	r->line++;
	if (!lf)
		return false;
	*line = (struct span){ r->at, (size_t)(lf - r->at) };
	if (line->len && lf[-1] == '\r')
		line->len--;
	r->at = lf + 1;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Visible characters, blanks and bytes above ASCII (RFC 9110 5.5). */
static bool is_text(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		if ((c < ' ' && c != '\t') || c == 0x7f)
			return false;
	}
	return true;
}

/* "HTTP/1.1 503 Service Unavailable"; the phrase may be missing. */
static int read_status(struct reader *r, struct errorfile *file)
{
	struct span line;
	const char *p;

	if (!reader_line(r, &line))
		return err_set(r->err, "line 1 does not end");
	p = line.ptr;
	if (line.len < 12 || memcmp(p, "HTTP/1.", 7) || !is_digit(p[7]) || p[8] != ' ' ||
	    !is_digit(p[9]) || !is_digit(p[10]) || !is_digit(p[11]) ||
	    (line.len > 12 && p[12] != ' '))
		return err_set(r->err, "line 1 is no status line such as "
			       "'HTTP/1.1 503 Service Unavailable'");
	file->status = (unsigned)((p[9] - '0') * 100 + (p[10] - '0') * 10 + (p[11] - '0'));
	if (file->status < 200 || file->status > 599)
		return err_set(r->err, "line 1: the status must lie between 200 and 599");
	if (line.len > 13)
		file->reason = (struct span){ p + 13, line.len - 13 };
	if (!is_text(file->reason))
		return err_set(r->err, "line 1: a control character in the reason phrase");
	return 0;
}

static bool name_is(struct span name, const char *text)
{
	return name.len == strlen(text) && !strncasecmp(name.ptr, text, name.len);
}

/* What the program says by itself: consumed here. 1: an ordinary field. */
static int read_framing(struct reader *r, struct errorfile *file, struct span name,
			struct span value, uint64_t *length)
{
	size_t i;

	if (name_is(name, "transfer-encoding"))
		return err_set(r->err, "line %u: the body must not be in a transfer coding", r->line);
	if (name_is(name, "connection")) {
		file->close |= name_is(value, "close");
		return 0;
	}
	if (name_is(name, "keep-alive") || name_is(name, "proxy-connection"))
		return 0;
	if (!name_is(name, "content-length"))
		return 1;
	for (*length = 0, i = 0; i < value.len && i < 18 && is_digit(value.ptr[i]); i++)
		*length = *length * 10 + (uint64_t)(value.ptr[i] - '0');
	if (!value.len || i < value.len)
		return err_set(r->err, "line %u: the Content-Length is no number", r->line);
	return 0;
}

/* One field; 0: done, 1: the empty line. */
static int read_field(struct reader *r, struct errorfile *file, uint64_t *length)
{
	struct span line, name, value;
	const char *colon;
	int kind;

	if (!reader_line(r, &line))
		return err_set(r->err, "line %u: the empty line behind the header is missing", r->line);
	if (!line.len)
		return 1;
	colon = memchr(line.ptr, ':', line.len);
	name = (struct span){ line.ptr, colon ? (size_t)(colon - line.ptr) : 0 };
	if (!span_is_token(name))
		return err_set(r->err, "line %u is no header such as 'Content-Type: text/html'",
			       r->line);
	value = span_trimmed((struct span){ colon + 1, line.len - name.len - 1 });
	if (!is_text(value))
		return err_set(r->err, "line %u: a control character in a header", r->line);
	kind = read_framing(r, file, name, value, length);
	if (kind < 1)
		return kind;
	if (file->field_count == ERRORFILE_FIELDS)
		return err_set(r->err, "line %u: more than %d headers", r->line, ERRORFILE_FIELDS);
	file->fields[file->field_count].name = name;
	file->fields[file->field_count++].value = value;
	return 0;
}

int errorfile_parse(const char *bytes, size_t len, struct errorfile *file, struct err *err)
{
	struct reader r = { bytes, bytes + len, 0, err };
	uint64_t length = UINT64_MAX;
	int result;

	memset(file, 0, sizeof(*file));
	if (read_status(&r, file))
		return -1;
	do
		result = read_field(&r, file, &length);
	while (!result);
	if (result < 0)
		return -1;
	file->body = (struct span){ r.at, (size_t)(r.end - r.at) };
	if (length != UINT64_MAX && length != file->body.len)
		return err_set(err, "Content-Length says %llu, but the body has %zu bytes",
			       (unsigned long long)length, file->body.len);
	if (file->body.len && (file->status == 204 || file->status == 304))
		return err_set(err, "a response of status %u has no body", file->status);
	return 0;
}
