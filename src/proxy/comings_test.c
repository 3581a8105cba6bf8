/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Servers and backends that come and go while the program serves: what is refused, in which words;
 * what they are then; when they may go, and when they are gone; what the parts of modules hear.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "config/environment.h"
#include "config/fragment.h"
#include "config/load.h"
#include "event/timer.h"
#include "net/bind_conf.h"
#include "proxy/backend_add.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/server_asked.h"
#include "proxy/stick_conf.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char text[] =
	"defaults base\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
	" default-server weight 5\n"
	"defaults twice\n"
	"defaults twice\n"
	"defaults http\n mode http\n"
	"defaults\n timeout client 1s\n timeout server 1s\n timeout connect 1s\n"
	"listen l\n"
	" bind 127.0.0.1:18010\n"
	" server s1 127.0.0.1:81 check fall 3 rise 2\n"
	" server s2 127.0.0.1:82 track s1\n"
	"backend b\n"
	" default-server weight 9\n"
	" server s1 127.0.0.1:81 weight 50 maxconn 10\n"
	" server s2 127.0.0.1:+7\n"
	" server s3 127.0.0.1:83 check agent-check slowstart 4s weight 100\n"
	" server s4 [::1]:84 check port 9 id 40\n"
	"backend named\n"
	"backend table\n"
	" stick-table type ip size 1k\n"
	"frontend f\n"
	" bind 127.0.0.1:18011\n"
	" default_backend named\n";

static const struct module *const list[] = { &environment_module, &bind_module,	 &proxy_module,
					     &server_module,	  &stick_module, NULL };
static struct config *cfg;
static int saved_stderr, captured;
static char answer[2048];

static struct server *srv(const char *path)
{
	struct err err;
	struct server *s = server_find_path(path, &err);

	assert_non_null(s);
	return s;
}

static struct proxy *px(const char *name)
{
	struct proxy *found = proxy_find(proxies_running, name, PROXY_BACKEND);

	assert_non_null(found);
	return found;
}

static int setup(void **state)
{
	(void)state;
	clock_freeze(100000);
	cfg = test_config_serve(list, text);
	config_running = cfg;
	saved_stderr = dup(STDERR_FILENO);
	captured = memfd_create("stderr", 0);
	dup2(captured, STDERR_FILENO);
	return 0;
}

static int teardown(void **state)
{
	struct proxies *all = proxies_running;

	(void)state;
	dup2(saved_stderr, STDERR_FILENO);
	close(saved_stderr);
	close(captured);
	servers_release(all);
	backends_release(all);
	segment_free(&all->segment);
	config_free(&cfg);
	config_running = NULL;
	memset(&server_hooks, 0, sizeof(server_hooks));
	server_parts = NULL;
	proxy_parts = NULL;
	return 0;
}

/* ---- servers that come and go ------------------------------------------------------------ */

/* Adds it with these words; what is answered. */
static const char *add(const char *path, const char *words)
{
	char copy[256], *list_of[20], *rest = copy;
	struct err err = { "" };
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while (*words && (list_of[n] = strsep(&rest, " ")))
		n++;
	list_of[n] = NULL;
	snprintf(answer, sizeof(answer), "%s", server_add(path, list_of, &err) ? "" : err.text);
	return answer;
}

