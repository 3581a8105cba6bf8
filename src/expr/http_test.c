/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches and ACLs over HTTP heads: what the reference says of them (reg-tests/expr/http.txt),
 * heads that arrive byte by byte in mode tcp, captures, and what is kept for the log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "config/module.h"
#include "expr/acl.h"
#include "expr/capture.h"
#include "expr/expr_conf.h"
#include "expr/logformat.h"
#include "expr/userlist.h"
#include "expr/view.h"
#include "http/h1.h"
#include "proxy/proxy.h"

static const char users[] = "userlist ul\n"
			    "\tgroup g1 users tiger,scott\n"
			    "\tgroup g2\n"
			    "\tuser tiger password $6$abcdefgh$N0ftFYNYexcAPGqf4HIX3GnMtU6G2IOF0T0.S59eu8"
			    "FgqV/YNs3MK76auQ3vAMLE.M93RmyJw10fAF7Hxr7O2/\n"
			    "\tuser scott insecure-password elgato groups g2\n"
			    "\tuser xdb insecure-password hello\n";

static struct cond *cond;
static struct expr *expr;
static struct arena *arena;
static struct field request_fields[64], response_fields[64];
static struct message request, response;
static struct proxy frontend;
static struct view_http http;
static struct view view = { .frontend = &frontend };

/* "test if <condition>", "value <expression>" */
static int parse_test(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	return cond_parse(st, NULL, AT_ANY, "test", &cond);
}

static int parse_value(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	expr = expr_parse_words(st, NULL);
	return expr ? stmt_end(st) : -1;
}

static const struct keyword test_keywords[] = {
	{ .name = "test", .scope = SCOPE_GLOBAL, .parse = parse_test },
	{ .name = "value", .scope = SCOPE_GLOBAL, .parse = parse_value },
	{ 0 },
};
static const struct module test_module = { .name = "test", .keywords = test_keywords };
static const struct module *const test_modules[] = { &environment_module, &proxy_module,
						     &userlist_module, &expr_conf_module, &expr_module,
						     &capture_module, &test_module, NULL };

/* NULL: refused. */
static struct config *read_line(const char *word, const char *rest)
{
	struct config *cfg = config_new(test_modules, false);
	char text[4096];
	int len = snprintf(text, sizeof(text), "global\n\t%s %s\n%s", word, rest, users);

	assert_non_null(cfg);
	if (config_read_text(cfg, "test", text, (size_t)len) || config_finish(cfg) ||
	    cfg->diag->count[DIAG_ERROR])
		config_free(&cfg);
	return cfg;
}

/* -- messages --------------------------------------------------------------------------- */

struct block {
	char request[4096], response[4096], body[1024];
	bool ended; /* rows have followed */
};

static void unescape(const char *line, char *out, size_t size)
{
	size_t n = strlen(out);

	for (; *line && n + 3 < size; line++) {
		if (*line == '\\' && line[1] == 'x') { /* "\xE9" */
			out[n++] = (char)(str_hex_digit(line[2]) << 4 | str_hex_digit(line[3]));
			line += 3;
			continue;
		}
		line += *line == '\\' && line[1] == '\\'; /* written twice */
		out[n++] = *line;
	}
	memcpy(out + n, "\r\n", 3);
}

/* Parses what the block holds into the view, as an exchange does. */
static void view_of_block(struct block *b)
{
	struct h1_parser parser = { 0 };
	struct message_error error;
	struct span body = span_of(b->body);

	arena_reset(arena);
	memset(&http, 0, sizeof(http));
	view.http = &http;
	view.arena = arena;
	frontend.keeps_uri = true;
	message_init(&request, false, request_fields, ARRAY_LEN(request_fields));
	message_init(&response, true, response_fields, ARRAY_LEN(response_fields));
	strcat(b->request, "\r\n");
	if (h1_request_head(&parser, b->request, strlen(b->request), 0, &request, &error) != H1_DONE)
		fail_msg("request is bad: %s at %u\n%s", error.text, error.position, b->request);
	http.request = &request;
	http.request_body = b->response[0] ? span_of("") : body;
	capture_request(&frontend, &request, arena, &http);
	if (!b->response[0])
		return;
	strcat(b->response, "\r\n");
	memset(&parser, 0, sizeof(parser));
	if (h1_response_head(&parser, b->response, strlen(b->response), 0, METHOD_GET, &response,
			     &error) != H1_DONE)
		fail_msg("response is bad: %s\n%s", error.text, b->response);
	http.request = NULL; /* it has left */
	http.response = &response;
	http.response_body = body;
	capture_response(&frontend, &response, arena, &http);
}

