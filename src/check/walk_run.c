/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One run of a ruleset: each step is begun once, and continued whenever something has happened to
 * the connection, until it is done, or decides the check. Called by ask.c; judging is in expect.c
 * and http.c. At most one connection, one buffer for what comes and one for what is written, and
 * all of it ends with the time-out of the check, however slowly a server answers.
 */
#include "check/walk_run.h"

#include "check/ask.h"
#include "check/h2_call.h"
#include "check/http.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/regex.h"
#include "expr/rule.h"
#include "expr/view.h"
#include "net/conn_link.h"
#include "net/proxyproto.h"
#include "proxy/proxy.h"
#include "relay/buffer.h"
#include "tls/link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum walk_result { WALK_NEXT, WALK_WAIT, WALK_REPORT /* walk->status is the result */ };

/* -- the walk -------------------------------------------------------------------------------- */

bool walk_begin(struct check *check)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	if (!walk)
		return false;
	walk->check = check;
	walk->step = check->rules->first;
	text_init(&walk->said, walk->memory, sizeof(walk->memory));
	check->walk = walk;
	return true;
}

/* What was received is no longer of interest. */
static void walk_forget(struct walk *walk)
{
	buffer_give(&walk->in);
	http_forget(walk);
}

void walk_end(struct walk **walkp)
{
	struct walk *walk = *walkp;

	if (!walk)
		return;
	*walkp = NULL;
	walk_forget(walk);
	buffer_give(&walk->out);
	vars_free(&walk->session_vars);
	vars_free(&walk->check_vars);
	free(walk);
}

static enum walk_result walk_result(struct walk *walk, enum check_status status)
{
	walk->status = status;
	return WALK_REPORT;
}

static enum walk_result walk_no_memory(struct walk *walk)
{
	walk_set_no_memory(walk);
	return WALK_REPORT;
}

static bool walk_tells_steps(const struct walk *walk)
{
	return walk->check->rules->type == CHECK_TCP;
}

/* The digits that the expression's text begins with. */
static void walk_code(struct walk *walk, const struct step_expect *e)
{
	struct view view = walk_view(walk);
	struct sample smp;
	size_t i;

	if (!e->code ||
	    expr_eval_as(e->code, &view, AT_CHECK | AT_FINAL, SMP_STR, &smp) != EXPR_FOUND)
		return;
	walk->code = 0;
	for (i = 0; i < smp.str.len && i < 9 && smp.str.ptr[i] >= '0' && smp.str.ptr[i] <= '9'; i++)
		walk->code = walk->code * 10 + (smp.str.ptr[i] - '0');
}

/* As much of a format as comes before its first NUL. */
static void walk_say_format(struct walk *walk, const struct logformat *format)
{
	struct text t;

	if (walk_format(walk, format, &t))
		text_add(&walk->said, t.ptr, strnlen(t.ptr, t.len));
}

/* -- messages -------------------------------------------------------------------------------- */

/* Only checks that an administrator wrote step by step speak of steps. */
/* The connection failed, or broke; the state has the error. */
static enum walk_result walk_broken(struct walk *walk, enum check_status status)
{
	if (walk_tells_steps(walk)) {
		struct check_state now = *check_state(walk->check);

		now.said[0] = 0;
		now.status = (uint8_t)status;
		check_say_cause(&now, &walk->said);
		step_say(walk->step, walk_comment(walk), &walk->said);
	}
	return walk_result(walk, status);
}

static enum walk_result walk_socket_error(struct walk *walk, int error)
{
	check_state(walk->check)->error = (uint16_t)error;
	check_state(walk->check)->cause = CAUSE_CONNECTION;
	/* To a datagram the host has answered that nobody is there. */
	return walk_broken(walk, walk->check->rules->datagrams && error == ECONNREFUSED ?
					 CHECK_L4CON : CHECK_SOCKERR);
}

/* -- HTTP/2 ---------------------------------------------------------------------------------- */

/* What a call has to say. False: the socket is full. What it does not take any more it will not:
 * the server may have answered before. */
