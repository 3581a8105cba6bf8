/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The words http-check and option httpchk (manual 4.2): requests and what is expected of responses,
 * as steps; and at the end of the configuration what is implied where nothing is written: a
 * connection in front, the request of the option, a status of 2xx or 3xx. Called while the
 * configuration is read.
 */
#include "check/check_conf.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "check/http.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/secret.h"
#include "expr/regex.h"
#include "http/chars.h"
#include "proxy/proxy.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char name[] = "http-check";

static struct step_list *own_list(struct statement *st, struct proxy *px)
{
	struct check_conf *conf = check_conf_own(st->cfg, px);

	if (!conf->own_http) {
		conf->http = (struct step_list){ NULL, NULL, 0 };
		conf->own_http = true;
		conf->http_loc = st->loc;
	}
	return &conf->http;
}

/* -- requests -------------------------------------------------------------------------------- */

/* No blank, no control character: it stays in its place of the request line. */
static bool is_target(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] <= ' ' || s.ptr[i] == 0x7f)
			return false;
	return s.len > 0;
}

static bool is_value(struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		if (((unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\t') || s.ptr[i] == 0x7f)
			return false;
	return true;
}

static struct request_field *request_add(struct arena *arena, struct request_conf *req,
					 struct span field_name)
{
	struct request_field *f = arena_alloc(arena, sizeof(*f));

	f->name = field_name;
	if (req->last_field)
		req->last_field->next = f;
	else
		req->fields = f;
	req->last_field = f;
	return f;
}

static bool request_has(const struct request_conf *req, const char *field_name)
{
	const struct request_field *f;

	for (f = req->fields; f; f = f->next)
		if (f->name.len == strlen(field_name) &&
		    !strncasecmp(f->name.ptr, field_name, f->name.len))
			return true;
	return false;
}

static struct logformat *parse_http_format(struct statement *st, struct proxy *px)
{
	struct expr_context ctx = { .cfg = st->cfg, .arena = st->cfg->arena, .loc = st->loc,
				    .proxy = px };
	const char *text = stmt_need(st, "a log format");
	struct logformat *format;
	struct err err;

	if (!text)
		return NULL;
	format = logformat_compile_as(FORMAT_HTTP, text, &ctx, AT_CHECK, &err);
	if (!format)
		stmt_error(st, st->at - 1, "%s", err.text);
	return format;
}

static int parse_field(struct statement *st, struct proxy *px, struct request_conf *req)
{
	const char *word = stmt_need(st, "the name of a header field");
	struct request_field *f;

	if (!word)
		return -1;
	if (!span_is_token(span_of(word)))
		return stmt_error(st, st->at - 1, "'%s' is no name of a header field", word);
	if (!strcasecmp(word, "host") && request_has(req, "host"))
		return stmt_error(st, st->at - 1, "a 'Host' was given already");
	f = request_add(st->cfg->arena, req, span_of(word));
	doubt_secret(st, st->at, span_of(word));
	f->format = parse_http_format(st, px);
	return f->format ? 0 : -1;
}

static int parse_span(struct statement *st, const char *what, bool (*good)(struct span),
		      struct span *span)
{
	const char *word = stmt_need(st, what);

	if (!word)
		return -1;
	*span = span_of(word);
	return good(*span) ? 0 : stmt_error(st, st->at - 1, "'%s' cannot be %s", word, what);
}

/* "HTTP/1.1", "HTTP/2" */
static bool is_version(const char *word)
{
	if (strncmp(word, "HTTP/", 5) || !isdigit((unsigned char)word[5]))
		return false;
	return !word[6] || (word[6] == '.' && isdigit((unsigned char)word[7]) && !word[8]);
}

/* HTTP/1.0 or HTTP/1.1; what is newer is asked for as 1.1. */
static int parse_version(struct statement *st, struct span *version)
{
	const char *word = stmt_need(st, "a version");

	if (!word)
		return -1;
	if (!is_version(word))
		return stmt_error(st, st->at - 1, "'%s' is no version of HTTP, such as HTTP/1.1", word);
	*version = span_of(strcmp(word, "HTTP/1.0") ? "HTTP/1.1" : "HTTP/1.0");
	return 0;
}

static int send_word(struct statement *st, struct proxy *px, struct step *step,
		     struct request_conf *req)
{
	static const char *const words[] = { "meth", "uri", "uri-lf", "ver", "hdr", "body",
					     "body-lf", "comment", NULL };

	if (stmt_take(st, "meth"))
		return parse_span(st, "a method", span_is_token, &req->method);
	if (stmt_take(st, "uri")) {
		req->uri_format = NULL;
		return parse_span(st, "a URI", is_target, &req->uri);
	}
	if (stmt_take(st, "uri-lf"))
		return (req->uri_format = parse_http_format(st, px)) ? 0 : -1;
	if (stmt_take(st, "ver"))
		return parse_version(st, &req->version);
	if (stmt_take(st, "hdr"))
		return parse_field(st, px, req);
	if (stmt_take(st, "body")) {
		const char *body = stmt_need(st, "a body");

		req->body_format = NULL;
		req->body = body ? span_of(body) : req->body;
		return body ? 0 : -1;
	}
	if (stmt_take(st, "body-lf"))
		return (req->body_format = step_parse_format(st, px, "a log format")) ? 0 : -1;
	if (stmt_take(st, "comment"))
		return (step->comment = stmt_need(st, "a comment")) ? 0 : -1;
	return stmt_unknown(st, st->at, "word of http-check send", words);
}

/* In an order of steps that cannot be: what is missing in front. */
static int check_order(struct statement *st, const struct step_list *list, enum step_kind kind)
{
	const struct step *step, *last = NULL;

	for (step = list->first; step; step = step->next)
		if (step->kind <= STEP_EXPECT)
			last = step;
	if (!last)
		return 0;
	if (kind == STEP_SEND && last->kind != STEP_CONNECT)
		return stmt_error(st, 0, "'connect' is missing in front of this 'send': each connection "
				  "carries one request");
	if (kind == STEP_EXPECT && last->kind == STEP_CONNECT)
		return stmt_error(st, 0, "'send' is missing in front of this 'expect'");
	if (kind == STEP_CONNECT && last->kind != STEP_EXPECT &&
	    step_first_real(list->first)->kind == STEP_CONNECT)
		return stmt_error(st, 0, "'expect' is missing in front of this 'connect'");
	return 0;
}

static int parse_send(struct statement *st, const struct keyword *kw, void *object)
{
	struct step_list *list = own_list(st, object);
	struct request_conf *req = arena_alloc(st->cfg->arena, sizeof(*req));
	struct step *step;

	(void)kw;
	if (check_order(st, list, STEP_SEND))
		return -1;
	step = step_add(st->cfg->arena, list, STEP_SEND);
	step->loc = st->loc;
	step->send.build = http_build;
	step->send.request = req;
	while (stmt_peek(st))
		if (send_word(st, object, step, req))
			return -1;
	return 0;
}

/* -- responses ------------------------------------------------------------------------------- */

/* "2xx" */
static int no_code(struct statement *st, const char *c)
{
	const char *word = st->words[st->at - 1].text;

	stmt_error(st, st->at - 1, "'%.*s' cannot stand in a list of status codes", str_char(c),
		   c);
	if (strlen(word) == 3 && isdigit((unsigned char)*word) && !strcasecmp(word + 1, "xx"))
		stmt_hint(st, "write '%c00-%c99'", *word, *word);
	return -1;
}

/* "200,300-310": ranges, ended by one whose last is 0. */
static int parse_codes(struct statement *st, struct step_expect *e)
{
	const char *word = stmt_need(st, "a list of status codes"), *p = word;
	struct status_range *ranges;
	unsigned n = 0;
	char *end;

	if (!word)
		return -1;
	ranges = arena_alloc(st->cfg->arena, (strlen(word) / 2 + 2) * sizeof(*ranges));
	while (*p) {
		if (*p == ',') {
			p++;
			continue;
		}
		if (!isdigit((unsigned char)*p))
			return no_code(st, p);
		ranges[n].first = ranges[n].last = (unsigned)strtoul(p, &end, 10);
		if (*end == '-') {
			p = end + 1;
			ranges[n].last = (unsigned)strtoul(p, &end, 10);
			if (end == p || ranges[n].last < ranges[n].first)
				return stmt_error(st, st->at - 1, "'%s' has an incomplete or empty "
						  "range", word);
		}
		if (ranges[n].last)
			n++;
		p = end;
	}
	e->ranges = ranges;
	return 0;
}

static int parse_regex(struct statement *st, bool ignore_case, struct regex **regex)
{
	const char *word = stmt_need(st, "a regular expression");
	struct err err;

	if (!word)
		return -1;
	*regex = regex_compile(word, ignore_case, st->cfg->arena, &err);
	return *regex ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

static int parse_header_method(struct statement *st, struct header_pattern *p)
{
	static const char *const methods[] = { [HEADER_STR] = "str", [HEADER_BEG] = "beg",
					       [HEADER_END] = "end", [HEADER_SUB] = "sub",
					       [HEADER_REG] = "reg", NULL };
	const char *word;
	unsigned i;

	if (!stmt_take(st, "-m"))
		return 0;
	word = stmt_need(st, "a match method");
	for (i = 0; word && methods[i]; i++) {
		if (!strcmp(word, methods[i])) {
			p->match = (enum header_match)i;
			return 0;
		}
	}
	return word ? stmt_unknown(st, st->at - 1, "match method here", methods) : -1;
}

/* Behind "name", "name-lf", "value", "value-lf". */
static int parse_header_pattern(struct statement *st, struct proxy *px, bool format,
				bool ignore_case, struct header_pattern *p)
{
	const char *word;

	if (parse_header_method(st, p))
		return -1;
	if (p->match == HEADER_REG && format)
		return stmt_error(st, st->at - 1, "a log format cannot be a regular expression");
	if (p->match == HEADER_REG)
		return parse_regex(st, ignore_case, &p->regex);
	if (format)
		return (p->format = step_parse_format(st, px, "a log format")) ? 0 : -1;
	word = stmt_need(st, "a pattern");
	if (!word)
		return -1;
	p->text = span_of(word);
	return 0;
}

static int parse_header(struct statement *st, struct proxy *px, struct step_expect *e, bool full)
{
	struct header_test *test = arena_alloc(st->cfg->arena, sizeof(*test));
	bool format;

	e->kind = EXPECT_HEADER;
	e->header = test;
	test->full = full;
	format = stmt_take(st, "name-lf");
	if (!format && !stmt_take(st, "name"))
		return stmt_error(st, st->at, "'name' or 'name-lf' and a pattern are expected");
	if (parse_header_pattern(st, px, format, true, &test->name))
		return -1;
	format = stmt_take(st, "value-lf");
	test->has_value = format || stmt_take(st, "value");
	return test->has_value ? parse_header_pattern(st, px, format, false, &test->value) : 0;
}

static int parse_body(struct statement *st, struct proxy *px, struct step_expect *e)
{
	const char *word;

	if (e->kind == EXPECT_BODY_REGEX)
		return parse_regex(st, false, &e->regex);
	if (e->kind == EXPECT_BODY_FORMAT)
		return (e->format = step_parse_format(st, px, "a log format")) ? 0 : -1;
	word = stmt_need(st, "a pattern");
	if (!word)
		return -1;
	e->data = span_of(word);
	return *word ? 0 : stmt_error(st, st->at - 1, "an empty pattern is found everywhere");
}

static int parse_match(struct statement *st, struct proxy *px, struct step_expect *e)
{
	static const struct {
		const char *name;
		enum expect_kind kind;
	} matches[] = { { "status", EXPECT_STATUS }, { "rstatus", EXPECT_STATUS_REGEX },
			{ "string", EXPECT_BODY }, { "rstring", EXPECT_BODY_REGEX },
			{ "string-lf", EXPECT_BODY_FORMAT }, { "hdr", EXPECT_HEADER },
			{ "fhdr", EXPECT_HEADER } };
	static const char *const names[] = { "status", "rstatus", "string", "rstring", "string-lf",
					     "hdr", "fhdr", NULL };
	const char *word = step_parse_match(st, e);
	unsigned i;

	if (!word)
		return -1;
	for (i = 0; i < ARRAY_LEN(matches) && strcmp(word, matches[i].name) != 0; i++)
		;
	if (i == ARRAY_LEN(matches))
		return stmt_unknown(st, st->at - 1, "match of http-check", names);
	e->kind = matches[i].kind;
	switch (e->kind) {
	case EXPECT_STATUS:
		return parse_codes(st, e);
	case EXPECT_STATUS_REGEX:
		return parse_regex(st, false, &e->regex);
	case EXPECT_HEADER:
		return parse_header(st, px, e, !strcmp(word, "fhdr"));
	default:
		return parse_body(st, px, e);
	}
}

static int parse_expect(struct statement *st, const struct keyword *kw, void *object)
{
	struct step_list *list = own_list(st, object);

	(void)kw;
	return check_order(st, list, STEP_EXPECT) ? -1 :
						    step_parse_expect(st, object, list, parse_match);
}

/* -- other words ----------------------------------------------------------------------------- */

static int parse_connect(struct statement *st, const struct keyword *kw, void *object)
{
	struct step_list *list = own_list(st, object);

	(void)kw;
	return check_order(st, list, STEP_CONNECT) ? -1 :
						     step_parse_connect(st, object, list, name);
}

static int parse_comment(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return step_parse_comment(st, own_list(st, object));
}

static int parse_flag(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = check_conf_own(st->cfg, object);

	if (strstr(kw->name, "404"))
		conf->disable_on_404 = true;
	else
		conf->send_state = true;
	return stmt_end(st);
}

static int parse_other(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const words[] = { "comment", "connect", "disable-on-404", "expect", "send",
					     "send-state", "set-var(...)", "set-var-fmt(...)",
					     "unset-var(...)", NULL };
	bool found;

	(void)kw;
	if (step_parse_variable(st, object, own_list(st, object), name, &found))
		return -1;
	return found ? 0 : stmt_unknown(st, st->at, "word of http-check", words);
}

/* -- option httpchk -------------------------------------------------------------------------- */

/* "Name: value" lines behind the version, then perhaps an empty line and a body: how it was done
 * before http-check send. */
static int parse_hidden(struct statement *st, struct request_conf *req, const char *rest)
{
	struct arena *arena = st->cfg->arena;
	const char *colon, *end;
	struct span field_name, value;

	while (*rest) {
		end = strchrnul(rest, '\n');
		value = (struct span){ rest, (size_t)(end - rest) };
		if (value.len && value.ptr[value.len - 1] == '\r')
			value.len--;
		rest = *end ? end + 1 : end;
		if (!value.len) {
			req->body = span_of(rest);
			return 0;
		}
		colon = memchr(value.ptr, ':', value.len);
		if (!colon)
			return stmt_error(st, st->at - 1, "'%.*s' behind the version is no header field",
					  (int)value.len, value.ptr);
		field_name = (struct span){ value.ptr, (size_t)(colon - value.ptr) };
		value = span_trimmed((struct span){ colon + 1, value.len - field_name.len - 1 });
		if (!span_is_token(field_name) || !is_value(value))
			return stmt_error(st, st->at - 1, "'%.*s' behind the version is no header field",
					  (int)field_name.len, field_name.ptr);
		request_add(arena, req, field_name)->value = value;
	}
	return 0;
}

static int parse_option_version(struct statement *st, struct request_conf *req)
{
	const char *word = stmt_peek(st), *end;
	struct word cut = st->words[st->at];
	struct statement part = *st;

	end = word + strcspn(word, "\r\n");
	cut.text = arena_strndup(st->cfg->arena, word, (size_t)(end - word));
	part.words = &cut;
	part.at = 0;
	part.count = 1;
	if (parse_version(&part, &req->version))
		return -1;
	st->at++;
	if (!*end)
		return 0;
	stmt_warning(st, st->at - 1, "header fields behind the version are an old way: "
		     "use 'http-check send'");
	end += end[0] == '\r' && end[1] == '\n' ? 2 : 1;
	return parse_hidden(st, req, end);
}

static void doubt_uri(struct statement *st, struct span uri)
{
	struct location loc = stmt_location(st);

	if (uri.len && strchr("/*%", *uri.ptr))
		return;
	if (uri.len > 7 && !memcmp(uri.ptr, "http", 4))
		return;
	config_notice(st->cfg, &loc, "the URI '%.*s' begins with no '/'", (int)uri.len, uri.ptr);
}

/* option httpchk [<uri> | <method> <uri> [<version>]] */
static int parse_option(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = check_conf_own(st->cfg, object);
	struct request_conf *req = &conf->request;
	int words = st->count - st->at;

	(void)kw;
	if (!conf->own_http)
		conf->http = (struct step_list){ NULL, NULL, 0 };
	conf->type = CHECK_HTTP;
	conf->own_option = true;
	conf->loc = st->loc;
	memset(req, 0, sizeof(*req));
	if (words >= 2 && parse_span(st, "a method", span_is_token, &req->method))
		return -1;
	if (words >= 1 && parse_span(st, "a URI", is_target, &req->uri))
		return -1;
	if (words >= 1)
		doubt_uri(st, req->uri);
	if (words >= 3 && parse_option_version(st, req))
		return -1;
	return stmt_end(st);
}

/* -- what is implied ------------------------------------------------------------------------- */

static struct span or_usual(struct span given, struct span option, const char *usual)
{
	return given.ptr ? given : option.ptr ? option : span_of(usual);
}

/* The request with what it takes from the option: all that it does not say; else the usual. */
static struct request_conf *request_complete(struct config *cfg, const struct check_conf *conf,
					     const struct request_conf *given, bool from_option)
{
	static const struct request_conf nothing;
	const struct request_conf *option = from_option ? &conf->request : &nothing;
	struct request_conf *req = arena_alloc(cfg->arena, sizeof(*req));

	*req = given ? *given : *option;
	req->method = or_usual(req->method, option->method, "OPTIONS");
	req->version = or_usual(req->version, option->version, "HTTP/1.0");
	if (!req->uri_format)
		req->uri = or_usual(req->uri, option->uri, "/");
	if (!req->fields)
		req->fields = option->fields;
	if (!req->body.ptr && !req->body_format)
		req->body = option->body;
	req->send_state = conf->send_state;
	return req;
}

/* A ruleset under construction: the written steps are copied, so that one list may serve several
 * proxies. */
struct build {
	struct config *cfg;
	const struct check_conf *conf;
	struct step_list list;
	enum step_kind before; /* the last one that is no comment and no variable */
	bool from_option;      /* the next written request takes from the option */
};

static struct step *build_add(struct build *b, enum step_kind kind)
{
	struct step *step = step_add(b->cfg->arena, &b->list, kind);

	step->number = 0;
	b->before = kind;
	return step;
}

/* The request of the option, where none is written. */
static void build_send(struct build *b)
{
	struct step *step = build_add(b, STEP_SEND);

	step->send.build = http_build;
	step->send.request = request_complete(b->cfg, b->conf, NULL, true);
}

static void build_expect(struct build *b)
{
	static const struct status_range good[] = { { 200, 399 }, { 0, 0 } };
	struct step_expect *e = &build_add(b, STEP_EXPECT)->expect;

	e->kind = EXPECT_STATUS;
	e->min_recv = -1;
	e->ranges = good;
}

/* One written step. */
static void build_step(struct build *b, const struct step *step)
{
	struct step *copy, *next;

	copy = step_add(b->cfg->arena, &b->list, step->kind);
	next = copy->next;
	*copy = *step;
	copy->next = next;
	if (step->kind == STEP_SEND) {
		copy->send.request = request_complete(b->cfg, b->conf, step->send.request,
						      b->from_option);
		b->from_option = false;
	}
	if (step->kind <= STEP_EXPECT)
		b->before = step->kind;
}

bool http_option_joins(const struct check_conf *conf)
{
	return conf->own_option || !conf->own_http;
}

struct ruleset *http_rules(struct config *cfg, const struct check_conf *conf)
{
	const struct step *real = step_first_real(conf->http.first), *step;
	struct ruleset *rules = arena_alloc(cfg->arena, sizeof(*rules));
	bool connects = real && real->kind == STEP_CONNECT;
	struct build b = { .cfg = cfg, .conf = conf, .from_option = http_option_joins(conf) };

	if (!connects)
		build_add(&b, STEP_CONNECT)->connect.as_server = true;
	if (!connects && (!real || real->kind == STEP_EXPECT))
		build_send(&b);
	for (step = conf->http.first; step; step = step->next)
		build_step(&b, step);
	if (b.before == STEP_CONNECT)
		build_send(&b);
	if (b.before == STEP_SEND)
		build_expect(&b);
	rules->type = CHECK_HTTP;
	rules->first = b.list.first;
	rules->disable_on_404 = conf->disable_on_404;
	return rules;
}

/* -- the words ------------------------------------------------------------------------------- */

#define RULE(word_, args_, parse_, help_)                                              \
	{ .name = word_, .scope = SCOPE_BACK | SCOPE_UDP, .args = args_, .parse = parse_, .help = help_ }

static const struct keyword keywords[] = {
	RULE("option httpchk", "[ <uri> | <method> <uri> [ <version> ] ]", parse_option,
	     "checks send an HTTP request"),
	RULE("http-check", "{ set-var(<name>) | set-var-fmt(<name>) | unset-var(<name>) } ...",
	     parse_other, "keeps a value in a variable while the check runs"),
	RULE("http-check comment", "<string>", parse_comment,
	     "said when the rule behind it fails"),
	RULE("http-check connect",
	     "[default] [port <expr>] [addr <ip>] [send-proxy] [via-socks4] [linger] [proto { h1 | h2 }] "
	     "[comment <msg>]",
	     parse_connect, "opens a connection"),
	RULE("http-check disable-on-404", "", parse_flag,
	     "a server that answers 404 gets no new sessions"),
	RULE("http-check expect",
	     "[min-recv <n>] [comment <msg>] [ok-status <st>] [error-status <st>] "
	     "[tout-status <st>] [on-success <fmt>] [on-error <fmt>] [status-code <expr>] "
	     "[!] <match> <pattern>", parse_expect, "what the response must be like"),
	RULE("http-check send",
	     "[meth <method>] [{ uri <uri> | uri-lf <fmt> }] [ver <version>] [hdr <name> <fmt>]* "
	     "[{ body <string> | body-lf <fmt> }] [comment <msg>]", parse_send,
	     "the request that checks send"),
	RULE("http-check send-state", "", parse_flag,
	     "requests tell the server how it is seen"),
	{ .name = NULL },
};

const struct module check_http_module = { .name = "check_http", .keywords = keywords };
