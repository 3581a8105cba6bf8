/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is said when a configuration has been read: of names, numbers and guids that are there
 * twice, of what refers to something that is not there or does not fit, of what is missing; and
 * what proxies and servers have become by then.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/diag.h"
#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "net/bind_part.h"
#include "net/listener.h"
#include "proxy/guid.h"
#include "proxy/learn.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "proxy/test_config.h"

#include <stdio.h>
#include <string.h>

static const struct module *const list[] = { &environment_module, &bind_module,
					     &guid_module,	  &proxy_module,
					     &server_module,	  &stick_module,
					     NULL };
static struct config *cfg;
static char said[8192];

/* Reads it to its end; the problems stand in said, in the order of the lines. */
static void finish(const char *text)
{
	struct text t;

	config_free(&cfg);
	text_init(&t, said, sizeof(said));
	cfg = test_config_try(list, text, true, &t);
}

static int cleanup(void **state)
{
	(void)state;
	config_free(&cfg);
	return 0;
}

static int install(void **state)
{
	static struct bind_part *const parts[] = { &guid_part, NULL };

	(void)state;
	bind_parts_install(parts);
	return 0;
}

struct text_case {
	const char *text, *said;
};

static void all_say(const struct text_case *cases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		finish(cases[i].text);
		assert_string_equal(said, cases[i].said);
	}
}

#define ALL_SAY(cases) all_say(cases, ARRAY_LEN(cases))
#define T "defaults\n timeout client 1s\n timeout connect 1s\n timeout server 1s\n" /* 4 lines */
#define S " server s 192.0.2.1:80\n"

static struct proxies *all(void)
{
	return config_data(cfg, &proxy_module);
}

static struct proxy *px(const char *name)
{
	struct proxy *found = proxy_find(all(), name, PROXY_FRONTEND | PROXY_BACKEND);

	assert_non_null(found);
	return found;
}

static struct server *srv(const char *proxy, const char *name)
{
	struct server *s = server_find(px(proxy), name);

	assert_non_null(s);
	return s;
}

/* ---- sections ---------------------------------------------------------------------------- */

