/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of lines about requests, responses and cookies that are wrong, or do nothing. All
 * modules read them. */
#include "config/test_problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

/* A line of a section, and what is said of it; NULL: nothing. */
struct row {
	const char *line, *said;
};

static void are_said(const char *before, const char *behind, const struct row *rows, size_t count)
{
	char text[2000], expected[500];
	size_t i;

	for (i = 0; i < count; i++) {
		snprintf(text, sizeof(text), "%s\n bind 127.0.0.1:1\n %s\n%s", before, rows[i].line,
			 behind);
		snprintf(expected, sizeof(expected), "3 %s\n", rows[i].said ? rows[i].said : "");
		config_says(text, rows[i].said ? expected : "");
	}
}
#define ARE_SAID(before, behind, rows)                                                            \
	are_said(before, behind, rows, sizeof(rows) / sizeof((rows)[0]))
#define SERVER " server s 127.0.0.1:80\n"

static void answers_have_words(void **state)
{
	static const struct row rows[] = {
		{ "http-request return status 200 content-type a/b string x if { path / }", NULL },
		{ "http-request return status 200 content-type a/b string x string y",
		  "error: 'string' says already what the body is" },
		{ "http-request return status 200 content-type a/b string x errorfile /dev/null",
		  "error at errorfile: 'string' says already what the body is" },
		{ "http-request return status 200 content-type a/b string \"\"",
		  "error at \"\": 'string' must not be empty" },
		{ "http-request return status 204 content-type a/b string x",
		  "error: an answer of status 204 has no body" },
		{ "http-request return status 200 string x",
		  "error: 'content-type' is missing: the answer has a body" },
		{ "http-request return status 200 content-type a/b if { path / }",
		  "warning: not used: the answer has no body" },
		{ "http-request return status 503 content-type a/b default-errorfiles if { path / }",
		  "warning: not used: the file says what it is" },
		{ "http-request return status 503 default-errorfiles if { path / }", NULL },
		{ "http-request return status 299 default-errorfiles",
		  "error: there is no error answer for status 299; 'string', 'file' or 'hdr' make "
		  "one" },
		{ "http-request return status 503 default-errorfiles hdr a b if { path / }",
		  "warning at b: 'hdr' is not used: the answer is a whole response" },
		{ "http-request return status 200 content-type a/b string x hdr Content-Type c if { path / }",
		  "warning: this header does nothing: 'content-type' says what the body is" },
		{ "http-request return status 200 hdr Content-Type c if { path / }", NULL },
		{ "http-request return status 200 content-type a/b file /nowhere/at-all",
		  "error: cannot open '/nowhere/at-all': No such file or directory" },
		{ "http-request return status 200 content-type a/b file /proc",
		  "error: cannot read '/proc': Is a directory" },
		{ "http-request return status 200 errorfile /proc/self/cmdline",
		  "error: '/proc/self/cmdline' is no response: line 1 does not end" },
		{ "errorfile 402 /dev/null", "error: '402' is no status that is answered here: 200, 400, 401, "
		  "403, 404, 405, 407, 408, 410, 413, 421, 422, 425, 429, 500, 501, 502, 503 and "
		  "504 are" },
		{ "errorfile 503x /dev/null", "error: '503x' is no status that is answered here: 200, 400, 401, "
		  "403, 404, 405, 407, 408, 410, 413, 421, 422, 425, 429, 500, 501, 502, 503 and "
		  "504 are" },
		{ "errorfile", "error: the status of an error expected here" },
		{ "monitor-uri \"/a b\"", "error: a URI has no blanks and is not empty" },
		{ "monitor-uri \"\"", "error: a URI has no blanks and is not empty" },
		{ "monitor-uri a", "notice: no request asks for 'a': a URI begins with '/'" },
		{ "monitor-uri http://a/", NULL },
		{ "monitor fail", "error: 'if' or 'unless' and a condition are expected" },
	};

	(void)state;
	ARE_SAID("listen l", SERVER, rows);
}