/* Of the frontend that the lines of the log were recorded with. */
static struct capture slots[] = {
	{ &slots[1], { "X-A", 3 }, 20 }, { NULL, { "X-B", 3 }, 10 },
	{ &slots[3], { "Server", 6 }, 8 }, { NULL, { "X-No", 4 }, 8 },
};
static struct captures captures = { .request = { &slots[0], &slots[1], 2 },
				    .response = { &slots[2], &slots[3], 2 },
				    .cookie = { "ck", 2 }, .cookie_len = 20 };

/* -- rows ------------------------------------------------------------------------------- */

static void print_value(const struct sample *smp, char *out, size_t size)
{
	size_t i, n;

	for (i = 0; i < smp->str.len && smp->str.ptr[i] >= 32 && smp->str.ptr[i] < 127; i++)
		;
	if (i == smp->str.len) {
		snprintf(out, size, "='%.*s'", (int)smp->str.len, smp->str.ptr);
		return;
	}
	n = (size_t)snprintf(out, size, "0x");
	for (i = 0; i < smp->str.len && n + 3 < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%02X", (unsigned char)smp->str.ptr[i]);
}

/* "log: <format>": the line, when both messages have left. */
static void row_line(const char *format, char *out, size_t size)
{
	static const struct view_log numbers = { .request_ms = 1, .idle_ms = 2, .response_ms = 3,
						 .active_ms = 4, .termination = "--" };
	struct expr_context ctx = { .arena = arena };
	struct view_http before = http;
	struct logformat *compiled;
	struct err err;
	struct text t;

	compiled = logformat_compile(format, &ctx, AT_LOG, &err);
	if (!compiled)
		fail_msg("%s: %s", format, err.text);
	http.status = http.response ? http.response->status : 0;
	http.request = http.response = NULL;
	view.log = &numbers;
	text_init(&t, out, size);
	logformat_write(compiled, &view, &t);
	view.log = NULL;
	http = before;
}

/* What the row comes to: "='text'", "0x..." (bytes that are no text, and numbers), "-" for
 * none, "ERR" for a refusal; "yes" and "no" of ACLs. */
static void row_result(const char *row, unsigned place, char *out, size_t size)
{
	bool acl = !strncmp(row, "acl: ", 5);
	bool named = acl && strchr(row + 5, ' ') == NULL && row[5] >= 'A' && row[5] <= 'Z';
	char line[2048];
	struct config *cfg;
	struct sample smp;

	snprintf(line, sizeof(line), "%s%.1900s%s", !acl ? "'" : named ? "if " : "if { ",
		 acl ? row + 5 : row, !acl ? "'" : named ? "" : " }");
	cfg = read_line(acl ? "test" : "value", line);
	if (!cfg || (!acl && !(expr_where(expr) & place)))
		snprintf(out, size, "ERR");
	else if (acl)
		snprintf(out, size, cond_eval(cond, &view, place | AT_FINAL) == COND_YES ? "yes"
											 : "no");
	else if (expr_eval_as(expr, &view, place | AT_FINAL, SMP_BIN, &smp) == EXPR_FOUND)
		print_value(&smp, out, size);
	else
		snprintf(out, size, "-");
	if (cfg)
		config_free(&cfg);
}

/* A line of a message: "> request", "< response", "! body". */
static bool block_line(struct block *b, const char *line)
{
	if (!strchr("><!", line[0]) || (line[1] && line[1] != ' '))
		return false;
	if (b->ended)
		memset(b, 0, sizeof(*b));
	line += line[1] ? 2 : 1;
	switch (line[-1 - (line[-1] == ' ')]) {
	case '>':
		unescape(line, b->request, sizeof(b->request));
		break;
	case '<':
		unescape(line, b->response, sizeof(b->response));
		break;
	default:
		strncat(b->body, line, sizeof(b->body) - 1);
	}
	return true;
}

static int row_compare(struct block *b, char *line)
{
	char *tab = strchr(line, '\t'), got[4096];

	assert_non_null(tab);
	*tab = 0;
	if (!b->ended)
		view_of_block(b);
	b->ended = true;
	if (!strncmp(line, "log: ", 5))
		row_line(line + 5, got, sizeof(got));
	else
		row_result(line, b->response[0] ? AT_RESPONSE : AT_REQUEST, got, sizeof(got));
	if (!strcmp(got, tab + 1))
		return 0;
	print_error("%s: %s, not %s\n", line, got, tab + 1);
	return 1;
}

static void values_equal_reference(void **state)
{
	const char *srcdir = getenv("srcdir");
	static struct block block;
	int bad = 0, rows = 0;
	char line[4096];
	FILE *f;

	(void)state;
	frontend.captures = &captures;
	snprintf(line, sizeof(line), "%s/reg-tests/expr/http.txt", srcdir ? srcdir : ".");
	f = fopen(line, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		if (!line[0] || line[0] == '#' || block_line(&block, line))
			continue;
		bad += row_compare(&block, line);
		rows++;
	}
	fclose(f);
	frontend.captures = NULL;
	assert_int_equal(bad, 0);
	assert_true(rows > 350);
}

/* -- mode tcp --------------------------------------------------------------------------- */

static const char get[] = "GET /path?x=1 HTTP/1.1\r\nHost: a.example\r\nX-L: 1, 2\r\n\r\n";

static enum cond_result ask(const char *words, unsigned place)
{
	struct config *cfg = read_line("test", words);
	enum cond_result result;

	if (!cfg)
		fail_msg("'%s' was refused", words);
	result = cond_eval(cond, &view, place);
	config_free(&cfg);
	return result;
}

/* Nothing is said before the head is there; then all of it. */
static void bytes_are_parsed(void **state)
{
	static const char *const words[] = { "if HTTP", "if METH_GET", "if { path /path }",
					     "if { hdr(host) a.example }",
					     "if { hdr(x-l) 1 }", "if { urlp(x) 1 }",
					     "if HTTP_1.1", "if !{ hdr(nope) -m found }" };
	size_t i, len, whole = sizeof(get) - 1;

	(void)state;
	view.http = NULL;
	for (i = 0; i < ARRAY_LEN(words); i++) {
		for (len = 0; len < whole; len++) {
			view.request = (struct span){ get, len };
			assert_int_equal(ask(words[i], AT_REQUEST), COND_WAIT);
		}
		view.request.len = whole;
		assert_int_equal(ask(words[i], AT_REQUEST), COND_YES);
		view.request.len = whole - 1;
		assert_int_equal(ask("if { path -m found }", AT_REQUEST | AT_FINAL), COND_NO);
	}
	view.request = span_of("\x16\x03\x01 no HTTP at all\r\n\r\n");
	assert_int_equal(ask("if HTTP", AT_REQUEST), COND_NO);
	assert_int_equal(ask("if { path -m found }", AT_REQUEST), COND_NO);
	view.request = span_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
	assert_int_equal(ask("if HTTP_2.0 HTTP { method PRI }", AT_REQUEST), COND_YES);
	view.request = span_of("PRI * HT");
	assert_int_equal(ask("if HTTP", AT_REQUEST), COND_WAIT);
	view.response = span_of("HTTP/1.1 404 Not Found\r\nX: y\r\nContent-Length: 2\r\n\r\nab");
	assert_int_equal(ask("if { status 404 } { res.hdr(x) y } { res.body -m str ab }",
			     AT_RESPONSE), COND_YES);
	view.request = view.response = (struct span){ NULL, 0 };
}

/* -- captures --------------------------------------------------------------------------- */

static void captures_are_kept(void **state)
{
	struct block b = { .request = "GET /u HTTP/1.1\r\nHost: h\r\nX-A: one\r\nX-A: two, 3\r\n"
				      "Cookie: a=1; ck2=b; ck=c\r\n",
			   .response = "HTTP/1.1 200 OK\r\nServer: abcdefgh\r\n"
				       "Set-Cookie: ckk=long value; path=/\r\n" };
	struct config *cfg = read_line("test", "if TRUE");

	(void)state;
	assert_non_null(cfg);
	frontend.captures = NULL;
	assert_int_equal(capture_declare(cfg, &frontend, false, "x-a", 5), 0);
	assert_int_equal(capture_declare(cfg, &frontend, false, NULL, 3), 1);
	assert_int_equal(capture_declare(cfg, &frontend, false, "none", 3), 2);
	assert_int_equal(capture_declare(cfg, &frontend, true, "server", 4), 0);
	frontend.captures->cookie = span_of("ck");
	frontend.captures->cookie_len = 8;
	view_of_block(&b);
	assert_string_equal(capture_value(&view, false, 0), "two, ");
	assert_null(capture_value(&view, false, 1));
	assert_null(capture_value(&view, false, 2));
	assert_null(capture_value(&view, false, 3));
	assert_string_equal(capture_value(&view, true, 0), "abcd");
	assert_true(span_equal(http.request_cookie, span_of("ck2=b")));
	assert_true(span_equal(http.response_cookie, span_of("ckk=long")));
	assert_true(capture_store(&view, false, 1, span_of("stored")));
	assert_false(capture_store(&view, false, 3, span_of("stored")));
	assert_false(capture_store(&view, true, 1, span_of("stored")));
	assert_string_equal(capture_value(&view, false, 1), "sto");
	assert_true(span_equal(http.method, span_of("GET")));
	assert_true(span_equal(http.uri, span_of("/u")));
	assert_true(span_equal(http.version, span_of("HTTP/1.1")));
	frontend.captures = NULL;
	config_free(&cfg);
}

static void userlist_problems(void **state)
{
	static const char *const bad[] = {
		"userlist a\n group g users nobody\n", "userlist a\n user u groups none\n",
		"userlist\n", "userlist a b\n", "userlist a!\n", "userlist a\n group g foo\n",
		"userlist a\n user u foo\n", "userlist a\n user u password\n",
	};
	struct config *cfg;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(bad); i++) {
		cfg = config_new(test_modules, false);
		config_read_text(cfg, "test", bad[i], strlen(bad[i]));
		config_finish(cfg);
		if (!cfg->diag->count[DIAG_ERROR])
			fail_msg("not refused: %s", bad[i]);
		config_free(&cfg);
	}
}

