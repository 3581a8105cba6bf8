/* SPDX-License-Identifier: BSD-2-Clause */
/* The line that the log has of an exchange, or of bytes that passed, however they end: times, status,
 * bytes of both sides, why it ended and where, connections, tries and places in queues. Clients are
 * sockets of the Unix family, servers are scripted, the clock stands still. */
#include "session/test_visitor.h"

#include "base/err.h"
#include "config/config.h"
#include "exchange/idle.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "log/log.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request has 18 bytes and its path. */
#define GET(path) "GET " path " HTTP/1.1\r\nHost: a\r\n\r\n"
#define POST(path, more) "POST " path " HTTP/1.1\r\nHost: a\r\n" more "\r\n"
#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#define HALF "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
#define SWITCHES "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"

static int lines[2]; /* of the log: one is written to, the other is read */

/* %s alone would be the name of the servers' socket (served_world_begin). */
#define CONNECTIONS "%%ac/%%fc/%%bc/%%{-Q}sc/%%rc %%{-Q}sq/%%bq"
#define FORMAT_OF_BYTES                                                                            \
	" log-format \"%%ft %%b/%%{-Q}s %%Tw/%%Tc/%%Tt %%U %%B %%ts " CONNECTIONS "\"\n"

static int begin(void **state)
{
	struct err err = { "" };
	char text[4000];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, lines), 0);
	snprintf(text, sizeof(text),
		 "defaults\n timeout connect 5s\n timeout client 60s\n timeout server 50s\n"
		 " timeout queue 3s\n timeout http-request 40s\n timeout tunnel 20s\n"
		 " timeout tarpit 7s\n timeout http-keep-alive 30s\n retries 2\n"
		 " log fd@%d format raw local0\n"
		 "frontend f\n mode http\n bind 127.0.0.1:1\n"
		 " capture request header User-Agent len 5\n capture response header Server len 5\n"
		 " log-format \"%%ft %%b/%%{-Q}s %%TR/%%Tw/%%Tc/%%Tr/%%Ta %%ST %%U %%B %%tsc "
		 CONNECTIONS " %%hr%%hs %%HM %%HU\"\n"
		 " http-request deny if { path /deny }\n"
		 " http-request return status 204 if { path /return }\n"
		 " http-request redirect location /x if { path /redirect }\n"
		 " http-request tarpit if { path /tarpit }\n"
		 " http-request reject if { path /reject }\n"
		 " http-request wait-for-body time 10s if { path /wait }\n"
		 " http-response deny if { status 418 }\n"
		 " use_backend dead if { path /dead }\n use_backend two if { path /two }\n"
		 " use_backend one if { path /one }\n use_backend none if { path /none }\n"
		 " use_backend aborts if { path /aborts }\n use_backend again if { path /again }\n"
		 " default_backend b\n"
		 "backend b\n mode http\n server s abns@%%s\n"
		 "backend dead\n mode http\n server s abns@%%s-nobody\n"
		 "backend two\n mode http\n balance first\n option redispatch 1\n"
		 " server s abns@%%s-nobody\n server t abns@%%s\n"
		 "backend one\n mode http\n server s abns@%%s maxconn 1\n"
		 "backend none\n mode http\n server s abns@%%s disabled\n"
		 "backend aborts\n mode http\n option abortonclose\n server s abns@%%s\n"
		 "backend again\n mode http\n retry-on empty-response 503\n server s abns@%%s\n"
		 "listen t\n mode tcp\n bind 127.0.0.1:2\n server s abns@%%s\n"
		 FORMAT_OF_BYTES
		 "listen u\n mode tcp\n bind 127.0.0.1:3\n server s abns@%%s-nobody\n"
		 FORMAT_OF_BYTES,
		 lines[0]);
	visitors_begin(text);
	assert_int_equal(log_run_module.prepare(world_config(), NULL, &err), 0);
	return 0;
}

static int end(void **state)
{
	log_run_module.stop(); /* before its targets go with the configuration */
	served_world_end(state);
	close(lines[0]);
	close(lines[1]);
	return 0;
}

/* The next line; "": there is none. */
static const char *logged(void)
{
	static char line[1000];
	ssize_t n = recv(lines[1], line, sizeof(line) - 1, 0);

	line[n > 0 ? n - 1 : 0] = 0; /* its line feed */
	return line;
}

