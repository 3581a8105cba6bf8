/* SPDX-License-Identifier: BSD-2-Clause */
/* One request, explained (explain/explain.h). A client and a server inside the program (inside.c)
 * speak to a session that begins as any other; a record (record.c) writes down what its stream
 * tells. A second process waits from the beginning: it asks the same again with the server down
 * that the first one was given, and says what would have happened. */
#include "explain/explain.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fold.h"
#include "base/kind.h"
#include "config/config.h"
#include "explain/ask.h"
#include "explain/expect.h"
#include "explain/h2_client.h"
#include "explain/inside_tls.h"
#include "explain/listen.h"
#include "explain/outcome.h"
#include "explain/record.h"
#include "explain/say.h"
#include "explain/shown.h"
#include "explain/source.h"
#include "explain/world.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "expr/watch.h"
#include "log/log.h"
#include "net/conn_link.h"
#include "net/listener.h"
#include "net/netns.h"
#include "proxy/proxy.h"
#include "session/admission.h"
#include "session/client_protos.h"
#include "session/handshake.h"
#include "session/session.h"
#include "stream/extra.h"
#include "stream/rule_steps.h"
#include "stream/stream.h"
#include "stream/view.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What is being explained. */
static struct explained {
	const struct ask *ask;
	const struct config *cfg;
	struct inside inside;
	struct record record;
	struct listener *listener;
	const char *listener_why;
	struct addr to;
	bool refused;          /* by a rule of the connection or the session */
	uint64_t waited_ms;
	const char *waits_for; /* the step in which it waits for ever; NULL: it does not */
	struct bytes h2_says;  /* by the client, where it speaks HTTP/2 */
	struct entry *servers;  /* of the record; NULL: no server was chosen */
} now;

/* ---- variables, servers that are down ------------------------------------------------------ */

static bool scope_is(const char *variable, const char *scope)
{
	return !strncmp(variable, scope, strlen(scope));
}

/* Digits are a number. */
static void set_variable(const char *pair, const struct view *view)
{
	const char *equal = strchr(pair, '=');
	struct sample smp = { .type = SMP_STR, .str = span_of(equal + 1) };
	const struct var_name *name;
	int64_t number;

	name = var_name((struct span){ pair, (size_t)(equal - pair) }, NULL);
	if (str_to_int(equal + 1, INT64_MIN, INT64_MAX, &number)) {
		smp.type = SMP_INT;
		smp.num = number;
	}
	if (name)
		var_set(name, view, &smp, 0);
}

static void set_variables(const struct ask *ask, const struct view *view, bool of_stream)
{
	unsigned i;

	for (i = 0; i < ask->variables.count; i++) {
		const char *v = ask->variables.items[i];

		if (of_stream == (scope_is(v, "txn.") || scope_is(v, "req.")))
			set_variable(v, view);
	}
}

static void stream_begins(struct record *r, struct stream *s)
{
	struct view view;

	(void)r;
	if (!now.ask->variables.count || !extra_get(s))
		return;
	stream_view(s, &view, NULL);
	set_variables(now.ask, &view, true);
}

static int check_words(const struct ask *ask, struct err *err)
{
	unsigned i;

	for (i = 0; i < ask->variables.count; i++) {
		const char *v = ask->variables.items[i];

		if (!var_name((struct span){ v, strcspn(v, "=") }, err))
			return err_prefix(err, "--set %s", v);
	}
	for (i = 0; i < ask->expects.count; i++)
		if (expect_check(ask->expects.items[i], err) < 0)
			return -1;
	return 0;
}

static int server_down(const char *name, struct err *err)
{
	const char *slash = strchr(name, '/');
	struct server *s;
	struct proxy *px;
	unsigned found = 0;

	list_for_each(px, &proxies_running->list, node) {
		if (slash && (strlen(px->name) != (size_t)(slash - name) ||
			      strncmp(px->name, name, strlen(px->name)) != 0))
			continue;
		for (s = px->servers; s; s = s->next) {
			if (strcmp(s->id, slash ? slash + 1 : name) != 0)
				continue;
			server_set_down(s, NULL);
			found++;
		}
	}
	return found ? 0 : err_set(err, "--down: there is no server '%s'", name);
}

/* ---- from the first byte to the last ------------------------------------------------------- */

/* Who asks for another service of the program itself has no server here. */
static bool server_refuses(const struct stream *s)
{
	return s != now.record.stream;
}