static void servers_that_are_refused(void **state)
{
	static const struct {
		const char *path, *words, *answer;
	} cases[] = {
		{ "b", "127.0.0.1:1", "Require 'backend/server'." },
		{ "/x", "127.0.0.1:1", "Require 'backend/server'." },
		{ "b/", "127.0.0.1:1", "Require 'backend/server'." },
		{ "x/x", "127.0.0.1:1", "No such backend." },
		{ "b/s1", "127.0.0.1:1",
		  "Already exists a server with the same name in backend." },
		{ "b/x", "", "'server' expects <name> and <addr>[:<port>] as arguments." },
		{ "b/x", "127.0.0.1:1 from", "'from' expects 'default-server', a server of the files "
					      "or a defaults section, not ''." },
		{ "b/x", "127.0.0.1:1 from nobody", "'from' expects 'default-server', a server of the "
						     "files or a defaults section, not 'nobody'." },
		{ "b/x*", "127.0.0.1:1", "'*' cannot stand in the name of a server: letters, digits "
					  "and '-', '_', '.', ':' can" },
		{ "b/x", "127.0.0.1:1 weight 257",
		  "'weight' must be a number from 0 to 256, not '257'" },
		{ "b/x", "127.0.0.1:1 id 40",
		  "'id' : custom id 40 already used at test:23 ('server s4')." },
		{ "b/x", "127.0.0.1:1 proto h2", "MUX protocol is not usable for server." },
		{ "b/x", "127.0.0.1:1 track y", "unable to find required server 'y' for tracking." },
		{ "b/x", "127.0.0.1:1 init-addr none",
		  "'init-addr' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 namespace n",
		  "'namespace' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 redir /",
		  "'redir' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 resolve-net n",
		  "'resolve-net' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 resolve-opts n",
		  "'resolve-opts' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 resolve-prefer n",
		  "'resolve-prefer' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 resolvers n",
		  "'resolvers' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 set-proxy-v2-tlv-fmt(1) n",
		  "'set-proxy-v2-tlv-fmt' option is not accepted for dynamic server" },
		{ "b/x", "127.0.0.1:1 socks4 n",
		  "'socks4' option is not accepted for dynamic server" },
	};
	unsigned count = px("b")->server_count;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(add(cases[i].path, cases[i].words), cases[i].answer);
	assert_int_equal(px("b")->server_count, count);
}

static void servers_that_come(void **state)
{
	struct server *s;
	uint32_t serial;

	(void)state;
	assert_string_equal(add("b/n1", "127.0.0.1:1 check"), "");
	s = srv("b/n1");
	serial = s->serial;
	assert_true(serial > 0);
	assert_true(s->added);
	assert_int_equal(s->set.weight, 1);
	assert_int_equal(s->puid, 4);
	assert_false(s->forced_id);
	assert_int_equal(s->state->admin, ADMIN_FORCED_MAINT);
	assert_int_equal(s->state->op, SERVER_DOWN);
	assert_int_equal(s->state->health, 0);
	assert_true(s->state->check.paused);
	assert_true(s->state->agent.paused);
	assert_int_equal(s->line_len, strlen("127.0.0.1:1") + strlen("check") + 2);
	assert_memory_equal(s->line, "127.0.0.1:1\0check\0", 18);
	assert_int_equal(px("b")->server_count, 5);
	assert_string_equal(add("b/n2", "127.0.0.1:1 from default-server enabled"), "");
	s = srv("b/n2");
	assert_int_equal(s->set.weight, 9);
	assert_int_equal(s->serial, serial + 1);
	assert_int_equal(s->state->admin, 0);
	assert_int_equal(s->state->op, SERVER_UP);
	assert_true(s->state->check.paused);
	assert_int_equal(s->puid, 5);
	assert_string_equal(add("b/n3", "127.0.0.1:1 from s1 maxconn 3 id 77 disabled"), "");
	s = srv("b/n3");
	assert_int_equal(s->set.weight, 50);
	assert_int_equal(s->state->maxconn, 3);
	assert_int_equal(s->puid, 77);
	assert_true(s->forced_id);
	assert_int_equal(s->state->admin, ADMIN_FORCED_MAINT);
	assert_string_equal(add("b/n4", "127.0.0.1:1 from base guid g4"), "");
	assert_int_equal(srv("b/n4")->set.weight, 5);
	/* They have no line of a file. */
	assert_string_equal(add("b/n5", "127.0.0.1:1 id 77"),
			    "'id' : custom id 77 already used at add server:0 ('server n3').");
	assert_string_equal(add("b/n5", "127.0.0.1:1 guid g4"),
			    "server b/n5 has the guid 'g4', which server b/n4 at add server:0 has "
			    "already");
	/* One that was added has no settings to give. */
	assert_string_equal(add("b/n5", "127.0.0.1:1 from n1"),
			    "'from' expects 'default-server', a server of the files or a defaults "
			    "section, not 'n1'.");
	assert_string_equal(add("b/n5", "127.0.0.1:1 track n1"),
			    "unable to use b/n1 for tracking as it is a dynamic server.");
	assert_true(list_empty(&srv("b/n1")->trackers));
	assert_string_equal(add("l/n6", "127.0.0.1:1 track s1 enabled"), "");
	assert_ptr_equal(srv("l/n6")->tracked, srv("l/s1"));
	server_make_maint(srv("l/s1"));
	assert_int_equal(srv("l/n6")->state->admin, ADMIN_INHERITED_MAINT);
	assert_true(server_is_anywhere(srv("l/n6")));
	assert_true(server_is_there(px("l"), srv("l/n6")));
	assert_false(server_is_there(px("b"), srv("l/n6")));
}