static int afresh(void **state)
{
	served_world_afresh(state);
	idle_close_all();
	while (*logged())
		;
	return 0;
}

static void line_is(const char *expected)
{
	assert_string_equal(logged(), expected);
}

static void line_comes(void)
{
	assert_string_not_equal(logged(), "");
}

/* It was answered so far, and one line was written. */
static void told(int client, const char *hears, const char *line)
{
	const char *heard = visitor_hears(client);

	assert_memory_equal(heard, hears, strlen(hears));
	assert_true(*hears || !*heard);
	line_is(line);
	line_is("");
	visitor_leaves(client);
	line_is("");
}

/* The server goes on. */
static void answers(const char *more)
{
	assert_int_equal(send(served.by, more, strlen(more), MSG_NOSIGNAL), strlen(more));
	turns(QUIET);
}

static void closes_its_half(int client)
{
	assert_int_equal(shutdown(client, SHUT_WR), 0);
	turns(QUIET);
}

/* ---- an answer at once ------------------------------------------------------------------------ */

static const struct row {
	const char *request, *says; /* NULL: as it was asked */
	const char *hears, *line;
} rows[] = {
	{ GET("/5"), NULL, "HTTP/1.1 200 OK\r\n",
	  "f b/s 0/0/0/0/0 200 28 43 ---- 1/1/0/0/0 0/0 {}{} GET /5" },
	{ "GET /0 HTTP/1.1\r\nHost: a\r\nUser-Agent: browser\r\n\r\n",
	  "HTTP/1.1 404 N\r\nServer: x\r\nContent-Length: 3\r\n\r\nabc", "HTTP/1.1 404 N\r\n",
	  "f b/s 0/0/0/0/0 404 49 51 ---- 1/1/0/0/0 0/0 {brows}{x} GET /0" },
	{ "HEAD /0 HTTP/1.1\r\nHost: a\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n",
	  "HTTP/1.1 200 OK\r\n", "f b/s 0/0/0/0/0 200 29 38 ---- 1/1/0/0/0 0/0 {}{} HEAD /0" },
	{ GET("/0"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
	  "HTTP/1.1 200 OK\r\n",
	  "f b/s 0/0/0/0/0 200 28 60 ---- 1/1/0/0/0 0/0 {}{} GET /0" },
	{ GET("/0"), "HTTP/1.1 103 E\r\nLink: x\r\n\r\n" ANSWER, "HTTP/1.1 103 E\r\nLink: x\r\n\r\nHTTP/1.1 200 ",
	  "f b/s 0/0/0/0/0 200 28 65 ---- 1/1/0/0/0 0/0 {}{} GET /0" },
	{ GET("/deny"), NULL, "HTTP/1.1 403 ",
	  "f f/<NOSRV> 0/-1/-1/-1/0 403 31 189 PR-- 1/1/0/0/0 0/0 {}{} GET /deny" },
	{ GET("/return"), NULL, "HTTP/1.1 204 ",
	  "f f/<NOSRV> 0/-1/-1/-1/0 204 33 27 LR-- 1/1/0/0/0 0/0 {}{} GET /return" },
	{ GET("/redirect"), NULL, "HTTP/1.1 302 ",
	  "f f/<NOSRV> 0/-1/-1/-1/0 302 35 80 LR-- 1/1/0/0/0 0/0 {}{} GET /redirect" },
	{ GET("/reject"), NULL, "",
	  "f f/<NOSRV> 0/-1/-1/-1/0 -1 33 0 PR-- 1/1/0/0/0 0/0 {}{} GET /reject" },
	{ GET("/0"), "HTTP/1.1 418 T\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 502 ",
	  "f b/s 0/0/0/0/0 502 28 206 PH-- 1/1/0/0/0 0/0 {}{} GET /0" },
	{ GET("/0"), "nonsense\r\n\r\n", "HTTP/1.1 502 ",
	  "f b/s 0/0/0/-1/0 502 28 206 PH-- 1/1/0/0/0 0/0 {}{} GET /0" },
	{ GET("/none"), NULL, "HTTP/1.1 503 ",
	  "f none/<NOSRV> 0/-1/-1/-1/0 503 31 214 SC-- 1/1/0/0/0 0/0 {}{} GET /none" },
	{ "GET /0 HTTP/1.1\r\nHo st: a\r\n\r\n", NULL, "HTTP/1.1 400 ",
	  "f f/<NOSRV> -1/-1/-1/-1/0 400 29 207 PR-- 1/1/0/0/0 0/0 <BADREQ> <BADREQ>" },
};

static void an_answer_at_once(void **state)
{
	const struct row *row;
	unsigned i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		afresh(state);
		row = &rows[i];
		served.says = row->says;
		told(visitor_comes("f", row->request), row->hears, row->line);
	}
}