static void note_message(const char *name, struct span bytes)
{
	struct record *r = &now.record;
	char *text = message_head(r->arena, bytes);

	r->at = r->root;
	r->section_of = NULL;
	record_note(r, ENTRY_MESSAGE, name, text);
}

/* How it goes to the server in truth, where that is not HTTP/1 in clear, as here. */
static const char *server_speech(void)
{
	const struct outcome *o = &now.record.outcome;
	const struct proxy *be =
		o->backend ? proxy_find(proxies_running, o->backend, PROXY_BACKEND) : NULL;
	const struct server *s = be && o->server ? server_find(be, o->server) : NULL;
	bool tls = s && s->set.tls.options.on & TLS_SSL;
	enum proto p;

	if (!s || now.inside.closes)
		return tls ? " (it would go over TLS)" : "";
	if (s->set.proto > PROTO_USUAL)
		return arena_printf(now.record.arena, " (it would go as %s%s)", protos[s->set.proto].name,
				    tls ? ", over TLS" : "");
	for (p = PROTO_USUAL + 1; tls && p < PROTO_COUNT; p++)
		if (s->set.tls.alpn.len && memmem(s->set.tls.alpn.ptr, s->set.tls.alpn.len,
						  protos[p].alpn.ptr, protos[p].alpn.len))
			return arena_printf(now.record.arena, " (it would go over TLS, as %s if the "
					    "server agrees)", protos[p].name);
	return tls ? " (it would go over TLS)" : "";
}

/* The server has the request. */
static void server_has_it(void)
{
	struct record *r = &now.record;
	const char *who = r->outcome.server ? r->outcome.server : "server";
	const char *how = now.ask->answer_given ? "" : " (assumed: --server-answers says another)";

	note_message(arena_printf(r->arena, "request to %s%s", who, server_speech()),
		     bytes_span(&now.inside.got));
	if (now.inside.answer.len)
		note_message(arena_printf(r->arena, "answer of %s%s", who, how), now.inside.answer);
}

/* Nothing moves by itself any more: what is waited for is time. False: not even that helps. */
static bool let_time_pass(void)
{
	enum { STEP_MS = 10, FINE_MS = 10000, LONG_MS = 1000, MOST_MS = 3600000 };
	unsigned ms = now.waited_ms < FINE_MS ? STEP_MS : LONG_MS;

	if (now.waited_ms >= MOST_MS)
		return false;
	world_wait(ms);
	now.waited_ms += ms;
	return true;
}

static bool over(void)
{
	return now.record.outcome.ended || (now.inside.client_closed && !now.record.stream);
}

static void go_on(void)
{
	unsigned quiet = 0;
	bool told = false;

	while (!over()) {
		watch = now.record.stream ? NULL : record_rules();
		quiet = inside_turn() ? 0 : quiet + 1;
		world_turn();
		watch = NULL;
		if (quiet < 3)
			continue;
		if (!told && now.inside.connected && now.inside.got.len + now.inside.closes) {
			server_has_it();
			told = true;
		}
		if (inside_answer())
			continue;
		quiet = 0; /* whoever waited may say something now */
		if (!let_time_pass()) {
			now.waits_for = now.record.step ? now.record.step : "its first byte";
			return;
		}
	}
	inside_turn();
}

/* As session_accept does, behind accept(2). */
static int begin(struct err *err)
{
	struct listener *l = now.listener;
	struct session *se = session_new(l, &now.ask->from);
	struct conn *conn = se ? inside_open(&now.inside) : NULL;
	struct view view;

	if (!conn || !origin_told(&se->origin)) {
		conn_close(&conn, false);
		if (se)
			session_free(&se);
		return err_set(err, now.inside.own ? "the certificate of --cert cannot be used" :
				    now.inside.tls ? "this build has no TLS" : "out of memory");
	}
	se->origin.told->dst = now.to;
	se->origin.told->has_dst = true;
	if (now.inside.request_h2.len && l->bind->proto == PROTO_H2)
		l->bind->begins = client_protos[PROTO_H2].begin;
	admission_take(l);
	view_of_origin(&se->origin, conn_link(conn), &view);
	set_variables(now.ask, &view, false);
	watch = record_rules();
	if (connection_rules(&se->origin, conn_link(conn)) != RULES_PASS) {
		now.refused = true;
		conn_close(&conn, true);
		session_free(&se);
	} else if (handshake_wanted(se)) {
		handshake_start(se, &conn);
	} else {
		session_begin(se, &conn);
	}
	watch = NULL;
	return 0;
}