/* Why it cannot go now; "" if it can. Notes whether it never can. */
static const char *removable(const char *path, bool expected_never)
{
	struct err err = { "" };
	bool never = !expected_never;

	snprintf(answer, sizeof(answer), "%s",
		 server_removable(srv(path), &never, &err) < 0 ? err.text : "");
	assert_int_equal(never, expected_never);
	return answer;
}

static void servers_that_go(void **state)
{
	unsigned gone = servers_gone, count = px("b")->server_count;
	struct server *s = srv("b/s1"), *tail = srv("b/s4");

	(void)state;
	assert_string_equal(removable("b/s1", true),
			    "Only servers in maintenance mode can be deleted.");
	assert_string_equal(removable("l/s1", true), "This server cannot be removed at runtime due to "
						      "other configuration elements pointing to it.");
	server_make_maint(s);
	s->tally->current = 1;
	assert_string_equal(removable("b/s1", false),
			    "Server still has connections attached to it, cannot remove it.");
	s->tally->current = 0;
	assert_string_equal(removable("b/s1", false), "");
	s->pointed_at = true;
	assert_string_equal(removable("b/s1", true), "This server cannot be removed at runtime due to "
						      "other configuration elements pointing to it.");
	s->pointed_at = false;
	s->state->hostname = strdup("host");
	s->left_row = 9;
	server_remove(s);
	assert_int_equal(s->left_row, segment_own_row);
	assert_int_equal(servers_gone, gone + 1);
	assert_int_equal(servers_left(), 1);
	assert_true(servers_left_of(px("b")));
	assert_false(servers_left_of(px("l")));
	assert_int_equal(px("b")->server_count, count - 1);
	assert_false(server_is_anywhere(s));
	assert_null(s->next);
	/* The last one of the list. */
	server_make_maint(tail);
	server_remove(tail);
	assert_string_equal(add("b/n1", "127.0.0.1:1"), "");
	assert_ptr_equal(srv("b/s3")->next, srv("b/n1"));
	assert_int_equal(servers_left(), 2);
	/* Whoever is still in use stays until it is not. */
	s->conns = 1;
	clock_advance(1);
	timer_run();
	assert_int_equal(servers_left(), 1);
	clock_advance(50);
	timer_run();
	assert_int_equal(servers_left(), 1);
	s->conns = 0;
	clock_advance(50);
	timer_run();
	assert_int_equal(servers_left(), 0);
	assert_null(s->state->hostname);
	assert_int_equal(timer_run(), 0);
}

/* In a worker whose rules name it, it stays, in maintenance for good. */
static void servers_that_are_held(void **state)
{
	struct server *s = srv("b/s1");

	(void)state;
	s->pointed_at = true;
	server_remove(s);
	assert_ptr_equal(srv("b/s1"), s);
	assert_int_equal(s->state->admin, ADMIN_FORCED_MAINT | ADMIN_REMOVED);
	server_make_ready(s);
	assert_int_equal(s->state->op, SERVER_DOWN);
}

static const char *rename_to(const char *path, const char *name)
{
	struct err err = { "" };

	snprintf(answer, sizeof(answer), "%s",
		 server_rename(srv(path), name, &err) < 0 ? err.text : "");
	return answer;
}