static bool userlist_check(const struct userlist *list, struct span user, struct span password)
{
	return userlist_ask(list, user, password, false) == SECRET_RIGHT;
}

/* Forms of crypt(3): DES, MD5, SHA-256, SHA-512, bcrypt. */
static void passwords_are_compared(void **state)
{
	static const char text[] =
		"userlist p\n"
		" user des password XXq2wKiyI43A2\n"
		" user md5 password $1$abcdefgh$G//4keteveJp0qb8z2DxG/\n"
		" user sha256 password $5$abcdefgh$ZLdkj8mkc2XVSrPVjskDAgZPGjtj1VGVaa1aUkrMTU/\n"
		" user bcrypt password $2b$04$abcdefghijklmnopqrstuughE8Ev8uGFaUgY2cNEySvxngrb/Jzdm\n"
		" user plain insecure-password password\n"
		" user none\n";
	struct config *cfg = config_new(test_modules, false);
	struct userlist *list;

	(void)state;
	assert_int_equal(config_read_text(cfg, "test", text, sizeof(text) - 1), 0);
	list = userlist_find(cfg, "p");
	assert_non_null(list);
	assert_true(userlist_check(list, span_of("plain"), span_of("password")));
	assert_false(userlist_check(list, span_of("plain"), span_of("passwor")));
	assert_false(userlist_check(list, span_of("plain"), span_of("passwordpassword")));
	assert_false(userlist_check(list, span_of("plain"), span_of("")));
	assert_false(userlist_check(list, span_of("none"), span_of("")));
	assert_false(userlist_check(list, span_of("nobody"), span_of("")));
	assert_true(userlist_check(list, span_of("des"), span_of("password")));
	assert_true(userlist_check(list, span_of("md5"), span_of("password")));
	assert_true(userlist_check(list, span_of("sha256"), span_of("password")));
	assert_true(userlist_check(list, span_of("bcrypt"), span_of("password")));
	assert_false(userlist_check(list, span_of("bcrypt"), span_of("passwore")));
	assert_false(userlist_check(list, span_of("sha256"), span_of("Password")));
	config_free(&cfg);
}