static bool call_send(struct walk *walk)
{
	struct span left = h2_call_waiting(walk->call);
	size_t sent;

	while (left.len) {
		switch (conn_send(walk->check->conn, left.ptr, left.len, false, &sent)) {
		case IO_OK:
			walk->spoke = true;
			break;
		case IO_AGAIN:
			return false;
		case IO_EOF:
		case IO_ERR:
			sent = left.len;
			break;
		}
		h2_call_sent(walk->call, sent);
		left = h2_call_waiting(walk->call);
	}
	return true;
}

/* One request over HTTP/2, as far as it goes. */
static void call_go(struct walk *walk)
{
	static char bytes[H2_CALL_AT_ONCE];
	struct conn *conn = walk->check->conn;
	enum io io = IO_OK;
	size_t got;

	while (call_send(walk) && io == IO_OK && !h2_call_done(walk->call) &&
	       !h2_call_fault(walk->call) && buf_room(walk->in)) {
		io = conn_recv(conn, bytes, sizeof(bytes), &got);
		if (io == IO_OK)
			h2_call_take(walk->call, (struct span){ bytes, got }, walk->in);
		else if (io != IO_AGAIN)
			h2_call_closed(walk->call, io == IO_ERR ? conn->error : 0);
	}
	walk->ended = h2_call_done(walk->call);
}

/* -- connect --------------------------------------------------------------------------------- */

static unsigned connect_port(const struct walk *walk, const struct step_connect *c)
{
	struct view view = walk_view(walk);
	struct sample smp;

	if (!c->port_expr)
		return c->port;
	if (expr_eval_as(c->port_expr, &view, AT_CHECK | AT_FINAL, SMP_INT, &smp) != EXPR_FOUND ||
	    smp.num < 1 || smp.num > UINT16_MAX)
		return 0;
	return (unsigned)smp.num;
}

static struct addr connect_address(const struct walk *walk, const struct step_connect *c)
{
	struct addr to = ask_address(walk->check);
	unsigned port = connect_port(walk, c);

	if (c->addr.family) {
		uint16_t usual = to.port;

		to = c->addr;
		if (!to.port)
			to.port = usual;
	}
	if (port && to.family != AF_UNIX)
		to.port = (uint16_t)port;
	return to;
}

/* What the connection is to speak; PROTO_UNSET: what ALPN says. */
static enum proto connect_proto(const struct check *check, const struct step_connect *c)
{
	if (!ruleset_is_http(check->rules))
		return PROTO_NONE;
	if (check->rules->type == CHECK_GRPC)
		return PROTO_H2;
	return c->proto || !c->as_server ? (enum proto)c->proto : ask_proto(check);
}

static bool connect_speaks_h2(const struct walk *walk)
{
	enum proto proto = connect_proto(walk->check, &walk->step->connect);

	return proto == PROTO_H2 || (proto == PROTO_UNSET && walk->tls &&
				     tls_link_proto(conn_link(walk->check->conn)) == PROTO_H2);
}

/* What comes before the bytes of the next steps. */
static unsigned connect_way(struct check *check, const struct step_connect *c)
{
	unsigned how = ask_usual_way(check);

	if (!c->as_server) {
		how = 0;
		check->target.sni = (struct span){ "", 0 };
	}
	if (c->send_proxy)
		how |= ASK_PROXY;
	if (c->via_socks4)
		how |= ASK_SOCKS4;
	if (c->ssl)
		how |= ASK_TLS;
	if (c->sni.len)
		check->target.sni = c->sni;
	check->target.alpn = c->alpn.len ? c->alpn : ask_offers(check, connect_proto(check, c));
	return how;
}

/* The server is told that nothing more is asked, or what was wrong, as far as the socket takes it.
 */
static void walk_close(struct walk *walk)
{
	if (walk->call && walk->check->conn) {
		h2_call_leave(walk->call);
		call_send(walk);
	}
	ask_close(walk->check, walk->linger);
}

static enum walk_result walk_connect(struct walk *walk)
{
	const struct step_connect *c = &walk->step->connect;
	struct check *check = walk->check;
	enum check_status status;
	struct addr to;
	unsigned how;