static void the_second_request_is_timed_by_itself(void **state)
{
	int client = visitor_comes("f", GET("/5"));

	(void)state;
	line_comes();
	visitor_hears(client);
	pass(4000);
	visitor_says(client, "GET /5 HTTP/1.1\r\n");
	pass(300);
	visitor_says(client, "Host: a\r\n\r\n");
	told(client, "HTTP/1.1 200 ",
	     "f b/s 300/0/0/0/300 200 28 43 ---- 1/1/0/0/0 0/0 {}{} GET /5");
}

/* ---- time passes ------------------------------------------------------------------------------ */

static void servers_are_too_slow(void **state)
{
	int client;

	(void)state;
	served.says = "";
	client = visitor_comes("f", GET("/0"));
	pass(50000);
	told(client, "HTTP/1.1 504 ",
	     "f b/s 0/0/0/-1/50000 504 28 195 sH-- 1/1/0/0/0 0/0 {}{} GET /0");
	served.says = HALF;
	client = visitor_comes("f", GET("/0"));
	pass(50000);
	told(client, "HTTP/1.1 200 ",
	     "f b/s 0/0/0/0/50000 200 28 42 sD-- 1/1/0/0/0 0/0 {}{} GET /0");
}

static void clients_are_too_slow(void **state)
{
	int client = visitor_comes("f", "GET /0 HTTP/1.1\r\n");

	(void)state;
	pass(40000);
	told(client, "HTTP/1.1 408 ",
	     "f f/<NOSRV> -1/-1/-1/-1/40000 408 17 233 cR-- 1/1/0/0/0 0/0 <BADREQ> <BADREQ>");
	client = visitor_comes("f", POST("/wait", "Content-Length: 5\r\n") "abc");
	pass(10000);
	told(client, "HTTP/1.1 408 ",
	     "f f/<NOSRV> -1/-1/-1/-1/10000 408 51 233 cR-- 1/1/0/0/0 0/0 {}{} POST /wait");
}

static void a_tarpit_takes_its_time(void **state)
{
	int client = visitor_comes("f", GET("/tarpit"));

	(void)state;
	pass(6999);
	line_is("");
	pass(1);
	told(client, "HTTP/1.1 500 ",
	     "f f/<NOSRV> 0/7000/-1/-1/7000 500 33 205 PT-- 1/1/0/0/0 0/0 {}{} GET /tarpit");
}

static void a_queue_has_a_limit(void **state)
{
	int first, second;

	(void)state;
	served.says = "";
	first = visitor_comes("f", GET("/one"));
	second = visitor_comes("f", GET("/one"));
	pass(3000);
	told(second, "HTTP/1.1 503 ",
	     "f one/<NOSRV> 0/3000/-1/-1/3000 503 30 214 sQ-- 2/2/1/0/0 0/1 {}{} GET /one");
	visitor_leaves(first);
	line_comes();
}

/* Two wait behind it; the place in the queue is that at which they came. */
static void a_queue_is_told(void **state)
{
	int clients[3];
	unsigned i;

	(void)state;
	served.says = "";
	for (i = 0; i < 3; i++)
		clients[i] = visitor_comes("f", GET("/one"));
	pass(700);
	served.says = ANSWER;
	answers(ANSWER);
	line_is("f one/s 0/0/0/700/700 200 30 38 ---- 3/3/2/0/0 0/0 {}{} GET /one");
	line_is("f one/s 0/700/0/0/700 200 30 38 ---- 3/3/1/0/0 0/1 {}{} GET /one");
	line_is("f one/s 0/700/0/0/700 200 30 38 ---- 3/3/0/0/0 0/2 {}{} GET /one");
	for (i = 0; i < 3; i++)
		visitor_leaves(clients[i]);
	line_is("");
}

