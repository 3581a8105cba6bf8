/* SPDX-License-Identifier: BSD-2-Clause */
/* The aliases of log formats that speak of HTTP (manual 8.2.6): request line, captures, cookies,
 * times of a request. Rows are in logformat_aliases.c. They read the view and change nothing. A
 * request that was none is "<BADREQ>". What stands between quotes, braces or bars cannot forge
 * them: such bytes are written as #XX, as the reference does. */
#include "expr/capture.h"
#include "expr/http.h"
#include "expr/logformat_alias.h"
#include "expr/unique_id.h"
#include "expr/view.h"
#include "http/chars.h"
#include "http/message.h"
#include "log/date.h"
#include "proxy/proxy.h"

/* -- bytes ------------------------------------------------------------------------------ */

/* Appends bytes; those of `marks`, control characters and those beyond ASCII as #XX. Bare ones are
 * kept, but for the marks of what has several values. */
static void put_bytes(struct text *t, struct span s, const char *marks, unsigned flags)
{
	static const char hex[] = "0123456789ABCDEF";
	size_t i, plain;

	for (i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.ptr[i];

		/* None of these is a mark, or escaped. */
		for (plain = i; plain < s.len && char_is(s.ptr[plain], CHAR_HOST); plain++)
			;
		if (plain > i) {
			text_add(t, s.ptr + i, plain - i);
			i = plain - 1;
			continue;
		}

		if (flags & LF_BARE ? c && strchr(marks, c) :
				      c < ' ' || c > '~' || strchr(marks, c)) {
			char code[3] = { '#', hex[c >> 4], hex[c & 15] };

			text_add(t, code, sizeof(code));
			continue;
		}
		if (flags & LF_ESCAPE && (c == '\\' || c == ']'))
			text_char(t, '\\');
		text_char(t, (char)c);
	}
}

static void put_quote(struct text *t, unsigned flags)
{
	if (flags & LF_QUOTE)
		text_char(t, '"');
}

static const char uri_marks[] = "\"#", header_marks[] = "\"#{|}", bare_marks[] = "#{|}";
static const struct span bad_request = { "<BADREQ>", 8 };

static void put_uri(struct text *t, struct span s, unsigned flags)
{
	if (flags & LF_BARE) {
		text_add(t, s.ptr, s.len);
		return;
	}
	put_quote(t, flags);
	put_bytes(t, s, uri_marks, flags);
	put_quote(t, flags);
}

/* -- the request line ------------------------------------------------------------------- */

/* What is known of a request; false: none came that could be understood. */
struct request_line {
	struct span method, uri, version;
	bool cut;
};

static bool request_line(const struct view *view, struct request_line *line)
{
	const struct view_http *http = view->http;

	if (!http || !http->method.ptr)
		return false;
	line->method = http->method;
	line->version = http->version;
	line->uri = http->uri;
	line->cut = http->uri_cut;
	if (!line->uri.ptr && http->request)
		line->uri = http->request->target;
	if (!line->uri.ptr)
		line->uri = span_of("");
	return true;
}

void alias_HM(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;

	put_uri(t, request_line(view, &line) ? line.method : bad_request, flags);
}

void alias_HU(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;

	put_uri(t, request_line(view, &line) ? line.uri : bad_request, flags);
}

void alias_HV(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;

	put_uri(t, request_line(view, &line) ? line.version : bad_request, flags);
}

static size_t before_query(struct span uri)
{
	const char *mark = memchr(uri.ptr, '?', uri.len);

	return mark ? (size_t)(mark - uri.ptr) : uri.len;
}

void alias_HP(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;

	if (request_line(view, &line))
		put_uri(t, (struct span){ line.uri.ptr, before_query(line.uri) }, flags);
	else
		put_uri(t, bad_request, flags);
}

void alias_HPO(struct text *t, const struct view *view, unsigned flags)
{
	struct span path = bad_request;
	struct request_line line;

	if (request_line(view, &line)) {
		path = http_pathq(line.uri);
		if (path.ptr)
			path.len = before_query(path);
		else
			path = span_of("");
	}
	put_uri(t, path, flags);
}

/* The question mark included. */
void alias_HQ(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;
	size_t path;

	if (!request_line(view, &line)) {
		put_uri(t, bad_request, flags);
		return;
	}
	path = before_query(line.uri);
	put_uri(t, (struct span){ line.uri.ptr + path, line.uri.len - path }, flags);
}

void alias_r(struct text *t, const struct view *view, unsigned flags)
{
	struct request_line line;

	const char *marks = flags & LF_BARE ? "" : uri_marks;

	put_quote(t, flags);
	if (!request_line(view, &line)) {
		put_bytes(t, bad_request, marks, flags);
	} else {
		put_bytes(t, line.method, marks, flags);
		text_char(t, ' ');
		put_bytes(t, line.uri, marks, flags);
		if (!line.cut) {
			text_char(t, ' ');
			put_bytes(t, line.version, marks, flags);
		}
	}
	put_quote(t, flags);
}