static void redirections_have_words(void **state)
{
#define CODES " is no status of a redirection: 301, 302, 303, 307 and 308 are"
	static const struct row rows[] = {
		{ "redirect location / code 308 if { path /a }", NULL },
		{ "redirect", "error: 'location', 'prefix' or 'scheme' is expected" },
		{ "redirect code 301", "error: 'location', 'prefix' or 'scheme' is expected" },
		{ "redirect location \"\"", "error: where it leads must not be empty" },
		{ "redirect location \"a\\nb\"", "error: a location has one line" },
		{ "redirect location", "error: where it leads expected here" },
		{ "redirect location / code 304", "error: '304'" CODES },
		{ "redirect location / code 3011", "error: '3011'" CODES },
		{ "redirect location / set-cookie =a", "error: '=a' is no cookie" },
		{ "redirect location / set-cookie \"\\ta\"", "error: '\ta' is no cookie" },
		{ "redirect location / set-cookie \"a;b\" if { path /a }", NULL },
		{ "redirect https", "error: 'https' is not a known word of a redirection" },
		{ "redirect /", "error: '/' is not a known word of a redirection" },
		{ "redirect loc /", "error: 'loc' is not a known word of a redirection" },
		{ "http-response redirect prefix /",
		  "error: responses can be redirected by 'location' alone" },
		{ "http-response redirect location / if { status 404 }", NULL },
	};

	(void)state;
	ARE_SAID("listen l", SERVER, rows);
}

static void rules_have_words(void **state)
{
#define FRAMES(name)                                                                              \
	"warning: this rule does nothing: '" name "' tells where a message ends, which rules do "  \
	"not change"
	static const struct row rows[] = {
		{ "http-request set-header a: b", "error: 'a:' is no name of a header" },
		{ "http-request set-header a:b c", "error: 'a:b' is no name of a header" },
		{ "http-request set-header", "error: the name of a header expected here" },
		{ "http-request set-header Content-Length 5", FRAMES("Content-Length") },
		{ "http-response add-header transfer-encoding x", FRAMES("transfer-encoding") },
		{ "http-request set-header content-type x", NULL },
		{ "http-request del-header \"\"", "error: the name of a header must not be empty" },
		{ "http-request del-header", "error: the name of a header expected here" },
		{ "http-request add-acl x", "error: 'add-acl' is followed by parentheses: (...)" },
		{ "http-request add-acl() x",
		  "error: the name of a file is expected in parentheses" },
		{ "http-request wait-for-body 5s",
		  "error: 'time' and how long to wait are expected" },
		{ "http-request wait-for-body time 5s at-least 3", NULL },
		{ "http-request use-service nothing", "error: there is no service 'nothing'" },
		{ "http-request normalize-uri path-merge-slashes",
		  "error: 'normalize-uri' is experimental: it needs "
		  "'expose-experimental-directives' in a "
		  "global section above" },
	};

	(void)state;
	ARE_SAID("listen l", SERVER, rows);
}

/* Behind "expose-experimental-directives". */
static void normalizers_have_words(void **state)
{
#define KNOWN " http-request normalize-uri "
	static const char all[] =
		"global\n expose-experimental-directives\nlisten l\n bind 127.0.0.1:1\n"
		KNOWN "fragment-encode\n" KNOWN "fragment-strip\n" KNOWN "path-merge-slashes\n"
		KNOWN "path-strip-dot\n" KNOWN "path-strip-dotdot full\n"
		KNOWN "percent-decode-unreserved strict\n" KNOWN "percent-to-uppercase strict\n"
		KNOWN "query-sort-by-name\n%s" SERVER;
	static const char behind[] = "1 note: this section stands behind others: which of its words "
				     "they see is not defined\n";
	char text[1000], expected[300];

	(void)state;
	snprintf(text, sizeof(text), all, "");
	config_says(text, behind);
	snprintf(text, sizeof(text), all, KNOWN "path-merge\n");
	snprintf(expected, sizeof(expected), "%s13 error: 'path-merge' is not a known normalizer\n",
		 behind);
	config_says(text, expected);
	snprintf(text, sizeof(text), all, KNOWN "\n");
	snprintf(expected, sizeof(expected), "%s13 error: a normalizer expected here\n",
		 behind);
	config_says(text, expected);
}