static void servers_get_other_names(void **state)
{
	struct server *s = srv("b/s1");

	(void)state;
	assert_string_equal(rename_to("b/s1", ""), "set server <b>/<s> name requires a name.");
	assert_string_equal(rename_to("b/s1", "n"),
			    "Only servers in maintenance mode can be renamed.");
	server_make_maint(s);
	server_make_maint(srv("l/s1"));
	assert_string_equal(rename_to("l/s1", "n"), "This server cannot be renamed at runtime due to "
						     "other configuration elements pointing to it.");
	assert_string_equal(rename_to("b/s1", "a b"), "' ' cannot stand in the name of a server: "
						       "letters, digits and '-', '_', '.', ':' can");
	assert_string_equal(rename_to("b/s1", "s2"),
			    "Already exists a server with the same name in backend.");
	assert_string_equal(rename_to("b/s1", "n"), "");
	assert_ptr_equal(srv("b/n"), s);
}

/* It may be renamed for ever: memory is needed for its longest name. */
static void names_of_before_take_no_memory(void **state)
{
	const char *before;
	char name[80];
	size_t used;
	unsigned i;

	(void)state;
	server_make_maint(srv("b/s1"));
	before = srv("b/s1")->id;
	assert_string_equal(rename_to("b/s1", "short"), "");
	assert_string_equal(before, "s1"); /* is the configuration's */
	assert_string_equal(rename_to("b/short", "a-name-of-some-length-9999"), "");
	assert_string_equal(rename_to("b/a-name-of-some-length-9999", "a-name-of-some-length"), "");
	used = arena_used(config_running->arena);
	snprintf(name, sizeof(name), "b/a-name-of-some-length");
	for (i = 0; i < 10000; i++) {
		before = srv(name)->id;
		assert_string_equal(rename_to(name, i % 2 ? "a-name-of-some-length-9998" : "n"), "");
		assert_string_equal(before, name + 2);
		snprintf(name, sizeof(name), "b/%s", i % 2 ? "a-name-of-some-length-9998" : "n");
	}
	assert_int_equal(arena_used(config_running->arena), used);
}

/* ---- backends that come and go ----------------------------------------------------------- */

static const char *add_backend(const char *name, const char *words)
{
	char copy[256], *list_of[20], *rest = copy;
	struct err err = { "" };
	unsigned n = 0;

	snprintf(copy, sizeof(copy), "%s", words);
	while (*words && (list_of[n] = strsep(&rest, " ")))
		n++;
	list_of[n] = NULL;
	snprintf(answer, sizeof(answer), "%s", backend_add(name, list_of, &err) ? "" : err.text);
	return answer;
}

