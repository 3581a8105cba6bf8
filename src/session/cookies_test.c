/* SPDX-License-Identifier: BSD-2-Clause */
/* Persistence by cookies, as server, client and log see it: each mode with no cookie, one that leads
 * to a server, one of a server that is down, one that nobody knows, and with one that the server
 * sets itself. Clients are sockets of the Unix family, servers are scripted. */
#include "session/test_visitor.h"

#include "exchange/idle.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#define SERVERS                                                                                    \
	" balance first\n http-after-response set-header X-C %tsc/%{-Q}s\n"                         \
	" server a abns@%s cookie A\n server b abns@%s cookie B\n"                                 \
	" server d abns@%s cookie D disabled\n"

static const struct {
	const char *name, *said;
} modes[] = {
	{ "insert", "cookie C insert" },
	{ "indirect", "cookie C insert indirect nocache" },
	{ "prefix", "cookie C prefix" },
	{ "rewrite", "cookie C rewrite" },
	{ "passive", "cookie C" },
	{ "preserve", "cookie C insert indirect preserve" },
	{ "postonly", "cookie C insert postonly" },
	{ "persist", "cookie C insert\n option persist" },
	{ "ruled", "cookie C insert\n use-server a if { path /a }\n"
		   " ignore-persist if { path /i }\n force-persist if { path /f }" },
};
enum { MODES = sizeof(modes) / sizeof(modes[0]) };

static int begin(void **state)
{
	char text[6000] = SERVED_HTTP " retries 0\n";
	size_t len = strlen(text);
	unsigned i;

	(void)state;
	for (i = 0; i < MODES; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					"listen %s\n bind 127.0.0.1:%u\n %s\n%s", modes[i].name,
					i + 1, modes[i].said, SERVERS);
	assert_true(len < sizeof(text));
	visitors_begin(text);
	return 0;
}

/* Adds the value of the field, if the head has it, and a bar. */
static void add_field(char *to, const char *head, const char *field)
{
	char name[50];
	const char *at;

	snprintf(name, sizeof(name), "\r\n%s: ", field);
	at = strcasestr(head, name);
	if (at)
		strncat(to, at + strlen(name), strcspn(at + strlen(name), "\r"));
	strcat(to, "|");
}

/* expected: the cookie that the server sees | the one that the client gets | what caches are told |
 * what the log says, and the server. */
static void asks(const char *mode, const char *request, const char *cookie, const char *sets,
		 const char *expected)
{
	char text[500], answer[200], got[500] = "";
	const char *heard;
	int client;

	served_afresh();
	snprintf(text, sizeof(text), "%s HTTP/1.1\r\nHost: a\r\n%s%s%s\r\n", request,
		 cookie ? "Cookie: " : "", cookie ? cookie : "", cookie ? "\r\n" : "");
	snprintf(answer, sizeof(answer), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n%s%s%s\r\n",
		 sets ? "Set-Cookie: " : "", sets ? sets : "", sets ? "\r\n" : "");
	served.says = answer;
	client = visitor_comes(mode, text);
	heard = visitor_hears(client);
	add_field(got, served.request, "cookie");
	add_field(got, heard, "set-cookie");
	add_field(got, heard, "cache-control");
	add_field(got, heard, "x-c");
	visitor_leaves(client);
	idle_close_all();
	if (strcmp(got, expected) != 0)
		fail_msg("%s, %s, cookie %s, set-cookie %s: %s instead of %s", mode, request,
			 cookie ? cookie : "none", sets ? sets : "none", got, expected);
}