	if (walk->begun && check->connected && !check->shaking) {
		walk->h2 = connect_speaks_h2(walk);
		return WALK_NEXT;
	}
	if (walk->begun)
		return WALK_WAIT;
	walk->begun = true;
	walk_close(walk);
	to = connect_address(walk, c);
	walk_forget(walk);
	walk->ended = false;
	walk->error = 0;
	walk->linger = c->linger;
	how = connect_way(check, c);
	walk->spoke = how & (ASK_PROXY | ASK_SOCKS4 | ASK_TLS);
	walk->to = to;
	walk->tls = how & ASK_TLS;
	walk->host = c->addr.family || check->server->state->check.addr.family ?
			     NULL : check->server->spec.hostname;
	if (!ask_open(check, &to, how, &status))
		return walk_broken(walk, status);
	return WALK_WAIT;
}

/* -- send ------------------------------------------------------------------------------------ */

static bool send_build(struct walk *walk, const struct step *step)
{
	struct text t;

	if (step->send.build) {
		if (!walk->out)
			walk->out = buffer_take();
		if (!walk->out) {
			walk_no_memory(walk);
			return false;
		}
		text_init(&t, walk->out->data, walk->out->size);
		if (!step->send.build(walk, step, &t))
			return false;
	} else if (!walk_format(walk, step->send.format, &t)) {
		return false;
	}
	if (t.cut || (step->send.hex && !hex_decode(t.ptr, &t.len))) {
		text_printf(&walk->said, "tcp-check send : failed to build log-format string at "
			    "step %u", step->number);
		walk->status = CHECK_L7RSP;
		return false;
	}
	walk->left = (struct span){ t.ptr, t.len };
	return true;
}

/* Over HTTP/2 the request leaves while the response is waited for: a server may have to be heard
 * before it takes all of it. */
static enum walk_result send_call(struct walk *walk)
{
	const char *wrong = NULL;

	if (http_call(walk, walk->left, &wrong))
		return WALK_NEXT;
	if (!wrong)
		return walk_no_memory(walk);
	walk_set_failure(walk, CHECK_L7RSP, wrong);
	return WALK_REPORT;
}

/* What is sent is one datagram, behind its PROXY header if it has one. */
static bool send_behind_header(struct walk *walk)
{
	char header[PROXYPROTO_V1_MAX];
	size_t len = ask_datagram_header(walk->check, header, sizeof(header));

	if (!len)
		return true;
	if (!walk->out)
		walk->out = buffer_take();
	if (!walk->out || len + walk->left.len > walk->out->size) {
		walk_no_memory(walk);
		return false;
	}
	memmove(walk->out->data + len, walk->left.ptr, walk->left.len);
	memcpy(walk->out->data, header, len);
	walk->left = (struct span){ walk->out->data, len + walk->left.len };
	return true;
}

static enum walk_result walk_send(struct walk *walk)
{
	struct conn *conn = walk->check->conn;
	size_t sent;

	if (!walk->begun) {
		walk->left = walk->step->send.bytes;
		if (!walk->left.ptr && !send_build(walk, walk->step))
			return WALK_REPORT;
		if (!send_behind_header(walk))
			return WALK_REPORT;
		walk->begun = true;
		walk_forget(walk);
		if (walk->h2)
			return send_call(walk);
	}
	while (walk->left.len) {
		switch (conn_send(conn, walk->left.ptr, walk->left.len, false, &sent)) {
		case IO_OK:
			walk->spoke = true;
			walk->left.ptr += sent;
			walk->left.len -= sent;
			break;
		case IO_AGAIN:
			return WALK_WAIT;
		case IO_EOF:
		case IO_ERR:
			return walk_socket_error(walk, conn->error);
		}
	}
	return WALK_NEXT;
}

/* -- expect ---------------------------------------------------------------------------------- */