static void backends_that_are_refused(void **state)
{
	static const struct {
		const char *name, *words, *answer;
	} cases[] = {
		{ "b", "from base", "Already exists a backend with the same name." },
		{ "", "from base", "A name is expected." },
		{ "x y", "from base", "' ' cannot stand in a name: letters, digits and '-', '_', '.', "
				      "':' can" },
		{ "x", "", "'from' and the name of a defaults section are expected." },
		{ "x", "mode tcp", "'from' and the name of a defaults section are expected." },
		{ "x", "from", "'from' expects a value." },
		{ "x", "from base mode", "'mode' expects a value." },
		{ "x", "from base guid", "'guid' expects a value." },
		{ "x", "from base mode udp", "'mode' is 'tcp' or 'http', not 'udp'." },
		{ "x", "from base size 3", "'size' is not known: 'from <defaults>', 'mode tcp|http' and "
					   "'guid <id>' are." },
		{ "x", "from nobody mode tcp", "There is no defaults section 'nobody'." },
		{ "x", "from twice mode tcp", "There are two defaults sections 'twice'." },
		{ "x", "from base", "'mode' is expected: defaults section 'base' has none." },
		{ "x", "from base mode tcp guid a/b", "'a/b' is no guid: letters, digits, '.', ':', "
						       "'-' and '_' are expected" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(add_backend(cases[i].name, cases[i].words), cases[i].answer);
	assert_null(proxy_find(proxies_running, "x", PROXY_BACKEND));
}

static void backends_that_come(void **state)
{
	struct proxy *n;

	(void)state;
	assert_string_equal(add_backend("n1", "from base mode http guid g1"), "");
	n = px("n1");
	assert_int_equal(n->caps, PROXY_BACKEND);
	assert_int_equal(n->set.mode, MODE_HTTP);
	assert_string_equal(n->guid, "g1");
	assert_int_equal(n->set.timeout.server, 1000);
	assert_int_equal(n->set.server.weight, 5);
	assert_true(n->added);
	assert_true(n->state->unpublished);
	assert_int_equal(n->state->changed_ms, 100000);
	assert_int_equal(n->uuid, 6);
	assert_int_equal(n->run_state, PROXY_READY);
	assert_string_equal(add_backend("n2", "from http"), "");
	assert_int_equal(px("n2")->set.mode, MODE_HTTP);
	assert_int_equal(px("n2")->uuid, 7);
	assert_int_equal(px("n2")->serial, n->serial + 1);
	assert_string_equal(add_backend("n3", "mode tcp from http"), "");
	assert_int_equal(px("n3")->set.mode, MODE_TCP);
	assert_string_equal(add_backend("n4", "from http guid g1"),
			    "backend n4 has the guid 'g1', which backend n1 at add backend:0 has "
			    "already");
	backend_publish(n, true);
	assert_false(n->state->unpublished);
	backend_publish(n, false);
	assert_true(n->state->unpublished);
}

static const char *backend_goes(const char *name, bool expected_never)
{
	struct err err = { "" };
	bool never = !expected_never;

	snprintf(answer, sizeof(answer), "%s",
		 backend_removable(px(name), &never, &err) < 0 ? err.text : "");
	assert_int_equal(never, expected_never);
	return answer;
}

static void backends_that_go(void **state)
{
	unsigned gone = backends_gone;
	struct proxy *n;

	(void)state;
	assert_string_equal(backend_goes("l", true),
			    "'l' is a listen section: only backends can be deleted.");
	assert_string_equal(backend_goes("b", true),
			    "Backend 'b' is published: 'unpublish backend b' comes first.");
	backend_publish(px("b"), false);
	backend_publish(px("named"), false);
	backend_publish(px("table"), false);
	assert_string_equal(backend_goes("b", true),
			    "Backend 'b' still has servers: 'del server' comes first.");
	assert_string_equal(backend_goes("named", true), "Backend 'named' is named by the "
							  "configuration (test:29): it cannot be "
							  "deleted.");
	assert_string_equal(backend_goes("table", true),
			    "Backend 'table' has a stick-table: it cannot be deleted.");
	assert_string_equal(add_backend("n", "from http"), "");
	n = px("n");
	n->be->current = 1;
	assert_string_equal(backend_goes("n", false), "Backend 'n' still has streams.");
	assert_string_equal(backend_goes("n", false), "Backend 'n' still has streams.");
	n->left_row = 9;
	backend_remove(n);
	assert_int_equal(n->left_row, segment_own_row);
	assert_int_equal(backends_gone, gone + 1);
	assert_int_equal(backends_left(), 1);
	assert_null(proxy_find(proxies_running, "n", PROXY_BACKEND));
	clock_advance(1);
	timer_run();
	clock_advance(50);
	timer_run();
	clock_advance(50);
	timer_run();
	assert_int_equal(backends_left(), 1);
	/* It goes when it was idle twice. */
	n->be->current = 0;
	clock_advance(50);
	timer_run();
	assert_int_equal(backends_left(), 1);
	clock_advance(50);
	timer_run();
	assert_int_equal(backends_left(), 0);
	assert_int_equal(timer_run(), 0);
}

/* Rules, tables and clients of this process hold it: then it is unpublished, and stays. */
static void backends_that_are_held(void **state)
{
	static const char *const names[] = { "l", "named", "table" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(names); i++) {
		struct proxy *held = px(names[i]);

		backend_remove(held);
		assert_ptr_equal(px(names[i]), held);
		assert_true(held->state->unpublished);
	}
	assert_int_equal(backends_left(), 0);
	assert_int_equal(px("l")->server_count, 2);
	/* Its servers go with it. */
	backend_remove(px("b"));
	assert_null(proxy_find(proxies_running, "b", PROXY_BACKEND));
	assert_int_equal(servers_left(), 4);
}

/* ---- parts ------------------------------------------------------------------------------- */

static char heard[200];

static int make_server(struct config *c, struct server *s)
{
	strcat(strcat(heard, "make "), s->id);
	return strcmp(s->id, "bad") ? 0 : config_error(c, NULL, "not this one");
}

static void leave_server(struct server *s)
{
	strcat(strcat(heard, ", leave "), s->id);
}

static void free_server(struct server *s)
{
	strcat(strcat(heard, ", free "), s->id);
}

static int make_backend(struct config *c, struct proxy *p)
{
	strcat(strcat(heard, "make "), p->name);
	return strcmp(p->name, "bad") ? 0 : config_error(c, NULL, "not this one");
}

static void leave_backend(struct proxy *p)
{
	strcat(strcat(heard, ", leave "), p->name);
}

static void free_backend(struct proxy *p)
{
	strcat(strcat(heard, ", free "), p->name);
}

static struct server *marked_server;
static struct proxy *marked_backend;

static void mark_server(void)
{
	if (marked_server)
		marked_server->in_use = true;
}

static void mark_backend(void)
{
	if (marked_backend)
		marked_backend->in_use = true;
}

static void install_parts(void)
{
	static struct server_part of_servers = { .make = make_server, .leave = leave_server,
						 .mark = mark_server, .free = free_server };
	static struct proxy_part of_proxies = { .make = make_backend, .leave = leave_backend,
						.mark = mark_backend, .free = free_backend };
	static struct proxy_part *const proxies[] = { &of_proxies, NULL };
	static struct server_part *const servers[] = { &of_servers, NULL };

	parts_install(proxies, servers);
	heard[0] = 0;
}

static void turns(unsigned n)
{
	for (; n; n--) {
		clock_advance(50);
		timer_run();
	}
}

static void parts_of_servers_hear(void **state)
{
	unsigned count = px("b")->server_count;

	(void)state;
	install_parts();
	assert_string_equal(add("b/n", "127.0.0.1:1"), "");
	assert_string_equal(heard, "make n");
	marked_server = srv("b/n");
	server_remove(marked_server);
	assert_string_equal(heard, "make n, leave n");
	turns(3);
	assert_string_equal(heard, "make n, leave n");
	marked_server = NULL;
	turns(1);
	assert_string_equal(heard, "make n, leave n, free n");
	heard[0] = 0;
	assert_string_equal(add("b/bad", "127.0.0.1:1"), "not this one");
	assert_string_equal(heard, "make bad, leave bad, free bad");
	assert_int_equal(px("b")->server_count, count);
}

static void parts_of_backends_hear(void **state)
{
	(void)state;
	install_parts();
	assert_string_equal(add_backend("n", "from http"), "");
	assert_string_equal(heard, "make n");
	marked_backend = px("n");
	backend_remove(marked_backend);
	assert_string_equal(heard, "make n, leave n");
	turns(3);
	assert_string_equal(heard, "make n, leave n");
	marked_backend = NULL;
	turns(2);
	assert_string_equal(heard, "make n, leave n, free n");
	heard[0] = 0;
	assert_string_equal(add_backend("bad", "from http"), "not this one");
	assert_string_equal(heard, "make bad, leave bad, free bad");
	assert_null(proxy_find(proxies_running, "bad", PROXY_BACKEND));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(servers_that_are_refused), TEST(servers_that_come), TEST(servers_that_go),
		TEST(servers_that_are_held), TEST(servers_get_other_names),
		TEST(names_of_before_take_no_memory),
		TEST(backends_that_are_refused), TEST(backends_that_come), TEST(backends_that_go),
		TEST(backends_that_are_held), TEST(parts_of_servers_hear),
		TEST(parts_of_backends_hear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