/* ---- servers that cannot be reached, and other tries ------------------------------------------- */

static void tries_are_told(void **state)
{
	int client = visitor_comes("f", GET("/dead"));

	(void)state;
	told(client, "HTTP/1.1 503 ",
	     "f dead/s 0/0/-1/-1/0 503 31 214 SC-- 1/1/0/0/2 0/0 {}{} GET /dead");
	told(visitor_comes("f", GET("/two")), "HTTP/1.1 200 ",
	     "f two/t 0/0/0/0/0 200 30 38 ---- 1/1/0/0/+1 0/0 {}{} GET /two");
	served.mute = 1;
	told(visitor_comes("f", GET("/again")), "HTTP/1.1 200 ",
	     "f again/s 0/0/0/0/0 200 32 38 ---- 1/1/0/0/1 0/0 {}{} GET /again");
	served.mute = 9;
	client = visitor_comes("f", GET("/again"));
	pass(2000);
	told(client, "HTTP/1.1 502 ",
	     "f again/s 0/0/0/-1/0 502 32 206 SH-- 1/1/0/0/2 0/0 {}{} GET /again");
}

static void statuses_are_tried_again(void **state)
{
	(void)state;
	served.says = "HTTP/1.1 503 U\r\nContent-Length: 0\r\n\r\n";
	told(visitor_comes("f", GET("/again")), "HTTP/1.1 503 U\r\n",
	     "f again/s 0/0/0/0/0 503 32 37 ---- 1/1/0/0/2 0/0 {}{} GET /again");
	assert_int_equal(served.asked, 3);
}

/* ---- who breaks off ---------------------------------------------------------------------------- */

static void servers_break_off(void **state)
{
	(void)state;
	served.says = "HTTP/1.1 2";
	served.leaves = 9;
	told(visitor_comes("f", GET("/0")), "HTTP/1.1 502 ",
	     "f b/s 0/0/0/-1/0 502 28 206 SH-- 1/1/0/0/0 0/0 {}{} GET /0");
	served.says = "";
	told(visitor_comes("f", GET("/0")), "HTTP/1.1 502 ",
	     "f b/s 0/0/0/-1/0 502 28 206 SH-- 1/1/0/0/0 0/0 {}{} GET /0");
	served.says = HALF;
	told(visitor_comes("f", GET("/0")), "HTTP/1.1 200 ",
	     "f b/s 0/0/0/0/0 200 28 42 SD-- 1/1/0/0/0 0/0 {}{} GET /0");
}

static void left(const char *says, const char *request, const char *line)
{
	int client;

	served.says = says;
	client = visitor_comes("f", request);
	pass(100);
	line_is("");
	visitor_leaves(client);
	pass(0);
	line_is(line);
	assert_int_equal(streams_count, 0);
}

static void clients_leave(void **state)
{
	(void)state;
	left(NULL, "GET /0 HTTP/1.1\r\n",
	     "f f/<NOSRV> -1/-1/-1/-1/100 400 17 117 CR-- 1/1/0/0/0 0/0 <BADREQ> <BADREQ>");
	left("", GET("/0"), "f b/s 0/0/0/-1/100 400 28 0 CH-- 1/1/0/0/0 0/0 {}{} GET /0");
	left(HALF, GET("/0"), "f b/s 0/0/0/0/100 200 28 42 CD-- 1/1/0/0/0 0/0 {}{} GET /0");
	left(NULL, POST("/wait", "Content-Length: 5\r\n") "abc",
	     "f f/<NOSRV> 100/-1/-1/-1/100 400 51 117 CR-- 1/1/0/0/0 0/0 {}{} POST /wait");
	left("", POST("/0", "Content-Length: 5\r\n") "abc",
	     "f b/s 0/0/0/-1/100 -1 51 0 CD-- 1/1/0/0/0 0/0 {}{} POST /0");
}