static void cookies_have_words(void **state)
{
#define ENDS " must not have a semicolon or a control character"
	static const struct row rows[] = {
		{ "cookie c insert domain .a.test attr x=y httponly maxidle 5 maxlife 1h", NULL },
		{ "cookie c insert prefix",
		  "error: only one of 'rewrite', 'insert' and 'prefix' can be the mode of a "
		  "cookie" },
		{ "cookie c insert insert", NULL },
		{ "cookie c insert domain a.test;x", "error: the domain" ENDS },
		{ "cookie c insert domain test", "warning: the domain 'test' has no dot inside: browsers may "
		  "refuse the cookie (RFC 6265 5.2.3)" },
		{ "cookie c insert domain .test", "warning: the domain '.test' has no dot inside: browsers may "
		  "refuse the cookie (RFC 6265 5.2.3)" },
		{ "cookie c insert attr \"\"", "error: the attribute must not be empty" },
		{ "cookie c insert attr a;b", "error: the attribute" ENDS },
		{ "cookie c insert attr \"a\\tb\"", "error: the attribute" ENDS },
		{ "cookie c rewrite indirect",
		  "error at cookie: 'rewrite' and 'indirect' do not go together" },
		{ "cookie c preserve", "error at cookie: 'preserve' needs 'insert' or 'indirect'" },
		{ "cookie c prefix preserve", "error at cookie: 'preserve' needs 'insert' or 'indirect'" },
		{ "cookie c indirect preserve", NULL },
		{ "cookie \"a b\"", "error: 'a b' is no name of a cookie" },
		{ "cookie \"\"", "error: '' is no name of a cookie" },
		{ "cookie", "error: the name of a cookie expected here" },
		{ "cookie c inserts", "error: 'inserts' is not a known word of a cookie line" },
	};
	char line[1200] = "cookie c insert attr ";
	const struct row most = { line, NULL };
	const struct row more = { line, "error: the attributes are too long" };
	size_t len = strlen(line);

	(void)state;
	ARE_SAID("listen l", " server s 127.0.0.1:80 cookie a\n", rows);
	memset(line + len, 'x', 1021); /* "; " before them, a NUL behind */
	are_said("listen l", " server s 127.0.0.1:80 cookie a\n", &most, 1);
	line[len + 1021] = 'x';
	are_said("listen l", " server s 127.0.0.1:80 cookie a\n", &more, 1);
}

static void persistence_has_words(void **state)
{
	static const struct row rows[] = {
		{ "force-persist", "error: 'if' or 'unless' and a condition are expected" },
		{ "ignore-persist", "error: 'if' or 'unless' and a condition are expected" },
		{ "persist rdp", "error: 'rdp-cookie' is the only kind of 'persist'" },
		{ "persist rdp-cookies",
		  "error: a name in parentheses is expected: rdp-cookie(msts)" },
		{ "persist rdp-cookie()",
		  "error: a name in parentheses is expected: rdp-cookie(msts)" },
		{ "server t 127.0.0.1:81 cookie \"a b\"",
		  "error: 'a b' cannot be the value of a cookie" },
		{ "server t 127.0.0.1:81 cookie \"\"",
		  "error: '' cannot be the value of a cookie" },
	};

	(void)state;
	ARE_SAID("listen l", SERVER, rows);
}

static void servers_are_told_who_asks(void **state)
{
#define BELONGS(name)                                                                             \
	{ "http-send-name-header " name, "error: '" name "' belongs to the connection or tells "   \
	  "where a message ends: it cannot be a server's name" }
	static const struct row rows[] = {
		BELONGS("content-length"), BELONGS("transfer-encoding"), BELONGS("connection"),
		BELONGS("upgrade"), BELONGS("te"), BELONGS("trailer"),
		{ "http-send-name-header x-name", NULL },
		{ "option forwarded proto by by_port for for_port host", NULL },
		{ "option forwarded proto by_port",
		  "warning at option: 'by_port' is ignored: there is no 'by'" },
		{ "option forwarded proto for_port",
		  "warning at option: 'for_port' is ignored: there is no 'for'" },
		{ "option forwarded proto hosts",
		  "error: 'hosts' is not a known word of this option" },
		{ "option forwarded by-expr status",
		  "error: 'status' finds nothing in a request that leaves: it looks at the "
		  "server" },
	};
	static const struct row front[] = {
		{ "option forwarded", "warning: 'option forwarded' is ignored in a frontend: it belongs to "
		  "backends" },
	};

	(void)state;
	ARE_SAID("listen l", SERVER, rows);
	ARE_SAID("frontend f", " default_backend b\nbackend b\n" SERVER, front);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_have_words),
		cmocka_unit_test(redirections_have_words),
		cmocka_unit_test(rules_have_words),
		cmocka_unit_test(normalizers_have_words),
		cmocka_unit_test(cookies_have_words),
		cmocka_unit_test(persistence_has_words),
		cmocka_unit_test(servers_are_told_who_asks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