/* A wrong password costs a hash of each form of the list, for known and unknown names alike. */
static void names_cost_the_same(void **state)
{
	static const char text[] = "userlist forms\n user des password XXq2wKiyI43A2\n"
				   " user md5 password $1$saltsalt$qjXMvbEw8oaL.CzflDtaK/\n"
				   " user few password $5$rounds=1000$salt$x\n"
				   " user more password $5$rounds=2000$salt$x\n"
				   " user again password $5$rounds=1000$pepper$x\n"
				   " user bcrypt password $2b$04$abcdefghijklmnopqrstuuAAAA\n"
				   " user bcrypt5 password $2b$05$abcdefghijklmnopqrstuuAAAA\n"
				   " user locked password !\n user none\n"
				   " user open insecure-password p\n";
	static const char *const names[] = { "des", "md5", "few", "more", "again", "bcrypt",
					     "bcrypt5", "locked", "none", "open", "nobody", "" };
	struct config *cfg = config_new(test_modules, false);
	const struct userlist *list;
	uint64_t before;
	unsigned i;

	(void)state;
	assert_int_equal(config_read_text(cfg, "test", text, sizeof(text) - 1), 0);
	list = userlist_find(cfg, "forms");
	for (i = 0; i < ARRAY_LEN(names); i++) {
		before = userlist_crypts;
		assert_false(userlist_check(list, span_of(names[i]), span_of("wrong")));
		assert_int_equal(userlist_crypts - before, 6);
	}
	before = userlist_crypts;
	assert_true(userlist_check(list, span_of("open"), span_of("p")));
	assert_int_equal(userlist_crypts, before);
	assert_true(userlist_check(list, span_of("des"), span_of("password")));
	assert_int_equal(userlist_crypts, before + 1);
	config_free(&cfg);
}