/* -- captures --------------------------------------------------------------------------- */

/* Was there a request, or a stream of mode tcp? A line of what was none has no captures and no
 * unique id, which would be its alone. */
static bool has_request(const struct view *view)
{
	return view->http ? view->http->method.ptr != NULL : view->stream != NULL;
}

static bool captured(const struct view *view, bool response)
{
	return has_request(view) && capture_count(view->frontend, response);
}

static void put_capture(struct text *t, const char *value, unsigned flags)
{
	put_bytes(t, span_of(value), flags & LF_BARE ? bare_marks : header_marks, flags);
}

/* "{a|b}": one for each slot, empty ones too. */
static void put_captures(struct text *t, const struct view *view, bool response, unsigned flags)
{
	unsigned n = capture_count(view->frontend, response), i;
	const char *value;

	if (!captured(view, response))
		return;
	put_quote(t, flags);
	text_char(t, '{');
	for (i = 0; i < n; i++) {
		if (i)
			text_char(t, '|');
		value = capture_value(view, response, i);
		if (value)
			put_capture(t, value, flags);
	}
	text_char(t, '}');
	put_quote(t, flags);
}

void alias_hr(struct text *t, const struct view *view, unsigned flags)
{
	put_captures(t, view, false, flags);
}

void alias_hs(struct text *t, const struct view *view, unsigned flags)
{
	put_captures(t, view, true, flags);
}

/* One word for each slot. */
static void put_capture_list(struct text *t, const struct view *view, bool response,
			     unsigned flags)
{
	unsigned n = capture_count(view->frontend, response), i;
	const char *value;

	for (i = 0; captured(view, response) && i < n; i++) {
		if (i)
			text_char(t, ' ');
		value = capture_value(view, response, i);
		if (!value && !(flags & LF_QUOTE)) {
			text_char(t, '-');
			continue;
		}
		put_quote(t, flags);
		if (value)
			put_capture(t, value, flags);
		put_quote(t, flags);
	}
}

void alias_hrl(struct text *t, const struct view *view, unsigned flags)
{
	put_capture_list(t, view, false, flags);
}

void alias_hsl(struct text *t, const struct view *view, unsigned flags)
{
	put_capture_list(t, view, true, flags);
}

void alias_CC(struct text *t, const struct view *view, unsigned flags)
{
	logformat_put(t, view->http ? view->http->request_cookie : (struct span){ NULL, 0 },
		      flags);
}

void alias_CS(struct text *t, const struct view *view, unsigned flags)
{
	logformat_put(t, view->http ? view->http->response_cookie : (struct span){ NULL, 0 },
		      flags);
}

void alias_ID(struct text *t, const struct view *view, unsigned flags)
{
	struct span id = { NULL, 0 };

	if (has_request(view))
		id = unique_id_of(view);
	if (!id.len)
		id.ptr = NULL;
	logformat_put(t, id, flags);
}

/* -- status and times ------------------------------------------------------------------- */

/* Of mode tcp 0; -1 when nothing was answered. */
void alias_ST(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	if (!view->http)
		text_char(t, '0');
	else if (view->http->status)
		text_num(t, view->http->status);
	else
		text_str(t, "-1");
}

void alias_tsc(struct text *t, const struct view *view, unsigned flags)
{
	const struct view_http *http = view->http;
	char codes[2] = { '-', '-' };

	(void)flags;
	if (http && http->cookie_code)
		codes[0] = http->cookie_code;
	if (http && http->set_cookie_code)
		codes[1] = http->set_cookie_code;
	text_str(t, view->log->termination);
	text_add(t, codes, sizeof(codes));
}

void alias_TR(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->request_ms);
}

void alias_Ti(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->idle_ms);
}

void alias_Tq(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view_until_head_ms(view->log));
}

void alias_Tr(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->response_ms);
}

void alias_Ta(struct text *t, const struct view *view, unsigned flags)
{
	if (view->log->early && !(flags & LF_BARE))
		text_char(t, '+');
	text_num(t, view->log->active_ms);
}

void alias_tr(struct text *t, const struct view *view, unsigned flags)
{
	struct timeval at = view_request_date(view->log);

	(void)flags;
	text_str(t, date_of(at.tv_sec)->local);
	text_char(t, '.');
	text_digits(t, (unsigned)at.tv_usec / 1000, 3);
}

void alias_tri(struct text *t, const struct view *view, unsigned flags)
{
	struct timeval at = view_request_date(view->log);

	(void)flags;
	logformat_put_iso(t, &at);
}

void alias_trg(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_printf(t, "%s +0000", date_of(view_request_date(view->log).tv_sec)->gmt);
}

void alias_trl(struct text *t, const struct view *view, unsigned flags)
{
	const struct date *date = date_of(view_request_date(view->log).tv_sec);

	(void)flags;
	text_printf(t, "%s %s", date->local, date->zone);
}