static const char *proxy_header(struct arena *arena)
{
	char from[64], to[64];
	struct text t;
	bool v6 = now.ask->from.family == AF_INET6 || now.to.family == AF_INET6;

	if (now.ask->from.family != now.to.family)
		return "PROXY UNKNOWN\r\n";
	text_init(&t, from, sizeof(from));
	addr_print(&now.ask->from, &t);
	text_init(&t, to, sizeof(to));
	addr_print(&now.to, &t);
	return arena_printf(arena, "PROXY TCP%d %s %s %u %u\r\n", v6 ? 6 : 4, from, to,
			    now.ask->from.port, now.to.port);
}

static void inside_prepare(struct arena *arena)
{
	const struct bind_conf *bind = now.listener->bind;
	const struct proxy *fe = KIND_OF(const struct proxy, bind->owner);
	const struct ask *ask = now.ask;

	now.inside = (struct inside){ .refuses = server_refuses,
				      .sni = ask->sni,
				      .own = ask->cert,
				      .tls = bind->tls != NULL,
				      .upgrades = ask->status == 101,
				      .closes = fe->set.mode != MODE_HTTP };
	if (bind->options.on & BIND_ACCEPT_PROXY)
		now.inside.before = span_of(proxy_header(arena));
	now.inside.request = ask_request(ask, fe->set.mode != MODE_HTTP && !bind->tls);
	if (ask->h2 && ask->method && !ask->hello && !ask->has_bytes && !now.inside.closes)
		h2_client_says(now.inside.request, span_of(bind->tls ? "https" : "http"),
			       &now.h2_says);
	now.inside.request_h2 = bytes_span(&now.h2_says);
	now.inside.answer = now.inside.closes ? ask->answer_body : ask_answer(ask);
}

/* ---- results ------------------------------------------------------------------------------- */

static const struct proxy *frontend(void)
{
	return KIND_OF(struct proxy, now.listener->bind->owner);
}

static void say_begin(struct say *say)
{
	const struct ask *ask = now.ask;
	char from[128], to[128];
	const char *line;
	struct text t;

	text_init(&t, from, sizeof(from));
	shown_addr(&t, &ask->from);
	text_init(&t, to, sizeof(to));
	shown_addr(&t, &now.to);
	say_as(say, SAY_TITLE);
	if (ask->has_bytes)
		fprintf(say->out, "%zu bytes", ask->bytes.len);
	else if (ask->hello)
		fprintf(say->out, "a ClientHello for %s", ask->sni ? ask->sni : "no name");
	else if (ask->method)
		fprintf(say->out, "%s %s%s%s%s", ask->method, ask->target,
			ask->host ? "  Host: " : "", ask->host ? ask->host : "",
			now.inside.h2 ? "  HTTP/2" : "");
	else
		fprintf(say->out, frontend()->set.mode == MODE_HTTP ?
				  "a connection without a request" : "a connection");
	say_as(say, SAY_PLAIN);
	fprintf(say->out, "\nfrom %s to %s\n", from, to);
	say_as(say, SAY_TITLE);
	fprintf(say->out, "\nlistener of %s", now.listener->bind->section);
	say_as(say, SAY_PLAIN);
	line = source_line(&now.listener->bind->loc);
	fprintf(say->out, ", %s", now.listener_why);
	say_as(say, SAY_DIM);
	fprintf(say->out, "   %s:%u\n%6u", source_name(now.listener->bind->loc.file),
		now.listener->bind->loc.line, now.listener->bind->loc.line);
	say_as(say, SAY_PLAIN);
	say_as(say, SAY_GOOD);
	fprintf(say->out, " + ");
	say_as(say, SAY_PLAIN);
	fprintf(say->out, "%s\n", line ? line : "bind");
	if (ask->method && frontend()->set.mode == MODE_TCP && !now.record.outcome.status)
		fprintf(say->out, "         mode tcp: it passes as bytes, which no rule about "
				  "requests sees\n");
	if (now.inside.tls_version)
		fprintf(say->out, "         %s, %s, certificate %s\n", now.inside.tls_version,
			now.inside.tls_cipher,
			now.inside.certificate ? now.inside.certificate : "unknown");
	if (ask->h2 && !now.inside.h2 && now.inside.tls_version)
		fprintf(say->out, "         HTTP/2 is not agreed on (alpn): it is HTTP/1.1\n");
	if (now.inside.tls_failed)
		fprintf(say->out, "         the handshake fails: %s\n", now.inside.tls_failed);
}