static const struct row {
	const char *mode, *cookie, *sets, *expected;
} rows[] = {
	{ "insert", NULL, NULL, "|C=A; path=/||--NI/a|" },
	{ "insert", "C=A", NULL, "C=A|||--VN/a|" },
	{ "insert", "C=B", NULL, "C=B|||--VN/b|" },
	{ "insert", "x=1; C=B; y=2", NULL, "x=1; C=B; y=2|||--VN/b|" },
	{ "insert", "C=D", NULL, "C=D|C=A; path=/||--DI/a|" },
	{ "insert", "C=X", NULL, "C=X|C=A; path=/||--II/a|" },
	{ "insert", "D=B", NULL, "D=B|C=A; path=/||--NI/a|" },
	{ "insert", "C=X; C=D; C=B; C=A", NULL, "C=X; C=D; C=B; C=A|||--VN/b|" },
	{ "insert", "C=D; C=X", NULL, "C=D; C=X|C=A; path=/||--DI/a|" },
	{ "insert", "C=", NULL, "C=|C=A; path=/||--II/a|" },
	{ "insert", NULL, "C=own", "|C=A; path=/||--NI/a|" },
	{ "insert", "C=B", "C=own", "C=B|||--VD/b|" },
	{ "insert", "C=B", "D=own", "C=B|D=own||--VN/b|" },
	{ "indirect", NULL, NULL, "|C=A; path=/||--NI/a|" },
	{ "indirect", "C=B", NULL, "|||--VN/b|" },
	{ "indirect", "x=1; C=B; y=2", NULL, "x=1; y=2|||--VN/b|" },
	{ "indirect", "C=X; x=1; C=A", NULL, "x=1|||--VN/a|" },
	{ "indirect", "C=D", NULL, "|C=A; path=/||--DI/a|" },
	{ "prefix", NULL, NULL, "|||--NN/a|" },
	{ "prefix", NULL, "C=own; path=/x", "|C=A~own; path=/x||--NR/a|" },
	{ "prefix", "C=B~own", NULL, "C=own|||--VN/b|" },
	{ "prefix", "x=1; C=B~own; y=2", NULL, "x=1; C=own; y=2|||--VN/b|" },
	{ "prefix", "C=B~own", "C=new", "C=own|C=B~new||--VR/b|" },
	{ "prefix", "C=X~own", NULL, "C=own|||--IN/a|" },
	{ "prefix", "C=B", NULL, "C=B|||--VN/b|" },
	{ "rewrite", NULL, NULL, "|||--NN/a|" },
	{ "rewrite", NULL, "C=own; path=/x", "|C=A; path=/x||--NR/a|" },
	{ "rewrite", "C=B", "C=own", "C=B|C=B||--VR/b|" },
	{ "passive", NULL, "C=A", "|C=A||----/a|" },
	{ "passive", "C=B", NULL, "C=B|||----/b|" },
	{ "preserve", NULL, "C=own", "|C=own||--NP/a|" },
	{ "preserve", NULL, NULL, "|C=A; path=/||--NI/a|" },
	{ "preserve", "C=B", "C=own", "|C=own||--VP/b|" },
	{ "postonly", NULL, NULL, "|||--NN/a|" },
	{ "persist", "C=B", NULL, "C=B|||--VN/b|" },
	{ "persist", "C=D", NULL, "C=D|||--DN/d|" },
};

static void each_mode(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		asks(rows[i].mode, "GET /", rows[i].cookie, rows[i].sets, rows[i].expected);
}

static void methods_decide(void **state)
{
	(void)state;
	asks("postonly", "POST /", NULL, NULL, "|C=A; path=/||--NI/a|");
	asks("postonly", "POST /", "C=B", NULL, "C=B|||--VN/b|");
}

static void rules_decide(void **state)
{
	(void)state;
	asks("ruled", "GET /", "C=B", NULL, "C=B|||--VN/b|");
	asks("ruled", "GET /a", "C=B", NULL, "C=B|||--UN/a|");
	asks("ruled", "GET /i", "C=B", NULL, "C=B|||--UN/a|");
	asks("ruled", "GET /f", "C=D", NULL, "C=D|||--DN/d|");
}

/* Caches are told where a response that they may keep gets a cookie of one client. */
static const struct {
	const char *request, *answer;
	bool told;
} caches[] = {
	{ "GET", "200 OK", false },
	{ "GET", "200 OK\r\nETag: x", true },
	{ "HEAD", "200 OK\r\nETag: x", true },
	{ "POST", "200 OK\r\nETag: x", false },
	{ "GET", "302 Found\r\nETag: x", false },
	{ "GET", "404 Not Found\r\nETag: x", true },
	{ "GET", "501 No\r\nETag: x", true },
	{ "GET", "200 OK\r\nExpires: x", true },
	{ "GET", "200 OK\r\nLast-Modified: x", true },
	{ "GET", "200 OK\r\nCache-Control: max-age=10", true },
	{ "GET", "200 OK\r\nCache-Control: s-maxage=9", true },
	{ "GET", "200 OK\r\nCache-Control: max-age=0\r\nETag: x", false },
	{ "GET", "200 OK\r\nCache-Control: max-age=0, s-maxage=1", true },
	{ "GET", "200 OK\r\nCache-Control: no-store\r\nETag: x", false },
	{ "GET", "200 OK\r\nCache-Control: max-age=10, no-cache", false },
	{ "GET", "200 OK\r\nCache-Control: no-cache=x\r\nETag: x", true },
	{ "GET", "200 OK\r\nPragma: no-cache\r\nETag: x", false },
};

static void caches_are_told(void **state)
{
	char request[100], answer[300];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(caches) / sizeof(caches[0]); i++) {
		const char *heard;
		int client;

		served_afresh();
		snprintf(request, sizeof(request), "%s / HTTP/1.1\r\nHost: a\r\n\r\n",
			 caches[i].request);
		snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\nContent-Length: 0\r\n\r\n",
			 caches[i].answer);
		served.says = answer;
		client = visitor_comes("indirect", request);
		heard = visitor_hears(client);
		if (!strcasestr(heard, "cache-control: private\r\n") == caches[i].told)
			fail_msg("%s: %s", caches[i].request, caches[i].answer);
		visitor_leaves(client);
		idle_close_all();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_mode),
		cmocka_unit_test(methods_decide),
		cmocka_unit_test(rules_decide),
		cmocka_unit_test(caches_are_told),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