/* All that is there and has room. False: out of memory. */
static bool expect_receive(struct walk *walk)
{
	struct conn *conn = walk->check->conn;
	enum io io = IO_OK;
	size_t got;

	if (!walk->in)
		walk->in = buffer_take();
	if (!walk->in)
		return false;
	if (walk->call) {
		call_go(walk);
		return true;
	}
	while (io == IO_OK && !walk->ended && buf_room(walk->in)) {
		io = conn_recv(conn, buf_tail(walk->in), buf_room(walk->in), &got);
		if (io == IO_OK)
			walk->in->len += (uint32_t)got;
		else if (io != IO_AGAIN)
			walk->ended = true;
		if (io == IO_ERR)
			walk->error = conn->error;
	}
	return true;
}

static enum check_status expect_error(const struct step_expect *e)
{
	return e->error ? e->error : CHECK_L7RSP;
}

/* It will not be complete. Behind its head that is what the server has sent, before it what has
 * become of the connection. */
static enum walk_result expect_broken(struct walk *walk)
{
	if (h2_call_no_memory(walk->call))
		return walk_no_memory(walk);
	walk_set_failure(walk, walk->in->len ? CHECK_L7RSP : CHECK_SOCKERR, h2_call_fault(walk->call));
	return WALK_REPORT;
}

/* It has ended without a word. */
static enum walk_result expect_nothing(struct walk *walk, const struct step_expect *e)
{
	if (walk->error)
		return walk_socket_error(walk, walk->error);
	if (ruleset_is_http(walk->check->rules))
		return walk_result(walk, CHECK_L7RSP);
	text_printf(&walk->said, "TCPCHK got an empty response at step %u", walk->step->number);
	if (walk_comment(walk))
		text_printf(&walk->said, " comment: '%s'", walk_comment(walk));
	return walk_result(walk, expect_error(e));
}

static enum walk_result expect_failed(struct walk *walk, const struct step_expect *e)
{
	bool http = ruleset_is_http(walk->check->rules);

	walk_code(walk, e);
	if (e->on_error) {
		walk_say_format(walk, e->on_error);
		walk_say_comment(walk);
		return walk_result(walk, e->error ? e->error :
				   http ? http_error_status(e) : CHECK_L7RSP);
	}
	if (http) {
		http_failed(walk, e);
		return WALK_REPORT;
	}
	if (walk_tells_steps(walk)) {
		text_str(&walk->said, e->negated ? "TCPCHK matched unwanted content " :
						   "TCPCHK did not match content ");
		step_say_content(e, &walk->said);
		text_printf(&walk->said, " at step %u", walk->step->number);
		walk_say_comment(walk);
	}
	return walk_result(walk, expect_error(e));
}

/* The kernel was told to hold acknowledgements back (proxy/server_dial.h). Who waits for the
 * server's first word would wait for the end of that: the server's program does not have the
 * connection before. So would who has a part of the answer from a server whose kernel gathers small
 * pieces (RFC 896). */
static enum walk_result expect_wait(struct walk *walk)
{
	if (!walk->spoke || (walk->in && walk->in->len))
		conn_ack_now(walk->check->conn);
	return WALK_WAIT;
}

/* What a regular expression that was given up would have found is not known: "!" makes no success
 * of that. */
static enum expect_result judge(struct walk *walk, const struct step_expect *e, bool last)
{
	bool http = ruleset_is_http(walk->check->rules);
	uint64_t given_up = regex_given_up;
	enum expect_result result = http ? http_expect(walk, e, last) : expect_bytes(walk, e, last);

	return result == EXPECT_YES && e->negated && given_up != regex_given_up ? EXPECT_NO : result;
}

static enum walk_result walk_expect(struct walk *walk)
{
	const struct step_expect *e = &walk->step->expect;
	enum expect_result result;
	bool last, broken;

	/* A coding that was taken off may leave room for what has not been received yet. */
	do {
		if (!expect_receive(walk))
			return walk_no_memory(walk);
		last = walk->ended || !buf_room(walk->in);
		broken = walk->call && h2_call_fault(walk->call);
		if (!walk->in->len && broken)
			return expect_broken(walk);
		if (!walk->in->len)
			return walk->ended ? expect_nothing(walk, e) : expect_wait(walk);
		result = judge(walk, e, last);
	} while (result == EXPECT_WAIT && last && !walk->ended);
	switch (result) {
	case EXPECT_YES:
		return WALK_NEXT;
	case EXPECT_WAIT:
		return broken ? expect_broken(walk) : expect_wait(walk);
	case EXPECT_REPORT:
		return WALK_REPORT;
	case EXPECT_NO:
		break;
	}
	return expect_failed(walk, e);
}

