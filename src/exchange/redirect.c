/* SPDX-License-Identifier: BSD-2-Clause */
/* Redirections (manual 4.2: redirect). Called by the rows of actions; where a Location is made of
 * parts of the request, these are parts of a target that the codec has accepted. */
#include "exchange/redirect.h"

#include "base/arena.h"
#include "exchange/exchange.h"
#include "exchange/reply.h"
#include "http/message.h"
#include "http/uri.h"

enum { LONGEST_LOCATION = 65536 };

/* -- parsing ---------------------------------------------------------------------------- */

static int parse_to(struct statement *st, const struct rule *rule, bool formats,
		    enum redirect_kind kind, struct redirect *redirect)
{
	const char *word;

	redirect->kind = kind;
	redirect->to = (struct rule_text){ .format = NULL };
	if (formats)
		return rule_text_parse(st, rule, "where it leads", &redirect->to);
	word = stmt_need(st, "where it leads");
	if (!word)
		return -1;
	redirect->to.fixed = span_of(word);
	if (!*word)
		return stmt_error(st, st->at - 1, "where it leads must not be empty");
	if (word[strcspn(word, "\r\n")])
		return stmt_error(st, st->at - 1, "a location has one line");
	return 0;
}

static int parse_code(struct statement *st, struct redirect *redirect)
{
	static const char *const codes[] = { "301", "302", "303", "307", "308", NULL };
	const char *word = stmt_need(st, "a status");
	int i;

	if (!word)
		return -1;
	for (i = 0; codes[i]; i++) {
		if (!strcmp(codes[i], word)) {
			redirect->status = (unsigned)(codes[i][2] - '0') + 300;
			return 0;
		}
	}
	return stmt_error(st, st->at - 1,
			  "'%s' is no status of a redirection: 301, 302, 303, 307 and 308 are",
			  word);
}

/* Attributes may stand behind it: "seen=1; Secure". */
static bool is_cookie(const char *word)
{
	const char *at;

	for (at = word; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return false;
	}
	return !strchr(";,= ", *word);
}

static int parse_cookie(struct statement *st, const char *attributes, struct redirect *redirect)
{
	const char *word = stmt_need(st, "the name of a cookie");

	if (!word)
		return -1;
	if (!is_cookie(word))
		return stmt_error(st, st->at - 1, "'%s' is no cookie", word);
	redirect->cookie = span_of(arena_printf(st->cfg->arena, "%s%s", word, attributes));
	return 0;
}

/* One option; 1: it is none. */
static int parse_option(struct statement *st, const struct rule *rule, bool formats,
			struct redirect *redirect)
{
	if (stmt_take(st, "location"))
		return parse_to(st, rule, formats, REDIRECT_LOCATION, redirect);
	if (stmt_take(st, "prefix"))
		return parse_to(st, rule, formats, REDIRECT_PREFIX, redirect);
	if (stmt_take(st, "scheme"))
		return parse_to(st, rule, formats, REDIRECT_SCHEME, redirect);
	if (stmt_take(st, "code"))
		return parse_code(st, redirect);
	if (stmt_take(st, "set-cookie"))
		return parse_cookie(st, "; path=/;", redirect);
	if (stmt_take(st, "clear-cookie"))
		return parse_cookie(st, "; path=/; Max-Age=0;", redirect);
	if (stmt_take(st, "drop-query"))
		redirect->drop_query = true;
	else if (stmt_take(st, "append-slash"))
		redirect->append_slash = true;
	else if (stmt_take(st, "ignore-empty"))
		redirect->ignore_empty = true;
	else
		return 1;
	return 0;
}