static void names_of_sections(void **state)
{
	static const struct text_case cases[] = {
		{ T "frontend\n", "5 error: a name expected here\n" },
		{ T "backend a/b\n",
		  "5 error: '/' cannot stand in a name: letters, digits and '-', '_', '.', ':' can\n" },
		{ T "defaults a*b\n",
		  "5 error: '*' cannot stand in a name: letters, digits and '-', '_', '.', ':' can\n" },
		{ T "frontend f 192.0.2.1:80\n",
		  "5 error: '192.0.2.1:80' cannot stand here: addresses are given by 'bind' lines "
		  "inside the section\n" },
		{ T "listen l x\n", "5 error: 'x' cannot stand here: addresses are given by 'bind' "
				    "lines inside the section\n" },
		{ T "backend b x\n", "5 error: 'x' cannot stand here: a name is one word\n" },
		{ T "backend b from\n", "5 error: the name of a defaults section expected here\n" },
		{ "defaults base\nbackend b from bases\n",
		  "2 error: there is no defaults section 'bases' above | did you mean 'base'?\n" },
		{ "defaults d\ndefaults d\nbackend b from d\n",
		  "3 error: there are two defaults sections 'd' (test:1 and test:2)\n" },
		{ "defaults d\ndefaults d\nbackend b\n", "" },
		{ "defaults d x\n", "1 warning: 'x' is ignored: a name is one word\n" },
		{ "defaults d x y\n", "1 warning: 'x' and what stands behind it are ignored: a name "
				      "is one word\n" },
		{ "defaults d\nbackend a\nbackend b from d\n",
		  "1 warning: defaults section 'd' is used by name ('from') and as the last one as "
		  "well; better do only one of both\n" },
		{ "defaults d\nbackend a from d\nbackend b from d\n", "" },
		{ "defaults d\ndefaults e from d\nbackend b\n", "" },
		{ "defaults d\ndefaults e from\n",
		  "2 error: the name of a defaults section expected here\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

/* Rules belong to one section and those that name it. */
static void sections_with_rules_have_no_heirs(void **state)
{
	static const struct {
		size_t at;
		const char *name;
	} lists[] = {
		{ offsetof(struct proxy, connection_rules), "tcp-request connection" },
		{ offsetof(struct proxy, session_rules), "tcp-request session" },
		{ offsetof(struct proxy, request_rules), "tcp-request content" },
		{ offsetof(struct proxy, response_rules), "tcp-response content" },
		{ offsetof(struct proxy, http_request_rules), "http-request" },
		{ offsetof(struct proxy, http_response_rules), "http-response" },
		{ offsetof(struct proxy, http_after_rules), "http-after-response" },
	};
	static const char first[] = "defaults a\n", second[] = "defaults b from a\n";
	char expected[300], *from;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(lists); i++) {
		config_free(&cfg);
		cfg = config_new(list, false);
		config_read_text(cfg, "test", first, strlen(first));
		from = (char *)list_first(&all()->defaults, struct proxy, node);
		*(void **)(void *)(from + lists[i].at) = from;
		assert_int_equal(config_read_text(cfg, "test", second, strlen(second)), -1);
		snprintf(expected, sizeof(expected),
			 "a defaults section cannot inherit from 'a' (test:1), which has '%s' rules: "
			 "they would not hold for those who use this one", lists[i].name);
		assert_string_equal(cfg->diag->first->message, expected);
	}
}

static void names_that_are_too_long(void **state)
{
	char text[400], name[NAME_MOST + 1];

	(void)state;
	memset(name, 'x', sizeof(name));
	snprintf(text, sizeof(text), "backend %.*s\n", NAME_MOST, name);
	finish(text);
	assert_string_equal(said, "");
	snprintf(text, sizeof(text), "backend %.*s\n", NAME_MOST + 1, name);
	finish(text);
	assert_non_null(strstr(said, "error: a name of more than 255 characters\n"));
	snprintf(text, sizeof(text), "backend b\n server %.*s 192.0.2.1:80\n", NAME_MOST + 1, name);
	finish(text);
	assert_non_null(strstr(said, "error: a name of more than 255 characters\n"));
	/* Numbers come behind names of templates. */
	snprintf(text, sizeof(text), T "backend b\n server-template %.*s 1 192.0.2.1:80\n",
		 NAME_MOST - 20, name);
	finish(text);
	assert_string_equal(said, "");
	snprintf(text, sizeof(text), T "backend b\n server-template %.*s 1 192.0.2.1:80\n",
		 NAME_MOST - 19, name);
	finish(text);
	assert_non_null(strstr(said, "error: a name of more than 235 characters\n"));
}

static void names_used_twice(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend a\nbackend a\n",
		  "6 error: backend 'a' has the same name as backend 'a' at test:5\n" },
		{ T "frontend a\n bind 127.0.0.1:1\nbackend a\n", "" },
		{ T "listen a\n bind 127.0.0.1:1\nbackend a\n",
		  "7 error: backend 'a' has the same name as listen 'a' at test:5\n" },
		{ T "frontend a\n bind 127.0.0.1:1\nlisten a\n bind 127.0.0.1:2\n",
		  "7 error: listen 'a' has the same name as frontend 'a' at test:5\n" },
		{ T "backend b\n" S " server t 192.0.2.2:80\n" S,
		  "8 error: there is another server 's' in 'b', at test:6\n" },
		{ T "backend b\n" S "backend c\n" S, "" },
		{ T "backend b\n stick-table type ip size 1k\n"
		    "frontend b\n bind 127.0.0.1:1\n stick-table type ip size 1k\n",
		  "9 error: there is a stick table 'b' already, at test:6\n" },
		{ T "backend b\n stick-table type ip size 1k\n stick-table type ip size 1k\n",
		  "7 error: 'b' has a stick table already; another one stands in a backend of its "
		  "own\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

/* ---- numbers ----------------------------------------------------------------------------- */

static void numbers_used_twice(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend a\n id 5\nbackend b\n id 6\nbackend c\n id 5\n",
		  "9 error: backend 'c' has the id 5, which backend 'a' at test:5 has already\n" },
		{ T "backend a\n server s 192.0.2.1:80 id 3\n server t 192.0.2.1:80 id 3\n",
		  "7 error: server 't' has the id 3, which server 's' at test:6 has already\n" },
		{ T "backend a\n server s 192.0.2.1:80 id 3\nbackend b\n server s 192.0.2.1:80 id 3\n",
		  "" },
		{ T "frontend f\n bind 127.0.0.1:1 id 3\n bind 127.0.0.1:2 id 3\n",
		  "7 error: the id 3 belongs to the bind line at test:6 already\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

/* Each proxy counts, also who has chosen its number; servers go on behind the last one numbered. */
static void numbers_of_the_others(void **state)
{
	(void)state;
	finish(T "backend a\n server s 192.0.2.1:80\n server t 192.0.2.1:80 id 1\n"
		 " server u 192.0.2.1:80\n server v 192.0.2.1:80 id 4\n server w 192.0.2.1:80\n"
		 "backend b\n id 9\nbackend c\nbackend d\n id 5\nbackend e\n");
	assert_string_equal(said, "");
	assert_int_equal(px("a")->uuid, 1);
	assert_int_equal(px("b")->uuid, 9);
	assert_int_equal(px("c")->uuid, 3);
	assert_int_equal(px("d")->uuid, 5);
	assert_int_equal(px("e")->uuid, 6);
	assert_false(px("a")->forced_id);
	assert_true(px("b")->forced_id);
	assert_int_equal(srv("a", "s")->puid, 2);
	assert_int_equal(srv("a", "t")->puid, 1);
	assert_int_equal(srv("a", "u")->puid, 3);
	assert_int_equal(srv("a", "v")->puid, 4);
	assert_int_equal(srv("a", "w")->puid, 5);
	assert_false(srv("a", "s")->forced_id);
	assert_true(srv("a", "t")->forced_id);
	assert_ptr_equal(proxy_find(all(), "#9", PROXY_BACKEND), px("b"));
	assert_null(proxy_find(all(), "#9", PROXY_FRONTEND));
	assert_null(proxy_find(all(), "#2", PROXY_BACKEND));
	assert_ptr_equal(server_find(px("a"), "#5"), srv("a", "w"));
	assert_null(server_find(px("a"), "#6"));
}

static void numbers_of_sockets(void **state)
{
	static const int expected[] = { 1, 2, 4, 3 };
	const struct bind_conf *bind;
	const struct listener *l;
	size_t n = 0;

	(void)state;
	finish(T "frontend f\n bind 127.0.0.1:1-2\n bind 127.0.0.1:3 id 4\n bind 127.0.0.1:4\n");
	assert_string_equal(said, "");
	list_for_each(bind, &px("f")->binds, node)
		list_for_each(l, &bind->listeners, node)
			assert_int_equal(l->id, expected[n++]);
	assert_int_equal(n, 4);
}

/* ---- guids ------------------------------------------------------------------------------- */

static void guids_used_twice(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend a\n guid x\nbackend b\n guid x\n",
		  "7 error: backend b has the guid 'x', which backend a at test:5 has already\n" },
		{ T "backend a\n guid x\n server s 192.0.2.1:80 guid x\n",
		  "7 error: server a/s has the guid 'x', which backend a at test:5 has already\n" },
		{ T "frontend f\n guid x-2\n bind 127.0.0.1:1-2 guid-prefix x\n",
		  "7 error: socket 127.0.0.1:2 of frontend f has the guid 'x-2', which frontend f at "
		  "test:5 has already\n" },
		{ T "listen f\n bind unix@/x guid-prefix x\n server s 192.0.2.1:80 guid x-1\n",
		  "7 error: server f/s has the guid 'x-1', which socket unix@/x of listen f at test:6 "
		  "has already\n" },
		{ T "backend a\n guid \"\"\n", "6 error: '' is no guid: letters, digits, '.', ':', '-' "
						"and '_' are expected\n" },
		{ T "backend a\n guid a/b\n", "6 error: 'a/b' is no guid: letters, digits, '.', ':', "
					       "'-' and '_' are expected\n" },
		{ T "backend a\n guid\n", "6 error: a guid expected here\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void guids_are_found(void **state)
{
	struct guid_owner owner;
	char buf[100];
	struct text t;

	(void)state;
	finish(T "frontend f\n bind 127.0.0.1:1-2 guid-prefix p\nbackend a\n guid ga\n"
		 " server s 192.0.2.1:80 guid gs\n");
	assert_string_equal(said, "");
	assert_true(guid_find(all(), "p-2", &owner));
	assert_int_equal(owner.listener->addr.port, 2);
	assert_ptr_equal(owner.proxy, px("f"));
	assert_string_equal(guid_of(&owner), "p-2");
	assert_true(guid_find(all(), "gs", &owner));
	assert_ptr_equal(owner.server, srv("a", "s"));
	text_init(&t, buf, sizeof(buf));
	guid_owner_print(&owner, &t);
	assert_string_equal(buf, "server a/s");
	assert_true(guid_find(all(), "ga", &owner));
	assert_ptr_equal(owner.proxy, px("a"));
	assert_null(owner.server);
	assert_null(owner.listener);
	assert_false(guid_find(all(), "p-3", &owner));
	assert_false(guid_find(all(), "p", &owner));
	/* In the order in which they are shown: the proxy and its sockets. */
	assert_true(guid_object(px("f"), 0, &owner));
	assert_null(owner.listener);
	assert_true(guid_object(px("f"), 1, &owner));
	assert_int_equal(owner.listener->addr.port, 1);
	assert_true(guid_object(px("f"), 2, &owner));
	assert_int_equal(owner.listener->addr.port, 2);
	assert_false(guid_object(px("f"), 3, &owner));
}

/* ---- from frontend to backend ------------------------------------------------------------ */

static void default_backends(void **state)
{
	static const struct text_case cases[] = {
		{ T "frontend f\n bind 127.0.0.1:1\n default_backend apis\nbackend api\n" S,
		  "7 error: there is no backend 'apis' for the default_backend of 'f' | did you mean "
		  "'api'?\n" },
		{ T "frontend f\n bind 127.0.0.1:1\n default_backend f\n",
		  "7 error: 'f' is a frontend: default_backend of 'f' needs a backend\n" },
		{ T "frontend f\n mode http\n bind 127.0.0.1:1\n default_backend b\nbackend b\n" S,
		  "8 error: frontend 'f' is in mode http and its backend 'b' is not\n" },
		{ T "frontend f\n bind 127.0.0.1:1\n default_backend b\nbackend b\n mode http\n" S, "" },
		{ T "frontend f\n", "5 warning: frontend 'f' has no 'bind' line, so that nobody can "
				    "connect to it; declare it as a backend if that is meant\n" },
		{ T "listen l\n" S, "5 warning: listen 'l' has no 'bind' line, so that nobody can "
				     "connect to it; declare it as a backend if that is meant\n" },
		{ T "frontend f\n disabled\n", "" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void who_leads_where(void **state)
{
	(void)state;
	finish(T "frontend f\n bind 127.0.0.1:1\n default_backend b\nlisten l\n bind 127.0.0.1:2\n"
		 "frontend g\n bind 127.0.0.1:3\n default_backend h\nbackend b\nbackend h\n mode http\n"
		 "backend c\n");
	assert_string_equal(said, "");
	assert_ptr_equal(px("f")->default_backend, px("b"));
	assert_true(px("b")->named);
	assert_int_equal(px("b")->named_at.line, 7);
	assert_false(px("c")->named);
	assert_false(px("f")->upgrades);
	assert_true(px("g")->upgrades);
	assert_false(list_empty(&px("b")->uppers));
	assert_false(list_empty(&px("l")->uppers));
	assert_true(list_empty(&px("c")->uppers));
	assert_true(proxies_have_listener(all()));
	finish(T "frontend f\n bind 127.0.0.1:1\n disabled\nbackend b\n");
	assert_false(proxies_have_listener(all()));
}

static void missing_timeouts(void **state)
{
#define LACKS(line, kind, name, which)                                                       \
	line " warning: " kind " '" name "' lacks timeouts: " which "; without them dead "    \
	     "connections stay for ever\n"
	static const struct text_case cases[] = {
		{ "listen l\n bind 127.0.0.1:1\n" S,
		  LACKS("1", "listen", "l", "client, connect, server") },
		{ "listen l\n bind 127.0.0.1:1\n timeout client 1s\n" S,
		  LACKS("1", "listen", "l", "connect, server") },
		{ "listen l\n bind 127.0.0.1:1\n timeout connect 1s\n" S,
		  LACKS("1", "listen", "l", "client, server") },
		{ "listen l\n bind 127.0.0.1:1\n timeout server 1s\n" S,
		  LACKS("1", "listen", "l", "client, connect") },
		{ "frontend f\n bind 127.0.0.1:1\n", LACKS("1", "frontend", "f", "client") },
		{ "frontend f\n bind 127.0.0.1:1\n disabled\n", "" },
		{ "backend b\n" S, LACKS("1", "backend", "b", "connect, server") },
		{ "backend b\n", "" },
		{ "backend b\n dispatch 192.0.2.1:80\n",
		  LACKS("1", "backend", "b", "connect, server") },
		{ T "backend b\n timeout try 1s\n",
		  "5 notice: backend 'b': 'timeout try' has no effect outside of mode http\n" },
		{ T "backend b\n mode http\n timeout try 1s\n", "" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void protocols_of_sockets(void **state)
{
	static const struct text_case cases[] = {
		{ T "frontend f\n mode http\n bind 127.0.0.1:1 proto none\n",
		  "7 error: 'proto none' needs mode tcp: in mode http, clients speak HTTP\n" },
		{ T "frontend f\n bind 127.0.0.1:1 proto none\n", "" },
		{ T "frontend f\n bind 127.0.0.1:1 proto h2\n",
		  "6 error: 'proto' needs mode http: in mode tcp, bytes pass whatever they are\n" },
		{ T "frontend f\n mode http\n bind 127.0.0.1:1 proto h2\n", "" },
	};

	(void)state;
	ALL_SAY(cases);
}

/* ---- servers ----------------------------------------------------------------------------- */

static void words_that_do_not_fit(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend b\n server s 192.0.2.1:80 redir http://x\n",
		  "6 error: server 's': 'redir' needs mode http\n" },
		{ T "backend b\n mode http\n server s 192.0.2.1:80 redir http://x\n", "" },
		{ T "backend b\n server s [::1]:80 socks4 192.0.2.1:1\n",
		  "6 warning: server 's' can never be reached: 'socks4' connects to addresses of IPv4 "
		  "alone\n" },
		{ T "backend b\n server s [::ffff:192.0.2.1]:80 socks4 192.0.2.1:1\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 socks4 192.0.2.1:1\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 proto h2\n",
		  "6 error: server 's': 'proto h2' is not for mode tcp\n" },
		{ T "backend b\n server s 192.0.2.1:80 proto h1\n",
		  "6 error: server 's': 'proto h1' is not for mode tcp\n" },
		{ T "backend b\n mode http\n server s 192.0.2.1:80 proto none\n",
		  "7 error: server 's': 'proto none' is not for mode http\n" },
		{ T "backend b\n server s 192.0.2.1:80 proto none\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 ws h1\n",
		  "6 notice: server 's': 'ws' has no effect outside of mode http\n" },
		{ T "backend b\n server s 192.0.2.1:80 check\n"
		    " server t 192.0.2.1:80 init-state up track s\n",
		  "7 error: server 't' has 'init-state' and 'track': it is what the one is that it "
		  "tracks\n" },
		{ T "backend b\n server s 192.0.2.1:80 init-state down\n",
		  "6 notice: server 's': 'init-state' has no effect without 'check'\n" },
		{ T "backend b\n server s 192.0.2.1:80 check init-state down\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 init-state none\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 check observe layer7\n",
		  "6 warning: server 's': 'observe layer7' is ignored outside of mode http\n" },
		{ T "backend b\n server s 192.0.2.1:80 check observe layer4\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 minconn 9 maxconn 8\n",
		  "6 notice: server 's': minconn 9 is above maxconn 8, and counts for both\n" },
		{ T "backend b\n server s 192.0.2.1:80 minconn 8 maxconn 8\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 minconn 8\n", "" },
		{ T "backend b\n server s 192.0.2.1:80 weight 0\n",
		  "6 note: server 's' has weight 0: balancing never takes it\n" },
		{ T "backend b\n server s 192.0.2.1:80 weight 1\n", "" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void what_servers_become(void **state)
{
	(void)state;
	finish(T "backend b\n mode http\n server a 192.0.2.1:80 minconn 9 maxconn 8\n"
		 " server b 192.0.2.1:80 minconn 7\n server c 192.0.2.1:80 minconn 5 maxconn 6\n"
		 "backend c\n mode http\n server a 192.0.2.1:80 proto h2\n"
		 " server b 192.0.2.1:80 proto h2 ws h1\n server c 192.0.2.1:80 ws h1\n"
		 " server d 192.0.2.1:80\n server e 192.0.2.1:80 proto h2 ws h2\n"
		 "backend d\n mode http\n server a 192.0.2.1:80 ws h2\n"
		 "backend e\n server a 192.0.2.1:80 observe layer4\n server b 192.0.2.1:80\n"
		 "backend f\n mode http\n server a 192.0.2.1:80 observe layer7 strict-maxconn\n"
		 "backend g\n server a 192.0.2.1:80 check agent-check\n disabled\n");
	assert_null(strstr(said, "error"));
	assert_int_equal(srv("b", "a")->set.maxconn, 9);
	assert_int_equal(srv("b", "b")->set.maxconn, 7);
	assert_int_equal(srv("b", "c")->set.maxconn, 6);
	assert_int_equal(px("b")->set.retry_on, RETRY_CONN_FAILURE);
	assert_int_equal(srv("c", "a")->carrier, CARRIER_OF(PROTO_H2));
	assert_int_equal(srv("c", "a")->ws, PROTO_UNSET);
	assert_false(srv("c", "a")->particular);
	assert_int_equal(srv("c", "b")->ws, PROTO_H1);
	assert_true(srv("c", "b")->particular);
	assert_int_equal(srv("c", "c")->carrier, CARRIER_OF(PROTO_H1));
	assert_int_equal(srv("c", "c")->ws, PROTO_UNSET);
	assert_int_equal(srv("c", "d")->ws, PROTO_UNSET);
	assert_int_equal(srv("c", "e")->ws, PROTO_UNSET);
	assert_int_equal(px("c")->set.retry_on, RETRY_CONN_FAILURE | RETRY_UNPROCESSED);
	assert_int_equal(srv("d", "a")->ws, PROTO_H2);
	assert_true(srv("d", "a")->particular);
	assert_int_equal(px("d")->set.retry_on, RETRY_CONN_FAILURE | RETRY_UNPROCESSED);
	assert_int_equal(srv("e", "a")->learns, LEARNS_CONNECTIONS);
	assert_int_equal(srv("e", "b")->learns, 0);
	assert_int_equal(srv("f", "a")->learns, LEARNS_RESPONSES);
	assert_true(px("f")->strict);
	assert_false(px("e")->strict);
	/* Nobody asks the servers of what is not started. */
	assert_int_equal(srv("g", "a")->set.options.on, 0);
}

static void who_tracks_whom(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend b\n server s 192.0.2.1:80 check track t\n server t 192.0.2.1:80 check\n",
		  "6 error: server 's' has 'check' and 'track': it can only do one\n" },
		{ T "backend b\n server s1 192.0.2.1:80 check\n server t 192.0.2.1:80 track s2\n",
		  "7 error: server 't' tracks 's2', but 'b' has no such server\n" },
		{ T "backend b\n server srv1 192.0.2.1:80 check\n server t 192.0.2.1:80 track srv2\n",
		  "7 error: server 't' tracks 'srv2', but 'b' has no such server | did you mean "
		  "'srv1'?\n" },
		{ T "backend api\n server s 192.0.2.1:80 check\n"
		    "backend c\n server t 192.0.2.1:80 track apo/s\n",
		  "8 error: server 't' tracks a server of 'apo', but there is no such backend | did "
		  "you mean 'api'?\n" },
		{ T "backend b\n" S " server t 192.0.2.1:80 track s\n",
		  "7 error: unable to use b/s for tracking as it does not have any check nor agent "
		  "enabled.\n" },
		{ T "backend b\n server s 192.0.2.1:80 agent-check\n server t 192.0.2.1:80 track s\n",
		  "" },
		{ T "backend b\n server s 192.0.2.1:80 track t\n server t 192.0.2.1:80 track s\n",
		  "6 error: server 's' tracks t, which leads back to itself\n"
		  "7 error: unable to use b/s for tracking as it does not have any check nor agent "
		  "enabled.\n" },
		{ T "backend b\n server s 192.0.2.1:80 track s\n",
		  "6 error: server 's' tracks s, which leads back to itself\n" },
	};

	(void)state;
	ALL_SAY(cases);
	finish(T "backend a\n server s 192.0.2.1:80 check\nbackend b\n server t 192.0.2.1:80 track a/s\n"
		 " server u 192.0.2.1:80 track t\n");
	assert_string_equal(said, "");
	assert_ptr_equal(srv("b", "t")->tracked, srv("a", "s"));
	assert_ptr_equal(srv("b", "u")->tracked, srv("b", "t"));
	assert_ptr_equal(list_first(&srv("a", "s")->trackers, struct server, tracker_node),
			 srv("b", "t"));
}

static void lines_of_servers(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend b\n server\n", "6 error: the name of the server expected here\n" },
		{ T "backend b\n server s\n", "6 error: the server's address expected here\n" },
		{ T "backend b\n server s/t 192.0.2.1:80\n",
		  "6 error: '/' cannot stand in the name of a server: letters, digits and '-', '_', "
		  "'.', ':' can\n" },
		{ "defaults\n server s 192.0.2.1:80\n",
		  "2 error: 'server' is not allowed in a defaults section\n" },
		{ T "frontend f\n bind 127.0.0.1:1\n server s 192.0.2.1:80\n",
		  "7 error: 'server' is not allowed in a frontend: it belongs in a backend or listen "
		  "section\n" },
		{ T "frontend f\n bind 127.0.0.1:1\n default-server check\n",
		  "7 error: 'default-server' is not allowed in a frontend: it belongs in a backend or "
		  "listen section\n" },
	};

	(void)state;
	ALL_SAY(cases);
	/* The name was forgotten. */
	finish(T "backend b\n server 192.0.2.9:80 check\n");
	assert_non_null(strstr(said, "6 notice: 'check' is taken for the address of a server called "
				     "'192.0.2.9:80' | its name stands in front of the address: 'server "
				     "NAME 192.0.2.9:80'\n"));
	finish(T "backend b\n server a:b 192.0.2.9:80\n server a: 192.0.2.9:80\n"
		 " server a:80 192.0.2.9:80\n");
	assert_null(strstr(said, "is taken for the address"));
}

static void doubts_about_words(void **state)
{
	static const char *const of_checks[] = {
		"inter 5s", "fastinter 5s", "downinter 5s", "rise 5", "fall 5", "port 5",
		"addr 192.0.2.7", "check-proto h2", "check-send-proxy", "check-via-socks4",
		"on-marked-down shutdown-sessions", "on-marked-up shutdown-backup-sessions",
	};
	static const char *const meant[] = { "check", "no-check", "agent-check", "observe layer4" };
	char text[300], expected[200];
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(of_checks); i++) {
		snprintf(text, sizeof(text), T "backend b\n server s 192.0.2.1:80 %s\n", of_checks[i]);
		finish(text);
		snprintf(expected, sizeof(expected),
			 "6 note: server 's': '%.*s' has no effect without 'check'\n",
			 (int)strcspn(of_checks[i], " "), of_checks[i]);
		assert_string_equal(said, expected);
		for (k = 0; k < ARRAY_LEN(meant); k++) {
			snprintf(text, sizeof(text), T "backend b\n server s 192.0.2.1:80 %s %s\n",
				 of_checks[i], meant[k]);
			finish(text);
			assert_string_equal(said, "");
		}
		snprintf(text, sizeof(text), T "backend b\n default-server check\n"
			 " server s 192.0.2.1:80 %s\n", of_checks[i]);
		finish(text);
		assert_string_equal(said, "");
	}
	/* A name is no word. */
	finish(T "backend b\n server inter 192.0.2.1:80\n");
	assert_string_equal(said, "");
}

/* ---- templates --------------------------------------------------------------------------- */

static void lines_of_templates(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend b\n server-template\n", "6 error: what the names begin with expected here\n" },
		{ T "backend b\n server-template s\n",
		  "6 error: a number of servers, or a range expected here\n" },
		{ T "backend b\n server-template s x 192.0.2.1:80\n",
		  "6 error: 'x' is neither a number of servers nor a range such as 1-3\n" },
		{ T "backend b\n server-template s 1-x 192.0.2.1:80\n",
		  "6 error: '1-x' is neither a number of servers nor a range such as 1-3\n" },
		{ T "backend b\n server-template s x-3 192.0.2.1:80\n",
		  "6 error: 'x' is no number, in the range 'x-3'\n" },
		{ T "backend b\n server-template s 3-2 192.0.2.1:80\n",
		  "6 error: '3-2' makes no server\n" },
		{ T "backend b\n server-template s 0 192.0.2.1:80\n",
		  "6 error: '0' makes no server\n" },
		{ T "backend b\n server-template s 100001 192.0.2.1:80\n",
		  "6 error: '100001' are more than 100000 servers\n" },
		{ T "backend b\n server-template s 0-100000 192.0.2.1:80\n",
		  "6 error: '0-100000' are more than 100000 servers\n" },
		{ T "backend b\n server-template s 2 192.0.2.1:80 id 3\n",
		  "6 error: 'id' cannot be given by server-template: each server has its own\n" },
		{ T "backend b\n server-template s 2 192.0.2.1:80 guid 3\n",
		  "6 error: 'guid' cannot be given by server-template: each server has its own\n" },
	};
	const struct server *s;
	unsigned n = 0;
	char name[8];

	(void)state;
	ALL_SAY(cases);
	finish(T "backend b\n server-template s 2-4 192.0.2.1:80 weight 7 check\n"
		 " server t 192.0.2.2:81\n");
	assert_string_equal(said, "");
	assert_int_equal(px("b")->server_count, 4);
	for (s = px("b")->servers; s && n < 3; s = s->next, n++) {
		snprintf(name, sizeof(name), "s%u", n + 2);
		assert_string_equal(s->id, name);
		assert_int_equal(s->puid, n + 1);
		assert_int_equal(s->order, n + 1);
		assert_int_equal(s->set.weight, 7);
		assert_int_equal(s->spec.addr.port, 80);
		assert_int_equal(s->set.options.on, SRV_CHECK);
		assert_int_equal(s->loc.line, 6);
	}
	assert_string_equal(s->id, "t");
	finish(T "backend b\n server-template s 3 192.0.2.1:80\n");
	assert_string_equal(px("b")->servers->id, "s1");
	assert_int_equal(px("b")->server_count, 3);
}

/* ---- dispatch ---------------------------------------------------------------------------- */

static void where_those_go_that_belong_to_none(void **state)
{
	static const struct text_case cases[] = {
		{ T "backend b\n dispatch\n", "6 error: an address and a port expected here\n" },
	};

	(void)state;
	ALL_SAY(cases);
	finish(T "backend b\n dispatch 192.0.2.1:80\nbackend c\n dispatch *:81\nbackend d\n"
		 " dispatch [::]:82\nbackend e\n option transparent\nbackend f\n"
		 " option transparent\n dispatch 192.0.2.1:80\nbackend g\n" S);
	assert_string_equal(said, "");
	assert_string_equal(px("b")->dispatch->id, "<NOSRV>");
	assert_int_equal(px("b")->dispatch->loc.line, 6);
	assert_int_equal(px("b")->dispatch->spec.addr.v4.s_addr, htonl(0xc0000201));
	assert_int_equal(px("c")->dispatch->spec.addr.v4.s_addr, htonl(INADDR_LOOPBACK));
	assert_int_equal(px("c")->dispatch->spec.addr.port, 81);
	assert_true(IN6_IS_ADDR_LOOPBACK(&px("d")->dispatch->spec.addr.v6));
	assert_int_equal(px("e")->dispatch->spec.addr.family, AF_INET);
	assert_int_equal(px("e")->dispatch->spec.addr.v4.s_addr, 0);
	assert_true(px("e")->dispatch->spec.has_offset);
	assert_int_equal(px("e")->dispatch->set.weight, 1);
	assert_int_equal(px("f")->dispatch->spec.addr.port, 80);
	assert_null(px("g")->dispatch);
	assert_true(server_is_dispatch(px("b")->dispatch));
	assert_false(server_is_dispatch(srv("g", "s")));
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_of_sections), TEST(sections_with_rules_have_no_heirs),
		TEST(names_that_are_too_long), TEST(names_used_twice),
		TEST(numbers_used_twice), TEST(numbers_of_the_others), TEST(numbers_of_sockets),
		TEST(guids_used_twice), TEST(guids_are_found), TEST(default_backends),
		TEST(who_leads_where), TEST(missing_timeouts), TEST(protocols_of_sockets),
		TEST(words_that_do_not_fit), TEST(what_servers_become), TEST(who_tracks_whom),
		TEST(lines_of_servers), TEST(doubts_about_words), TEST(lines_of_templates),
		TEST(where_those_go_that_belong_to_none),
	};

	return cmocka_run_group_tests(tests, install, NULL);
}