static void say_end(struct say *say)
{
	const struct outcome *o = &now.record.outcome;

	say_as(say, SAY_TITLE);
	fprintf(say->out, "\nend");
	say_as(say, SAY_PLAIN);
	if (o->ended)
		fprintf(say->out, " (%s)\n         %s\n", o->code, o->reason);
	else if (now.refused || now.inside.client_closed)
		fprintf(say->out, "\n         the connection is closed before a request\n");
	else
		fprintf(say->out, "\n         it waits: %s\n",
			now.waits_for ? now.waits_for : "unknown");
	if (now.record.full)
		fprintf(say->out, "         there was no memory for all that happened\n");
	if (now.waited_ms)
		fprintf(say->out, "         %" PRIu64 " ms pass in waits\n", now.waited_ms);
	if (!now.record.log)
		return;
	say_as(say, SAY_TITLE);
	fprintf(say->out, "\nlog%s\n", log_has_targets(frontend()->set.log, now.cfg) ? "" :
		" (it goes nowhere: no 'log' line applies)");
	say_as(say, SAY_PLAIN);
	say_log(say, now.record.log);
}

static bool colour_wanted(const struct ask *ask)
{
	return ask->colour < 0 ? isatty(STDOUT_FILENO) && !getenv("NO_COLOR") : ask->colour;
}

static void say_all(FILE *out)
{
	struct say say = {
		.out = out, .words = true, .colour = colour_wanted(now.ask), .all = now.ask->all
	};

	say_begin(&say);
	say_entries(&say, now.record.root->children);
	say_end(&say);
}

static void say_text(void)
{
	unsigned width = fold_width(STDOUT_FILENO);
	char *text = NULL;
	size_t len;
	FILE *memory = width ? open_memstream(&text, &len) : NULL;

	say_all(memory ? memory : stdout);
	if (memory && fclose(memory) == 0)
		fold_text(stdout, text, width);
	free(text);
}

static void json_field(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	say_json_string(stdout, value);
}

static void say_json(void)
{
	const struct outcome *o = &now.record.outcome;
	const struct location *loc = &now.listener->bind->loc;

	printf("{\"version\":1");
	json_field("frontend", frontend()->name);
	printf(",\"listener\":{\"file\":");
	say_json_string(stdout, loc->file);
	printf(",\"line\":%u", loc->line);
	json_field("source", source_line(loc));
	json_field("why", now.listener_why);
	json_field("tls", now.inside.tls_version);
	json_field("tls_failed", now.inside.tls_failed);
	printf("}");
	json_field("backend", o->backend);
	json_field("server", o->server);
	if (o->status)
		printf(",\"status\":%u", o->status);
	else
		printf(",\"status\":null");
	json_field("end", o->code);
	json_field("reason", o->reason);
	json_field("waits", now.waits_for);
	printf(",\"waited_ms\":%" PRIu64, now.waited_ms);
	json_field("log", now.record.log);
	printf(",\"told\":");
	say_json_entries(stdout, now.record.root->children);
	printf("}\n");
}