/* "redirect https://example.com/", "redirect https" */
static int refuse_word(struct statement *st, const char *word)
{
	static const char *const words[] = { "location", "prefix", "scheme", "code", "set-cookie",
					     "clear-cookie", "drop-query", "append-slash",
					     "ignore-empty", "if", "unless", NULL };
	const char *kind = *word == '/' || strstr(word, "://")		     ? "location" :
			   !strcmp(word, "https") || !strcmp(word, "http") ? "scheme" :
									     NULL;

	if (!kind)
		return stmt_unknown(st, st->at, "word of a redirection", words);
	stmt_error(st, st->at, "'%s' is not a known word of a redirection", word);
	stmt_hint(st, "did you mean '%s %s'?", kind, word);
	return -1;
}

int redirect_parse(struct statement *st, const struct rule *rule, bool formats,
		   struct redirect *redirect)
{
	int start = st->at, result;
	const char *word;

	redirect->status = 302;
	do
		result = parse_option(st, rule, formats, redirect);
	while (!result);
	if (result < 0)
		return -1;
	word = stmt_peek(st);
	if (word && strcmp(word, "if") && strcmp(word, "unless"))
		return refuse_word(st, word);
	if (redirect->kind == REDIRECT_NONE)
		return stmt_error(st, start, "'location', 'prefix' or 'scheme' is expected");
	if (rule->where & AT_RESPONSE && redirect->kind != REDIRECT_LOCATION)
		return stmt_error(st, start, "responses can be redirected by 'location' alone");
	return 0;
}

/* -- making ----------------------------------------------------------------------------- */

/* Path and query of the request; "/" for what has none. */
static struct span request_path(const struct redirect *r, const struct message *req)
{
	struct span path = uri_path_and_query(req->target);
	const char *query = path.len ? memchr(path.ptr, '?', path.len) : NULL;

	if (r->drop_query && query)
		path.len = (size_t)(query - path.ptr);
	if (!path.len || path.ptr[0] != '/')
		return span_of("/");
	return path;
}

static void add_path(const struct redirect *r, struct span path, struct text *t)
{
	text_add(t, path.ptr, path.len);
	if (r->append_slash && path.ptr[path.len - 1] != '/')
		text_char(t, '/');
}

/* As rules have left it. */
static struct span request_host(const struct message *req)
{
	unsigned at = 0;
	const struct field *f = message_find_id(req, FIELD_HOST, &at);

	return f ? f->value : req->host;
}

static void write_location(const struct redirect *r, const struct message *req, struct span to,
			   struct text *t)
{
	struct span path, host;

	if (r->kind == REDIRECT_LOCATION) {
		text_add(t, to.ptr, to.len);
		return;
	}
	path = request_path(r, req);
	if (r->kind == REDIRECT_SCHEME) {
		text_add(t, to.ptr, to.len);
		text_str(t, "://");
		host = request_host(req);
		text_add(t, host.ptr, host.len);
	} else if (to.len != 1 || to.ptr[0] != '/') {
		text_add(t, to.ptr, to.len);
	}
	add_path(r, path, t);
}

static bool is_cacheable(unsigned status)
{
	return status == 301 || status == 308;
}

enum redirect_result redirect_make(const struct redirect *r, struct exchange *x,
				   struct view *view, struct reply **reply)
{
	static char memory[LONGEST_LOCATION];
	struct span to, location;
	struct text t;

	if (!rule_text_make(&r->to, view, &to))
		return REDIRECT_FAILED;
	if (r->ignore_empty && !to.len)
		return REDIRECT_SKIPPED;
	text_init(&t, memory, sizeof(memory));
	write_location(r, view->http->request, to, &t);
	if (t.cut)
		return REDIRECT_FAILED;
	location = arena_keep(x->arena, (struct span){ t.ptr, t.len });
	*reply = reply_new(x, r->status, NULL, (struct span){ NULL, 0 });
	reply_add(x, *reply, span_of("location"), location);
	if (!is_cacheable(r->status))
		reply_add(x, *reply, span_of("cache-control"), span_of("no-cache"));
	if (r->cookie.ptr)
		reply_add(x, *reply, span_of("set-cookie"), r->cookie);
	return REDIRECT_MADE;
}