/* crypt(3) runs once for a name and a password; for names that are not there as for others. */
static void passwords_are_known(void **state)
{
	static const char text[] = "userlist p\n user des password XXq2wKiyI43A2\n user none\n"
				   "userlist q\n user des password XXq2wKiyI43A2\n"
				   "userlist r\n user u insecure-password p\n";
	struct config *cfg = config_new(test_modules, false);
	char name[32], longer[1100];
	const struct userlist *list;
	uint64_t before;
	int i;

	(void)state;
	assert_int_equal(config_read_text(cfg, "test", text, sizeof(text) - 1), 0);
	list = userlist_find(cfg, "p");
	assert_true(userlist_check(list, span_of("des"), span_of("password")));
	before = userlist_crypts;
	assert_true(userlist_check(list, span_of("des"), span_of("password")));
	assert_int_equal(userlist_crypts, before);
	assert_false(userlist_check(list, span_of("des"), span_of("passwore")));
	assert_false(userlist_check(list, span_of("des"), span_of("passwore")));
	assert_int_equal(userlist_crypts, before + 1);
	assert_false(userlist_check(list, span_of("de"), span_of("spassword")));
	assert_false(userlist_check(list, span_of("none"), span_of("password")));
	assert_false(userlist_check(list, span_of("nobody"), span_of("password")));
	assert_int_equal(userlist_crypts, before + 4);
	assert_false(userlist_check(list, span_of("nobody"), span_of("password")));
	assert_int_equal(userlist_crypts, before + 4);
	for (i = 0; i < 5000; i++) {
		before = userlist_crypts;
		snprintf(name, sizeof(name), "u%d", i);
		assert_false(userlist_check(list, span_of("des"), span_of(name)));
		assert_int_equal(userlist_crypts, before + 1);
		assert_false(userlist_check(userlist_find(cfg, "q"), span_of(name), span_of("password")));
		assert_int_equal(userlist_crypts, before + 2);
		assert_false(userlist_check(userlist_find(cfg, "r"), span_of(name), span_of("p")));
		assert_int_equal(userlist_crypts, before + 2);
	}
	assert_true(userlist_check(list, span_of("des"), span_of("password")));
	assert_int_equal(userlist_crypts, before + 2);
	assert_true(userlist_check(userlist_find(cfg, "q"), span_of("des"), span_of("password")));
	assert_int_equal(userlist_crypts, before + 3);
	memset(longer, 'a', sizeof(longer));
	assert_false(userlist_check(list, (struct span){ longer, sizeof(longer) }, span_of("password")));
	assert_false(userlist_check(list, (struct span){ "des\0", 4 }, span_of("password")));
	assert_false(userlist_check(list, span_of("des"), (struct span){ "password\0", 9 }));
	config_free(&cfg);
}

static int start(void **state)
{
	(void)state;
	arena = arena_new(65536);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_equal_reference),
		cmocka_unit_test(bytes_are_parsed),
		cmocka_unit_test(captures_are_kept),
		cmocka_unit_test(userlist_problems),
		cmocka_unit_test(passwords_are_compared),
		cmocka_unit_test(names_cost_the_same),
		cmocka_unit_test(passwords_are_known),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