static int judge(void)
{
	struct span answer = span_of(message_head(now.record.arena, bytes_span(&now.inside.heard)));
	struct span request = span_of(message_head(now.record.arena, bytes_span(&now.inside.got)));
	const struct ask_list *expects = &now.ask->expects;
	int rc = EXPLAIN_HOLDS;
	unsigned i;

	fflush(stdout);
	for (i = 0; i < expects->count; i++)
		if (!expect_holds(expects->items[i], &now.record, answer, request, stderr))
			rc = EXPLAIN_DIFFERS;
	return rc;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int fail(const struct err *err)
{
	fprintf(stderr, "penstock explain: %s\n", err->text);
	return EXPLAIN_BROKEN;
}

static int prepare(struct config *cfg, struct err *err)
{
	unsigned i;

	now.cfg = cfg;
	if (world_prepare(cfg, err) < 0)
		return -1;
	now.listener = listener_choose(now.ask, &now.listener_why, &now.to, err);
	if (!now.listener)
		return -1;
	if (now.ask->cert && !now.listener->bind->tls)
		return err_set(err, "--cert: the bind line that is reached has no TLS (%s:%u)",
			       source_name(now.listener->bind->loc.file),
			       now.listener->bind->loc.line);
	for (i = 0; i < now.ask->down.count; i++)
		if (server_down(now.ask->down.items[i], err) < 0)
			return -1;
	return 0;
}

/* The answer as text; frames that were still to be sent have left by then. */
static void hear_h2(void)
{
	enum { LAST_TURNS = 4 };
	struct bytes text = { NULL, 0, 0 };
	unsigned i;

	if (!now.inside.h2)
		return;
	for (i = 0; i < LAST_TURNS; i++) {
		world_turn();
		inside_turn();
	}
	h2_client_hears(bytes_span(&now.inside.heard), &text);
	free(now.inside.heard.ptr);
	now.inside.heard = text;
}

static int explain_asked(struct config *cfg, struct err *err)
{
	struct arena *arena = now.ask->arena;

	if (prepare(cfg, err) < 0)
		return -1;
	inside_prepare(arena);
	record_begin(&now.record, arena, frontend());
	now.record.begins = stream_begins;
	now.record.longest = 65536;
	now.record.most = (size_t)256 << 20;
	if (begin(err) < 0)
		return -1;
	go_on();
	hear_h2();
	if (now.inside.heard.len)
		note_message("answer to the client", bytes_span(&now.inside.heard));
	now.servers = record_servers(now.record.root);
	return 0;
}

/* A process that asks the same with that server down. */
static struct config *load(const struct explain *e, const struct ask *ask)
{
	addr_names.stay = true;
	sockets_refused = true;
	inside_tls_files();
	return e->load(ask->paths.items, ask->paths.count, e->of);
}

static int other_asks(const struct explain *e, struct ask *ask, const char *down)
{
	struct config *cfg;
	struct err err;

	now.ask = ask;
	if (ask->down.count == ASK_MOST)
		return -1;
	ask->down.items[ask->down.count++] = down;
	cfg = load(e, ask);
	return cfg && explain_asked(cfg, &err) == 0 ? 0 : -1;
}

static void other_says(const struct other *other, const struct explain *e, struct ask *ask)
{
	const struct outcome *o = &now.record.outcome;
	char down[600];

	if (!other_hears(other, down, sizeof(down)) || other_asks(e, ask, down) < 0)
		_exit(1);
	if (o->server)
		dprintf(other->out, "%s", o->server);
	else if (!o->status)
		dprintf(other->out, "no server: the connection is closed (%s)",
			o->code ? o->code : "?");
	else
		dprintf(other->out, "no server: the client gets %u (%s)", o->status,
			o->code ? o->code : "?");
	_exit(0);
}

static void ask_other(struct other *other)
{
	struct record *r = &now.record;
	char said[600];

	if (!now.servers || !r->outcome.server || !r->outcome.backend)
		return;
	if (!other_asked(other, r->outcome.backend, r->outcome.server, said, sizeof(said)))
		return;
	r->at = now.servers;
	record_note(r, ENTRY_NOTE, arena_printf(r->arena, "if %s were down", r->outcome.server),
		    said);
}

static int explain_words(const struct explain *e, struct ask *ask)
{
	struct other other;
	struct config *cfg;
	struct err err = { "" };
	int rc;

	if (check_words(ask, &err) < 0)
		return fail(&err);
	if (!ask->paths.count)
		return err_set(&err, "no configuration file is given: penstock explain -f FILE URL; "
				     "'penstock help explain' lists the options"), fail(&err);
	if (ask->directory && chdir(ask->directory) < 0)
		return err_set(&err, "cannot change to '%s': %s", ask->directory, strerror(errno)),
		       fail(&err);
	other_none(&other);
	if (!ask->quiet && other_start(&other) == 0)
		other_says(&other, e, ask);
	now.ask = ask;
	cfg = load(e, ask);
	if (!cfg) {
		other_end(&other);
		return EXPLAIN_BROKEN;
	}
	if (explain_asked(cfg, &err) < 0) {
		other_end(&other);
		return fail(&err);
	}
	ask_other(&other);
	other_end(&other);
	if (!ask->quiet)
		(ask->json ? say_json : say_text)();
	rc = judge();
	record_end();
	inside_end();
	world_end(cfg);
	e->free(cfg);
	return rc;
}

int explain_run(const struct explain *e)
{
	struct arena *arena = arena_new(65536);
	struct err err = { "" };
	struct ask ask;
	int rc;

	if (!arena)
		return EXPLAIN_BROKEN;
	ask = (struct ask){ .arena = arena, .folder = e->folder, .sure = e->folder != NULL };
	rc = ask_parse(&ask, e->words, e->count, &err) < 0 ? fail(&err) : explain_words(e, &ask);
	arena_free(&arena);
	return rc;
}