static void one_leaves_the_queue(void **state)
{
	int first, second;

	(void)state;
	served.says = "";
	first = visitor_comes("f", GET("/one"));
	second = visitor_comes("f", GET("/one"));
	visitor_leaves(second);
	pass(0);
	line_is("f one/<NOSRV> 0/0/-1/-1/0 -1 30 0 CQ-- 2/2/1/0/0 0/1 {}{} GET /one");
	visitor_leaves(first);
	pass(0);
	line_is("f one/s 0/0/0/-1/0 400 30 0 CH-- 1/1/0/0/0 0/0 {}{} GET /one");
}

/* It may: it waits for the answer. But where that is to leave. */
static void a_half_is_closed(void **state)
{
	int client;

	(void)state;
	served.says = "";
	served.stays = true;
	client = visitor_comes("f", GET("/0"));
	closes_its_half(client);
	line_is("");
	answers(ANSWER);
	told(client, "HTTP/1.1 200 ", "f b/s 0/0/0/0/0 200 28 38 ---- 1/1/0/0/0 0/0 {}{} GET /0");
	client = visitor_comes("f", GET("/aborts"));
	closes_its_half(client);
	told(client, "", "f aborts/s 0/0/0/-1/0 400 33 0 CH-- 1/1/0/0/0 0/0 {}{} GET /aborts");
}

static void an_administrator_ends_it(void **state)
{
	static const char *const ended[] = {
		"f b/s 0/0/0/-1/0 -1 28 0 KH-- 1/1/0/0/0 0/0 {}{} GET /0",
		"f b/s 0/0/0/0/0 200 28 42 KD-- 1/1/0/0/0 0/0 {}{} GET /0",
	};
	unsigned i;

	(void)state;
	for (i = 0; i < 2; i++) {
		int client;

		served.says = i ? HALF : "";
		client = visitor_comes("f", GET("/0"));
		streams_end_all(END_KILLED);
		turns(QUIET);
		line_is(ended[i]);
		visitor_leaves(client);
	}
}

/* ---- tunnels, and bytes ------------------------------------------------------------------------ */

static void bytes_of_a_tunnel_are_told(void **state)
{
	int client;

	(void)state;
	served.says = SWITCHES;
	client = visitor_comes("f", "GET /0 HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n");
	served.says = "";
	visitor_says(client, "tunnelled");
	answers("back");
	pass(600);
	line_is("");
	assert_int_equal(shutdown(served.by, SHUT_WR), 0);
	closes_its_half(client);
	told(client, "HTTP/1.1 101 ",
	     "f b/s 0/0/0/0/600 101 70 55 ---- 1/1/0/0/0 0/0 {}{} GET /0");
}

static void bytes_are_told(void **state)
{
	int client;

	(void)state;
	served.says = "answer";
	client = visitor_comes("t", "hello");
	pass(250);
	closes_its_half(client);
	told(client, "answer", "t t/s 0/0/250 5 6 -- 1/1/0/0/0 0/0");
	client = visitor_comes("t", "hello");
	pass(20000);
	told(client, "answer", "t t/s 0/0/20000 5 6 cD 1/1/0/0/0 0/0");
	served.breaks_off = true;
	client = visitor_comes("t", "hello");
	pass(1000);
	line_is("");
	assert_string_equal(visitor_hears(client), "answer");
	pass(1000);
	told(client, "", "t t/s 0/0/2000 5 6 SD 1/1/0/0/0 0/0");
	client = visitor_comes("u", "hello");
	told(client, "", "u u/s 0/-1/0 0 0 SC 1/1/0/0/2 0/0");
}

#define EACH(test) cmocka_unit_test_setup(test, afresh)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(an_answer_at_once), EACH(the_second_request_is_timed_by_itself),
		EACH(servers_are_too_slow), EACH(clients_are_too_slow), EACH(a_tarpit_takes_its_time),
		EACH(a_queue_has_a_limit), EACH(a_queue_is_told), EACH(tries_are_told),
		EACH(statuses_are_tried_again), EACH(servers_break_off), EACH(clients_leave),
		EACH(one_leaves_the_queue), EACH(a_half_is_closed), EACH(an_administrator_ends_it),
		EACH(bytes_of_a_tunnel_are_told), EACH(bytes_are_told),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