/* -- from step to step ----------------------------------------------------------------------- */

static enum walk_result walk_variable(struct walk *walk)
{
	struct rule_place place = { 0 };
	struct view view = walk_view(walk);

	rules_run(walk->step->rules, &view, &place, true);
	return WALK_NEXT;
}

static enum walk_result walk_step(struct walk *walk)
{
	switch (walk->step->kind) {
	case STEP_CONNECT:
		return walk_connect(walk);
	case STEP_SEND:
		return walk_send(walk);
	case STEP_EXPECT:
		return walk_expect(walk);
	case STEP_VARIABLE:
		return walk_variable(walk);
	case STEP_COMMENT:
		break;
	}
	return WALK_NEXT;
}

/* All steps were done; the last one says what that is worth. */
static void walk_passed(struct walk *walk, const struct step *last)
{
	static const enum check_status usual[] = { [STEP_CONNECT] = CHECK_L4OK,
						   [STEP_SEND] = CHECK_L7OK,
						   [STEP_EXPECT] = CHECK_L7OK };
	const struct step_expect *e = last->kind == STEP_EXPECT ? &last->expect : NULL;

	walk->status = e && e->ok ? e->ok : usual[last->kind];
	if (walk->status == CHECK_L4OK && !e && walk->check->how & ASK_TLS)
		walk->status = CHECK_L6OK;
	if (e)
		walk_code(walk, e);
	if (e && e->on_success)
		walk_say_format(walk, e->on_success);
	else if (walk_tells_steps(walk) && last->number)
		text_str(&walk->said, "(tcp-check)");
}

static const struct step *walk_last(const struct walk *walk)
{
	const struct step *step, *last = NULL;

	for (step = walk->check->rules->first; step; step = step->next)
		if (step->kind <= STEP_EXPECT)
			last = step;
	return last;
}

static void walk_report(struct walk *walk)
{
	walk_close(walk);
	ask_report(walk->check, walk->status);
}

void walk_go(struct check *check)
{
	struct walk *walk = check->walk;
	enum walk_result result = WALK_NEXT;

	while (walk->step) {
		result = walk_step(walk);
		if (result != WALK_NEXT)
			break;
		walk->comment = walk->step->kind == STEP_COMMENT ? walk->step->comment : NULL;
		walk->step = walk->step->next;
		walk->begun = false;
	}
	if (result == WALK_WAIT)
		return;
	if (result == WALK_NEXT)
		walk_passed(walk, walk_last(walk));
	walk_report(walk);
}

void walk_failed(struct check *check)
{
	struct walk *walk = check->walk;

	walk_broken(walk, CHECK_L4CON);
	walk_report(walk);
}

void walk_unsecured(struct check *check, const char *why)
{
	enum { WHY_MOST = 80 }; /* where the step is to have room behind it */
	struct walk *walk = check->walk;
	bool steps = walk_tells_steps(walk);

	walk->status = CHECK_L6RSP;
	text_add(&walk->said, why, strnlen(why, steps ? WHY_MOST : CHECK_SAID_SIZE));
	if (steps)
		step_say(walk->step, walk_comment(walk), &walk->said);
	walk_report(walk);
}

void walk_timeout(struct check *check)
{
	struct walk *walk = check->walk;
	const struct step *step = walk->step;

	walk->status = !check->connected ? CHECK_L4TOUT : check->shaking ? CHECK_L6TOUT :
		       step->kind == STEP_EXPECT && step->expect.timeout ? step->expect.timeout :
									   CHECK_L7TOUT;
	if (walk_tells_steps(walk))
		step_say(step, walk_comment(walk), &walk->said);
	walk_report(walk);
}
