/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running one check: dialling, the PROXY line, waiting for the connection, and the end with a
 * result. A check without rules reports as soon as the connection stands; walk_run.c does what the
 * rules of others say. Called by the timers of check.c. Between two checks nothing is open.
 */
#include "check/ask.h"

#include "base/clock.h"
#include "base/result.h"
#include "check/agent.h"
#include "check/external.h"
#include "check/report.h"
#include "check/schedule.h"
#include "check/walk_run.h"
#include "names/server_names.h"
#include "net/conn.h"
#include "net/proxyproto.h"
#include "net/socks4.h"
#include "proxy/check_target.h"
#include "proxy/facts.h"
#include "proxy/server_dial.h"
#include "tls/client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* -- where ----------------------------------------------------------------------------------- */

/* An agent is asked at its own address, else where the checks go, else at the server's. */
struct addr ask_address(const struct check *check)
{
	const struct server_state *state = check->server->state;
	struct addr to = state->check.addr.family ? state->check.addr : state->addr;

	if (check->is_agent && state->agent.addr.family)
		to = state->agent.addr;
	if (check->is_agent)
		to.port = state->agent.port;
	else if (state->check.port)
		to.port = state->check.port;
	else if (!to.port)
		to.port = state->addr.port;
	return to;
}

enum proto ask_proto(const struct check *check)
{
	enum proto own = check_target_of(check->server)->proto, usual = check->server->set.proto;

	if (own)
		return own;
	return proto_can(usual, PROTO_CHECKS) ? usual : PROTO_UNSET;
}

/* Whoever is offered h2 might take it. */
struct span ask_offers(const struct check *check, enum proto proto)
{
	const struct server *s = check->server;
	const struct check_target *target = check_target_of(s);

	switch (proto) {
	case PROTO_H2:
		return target->alpn.len ? target->alpn : span_of("\2h2");
	case PROTO_NONE:
	case PROTO_H1:
		if (s->check_alpn_usual.len)
			return s->check_alpn_usual;
		break;
	default:
		break;
	}
	return target->alpn;
}

/* Manual 5.2 "check-send-proxy", "check-ssl": as in the traffic, unless something else is asked.
 * Checks of servers that were added at run time imply nothing (management guide, "add server"). */
unsigned ask_usual_way(struct check *check)
{
	const struct server *s = check->server;
	uint64_t on = s->set.options.on;
	bool as_traffic = !s->added && !(on & (SRV_CHECK_ADDR | SRV_CHECK_PORT));
	bool ssl = s->set.tls.options.on & TLS_SSL; /* whatever "set server ssl" says */
	unsigned how = 0;

	if (check->is_agent)
		return 0;
	if (on & SRV_CHECK_SOCKS4)
		how |= ASK_SOCKS4;
	if (on & SRV_CHECK_SEND_PROXY ||
	    (on & (SRV_SEND_PROXY | SRV_SEND_PROXY_V2) && as_traffic))
		how |= ASK_PROXY;
	if (s->check_tls && (on & SRV_CHECK_SSL || (ssl && as_traffic && !(on & SRV_NO_CHECK_SSL))))
		how |= ASK_TLS;
	check->target = (struct tls_target){ .alpn = ask_offers(check, PROTO_NONE) };
	if (check_target_of(s)->sni)
		check->target.sni = span_of(check_target_of(s)->sni);
	return how;
}

/* -- the result ------------------------------------------------------------------------------ */

/* said: for people, of checks without rules. */
static void ask_end(struct check *check, enum check_status status, const char *said)
{
	struct check_state *state = check_state(check);

	external_stop(check);
	conn_close(&check->conn, true);
	if (check->walk) {
		memcpy(state->said, check->walk->memory, sizeof(state->said));
		state->code = check->walk->code;
		walk_end(&check->walk);
	} else {
		snprintf(state->said, sizeof(state->said), "%s", said);
		if (!check->rules || check->rules->type != CHECK_EXTERNAL)
			state->code = 0;
	}
	state->running = false;
	if (status == CHECK_L4TOUT)
		server_name_hurry(check->server);
	state->duration_ms = (unsigned)((clock_read_us() - check->started_us) / 1000);
	if (report_result(check, status))
		schedule_next(check);
	facts_publish_checks(check->server);
}

void ask_report(struct check *check, enum check_status status)
{
	ask_end(check, status, "");
}

/* -- connections ----------------------------------------------------------------------------- */

bool ask_speaks_for_itself;

static bool ask_by_datagrams(const struct check *check)
{
	return check->rules && check->rules->datagrams;
}

/* Version 2 can say that the connection speaks for nobody; so it has no client whose id or name
 * could be told. A receiver that wants the checksum wants it of checks, too. */
static size_t ask_proxy_v2(const struct check *check, const struct addr *from, char *header, size_t size)
{
	const struct server_settings *set = &check->server->set;
	struct proxyproto_out out;

	proxyproto_begin(&out, header, size, ask_speaks_for_itself ? from : NULL,
			 ask_speaks_for_itself ? &check->to : NULL, set->proxy_v2 & PROXY_V2_CRC32C);
	if (ask_by_datagrams(check))
		proxyproto_of_datagram(&out);
	if (set->proxy_v2 & PROXY_V2_OF_SSL)
		proxyproto_add_ssl(&out, &(struct proxyproto_ssl){ .used = false });
	return proxyproto_end(&out);
}

static struct addr ask_from(const struct check *check)
{
	struct addr from;

	if (!conn_local_addr(check->conn, &from))
		from = (struct addr){ .family = AF_UNSPEC };
	return from;
}

size_t ask_datagram_header(const struct check *check, char *header, size_t size)
{
	struct addr from;

	if (!(check->how & ASK_PROXY) || !ask_by_datagrams(check))
		return 0;
	from = ask_from(check);
	return ask_proxy_v2(check, &from, header, size);
}

/* A socket that has just connected takes these few bytes at once. */
static void ask_send_proxy(struct check *check)
{
	bool v2 = check->server->set.options.on & SRV_SEND_PROXY_V2;
	struct addr from = ask_from(check);
	char line[PROXYPROTO_V1_MAX];
	size_t len, sent;

	len = v2 ? ask_proxy_v2(check, &from, line, sizeof(line)) :
		   proxyproto_v1(line, &from, &check->to);
	DROPPED(conn_send(check->conn, line, len, check->how & ASK_TLS, &sent),
		"an error stays with the connection, where the next step meets it");
}

/* What is above the connection can begin. */
static void ask_established(struct check *check)
{
	check->shaking = false;
	if (check->walk)
		walk_go(check);
	else
		ask_report(check, check->how & ASK_TLS ? CHECK_L6OK : CHECK_L4OK);
}

/* The words of the reference, and why. */
static void ask_say_tls(const struct check *check, struct text *t)
{
	if (tls_client_wrong_name(check->conn))
		text_str(t, "Server presented an SSL certificate different from the configured one: ");
	else
		text_str(t, "SSL handshake failure: ");
	tls_client_say(check->conn, t);
}

static void ask_unsecured(struct check *check)
{
	char memory[CHECK_SAID_SIZE];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	ask_say_tls(check, &t);
	tls_client_forget(check->conn);
	if (check->walk)
		walk_unsecured(check, t.ptr);
	else
		ask_end(check, CHECK_L6RSP, t.ptr);
}

static void ask_shake(struct check *check)
{
	switch (tls_conn_handshake(check->conn)) {
	case IO_OK:
		ask_established(check);
		break;
	case IO_AGAIN:
		break;
	case IO_EOF:
	case IO_ERR:
		ask_unsecured(check);
		break;
	}
}

static void ask_connected(struct check *check)
{
	check->connected = true;
	if (check->how & ASK_PROXY && !ask_by_datagrams(check))
		ask_send_proxy(check);
	schedule_limit(check);
	if (!(check->how & ASK_TLS)) {
		ask_established(check);
	} else if (tls_conn_connect(check->conn, check->server->check_tls, &check->target) < 0) {
		check_state(check)->error = ENOMEM;
		check_state(check)->cause = CAUSE_SOCKET;
		ask_report(check, CHECK_SOCKERR);
	} else {
		check->shaking = true;
		ask_shake(check);
	}
}

static void ask_refused(struct check *check)
{
	if (!check->conn->error)
		check_state(check)->error = conn_check_error(check->conn);
	else
		check_state(check)->error = check->conn->error;
	if (check->walk)
		walk_failed(check);
	else
		ask_report(check, CHECK_L4CON);
}

/* Asks the SOCKS4 proxy to connect us. IO_OK: it has. */
static enum io ask_socks(struct check *check)
{
	struct conn *conn = check->conn;
	char bytes[SOCKS4_REQUEST];
	size_t len, got;
	enum io r;

	if (!(check->how & ASK_SOCKS4))
		return IO_OK;
	if (!check->socks_asked) {
		check->socks_asked = true;
		len = socks4_request(bytes, &check->to);
		if (!len || conn_raw_send(conn, bytes, len, false, &got) != IO_OK || got < len)
			return IO_ERR;
		conn->flags |= CONN_READABLE;
	}
	r = conn_peek(conn, bytes, SOCKS4_REPLY, &got);
	if (r == IO_OK && got < SOCKS4_REPLY)
		return conn->flags & CONN_RDHUP ? IO_ERR : IO_AGAIN;
	if (r != IO_OK || !socks4_granted(bytes))
		return r == IO_AGAIN ? IO_AGAIN : IO_ERR;
	r = conn_raw_recv(conn, bytes, SOCKS4_REPLY, &got);
	conn->flags |= CONN_READABLE;
	return r;
}

static void ask_go_on(struct check *check)
{
	switch (ask_socks(check)) {
	case IO_OK:
		ask_connected(check);
		break;
	case IO_AGAIN:
		break;
	case IO_EOF:
	case IO_ERR:
		conn_fail(check->conn, CONN_READABLE | CONN_WRITABLE, ECONNREFUSED);
		ask_refused(check);
		break;
	}
}

static void ask_ready(struct conn *conn)
{
	struct check *check = conn->owner;

	if (!check->connected && conn->flags & (CONN_ERROR | CONN_HUP) &&
	    (!check->socks_asked || conn->flags & CONN_ERROR))
		ask_refused(check);
	else if (!check->connected && conn->flags & CONN_WRITABLE)
		ask_go_on(check);
	else if (check->shaking)
		ask_shake(check);
	else if (check->connected && check->walk)
		walk_go(check);
}

static bool ask_not_opened(struct check *check, enum check_cause cause)
{
	check_state(check)->error = (uint16_t)errno;
	check_state(check)->cause = (uint8_t)cause;
	return false;
}

bool ask_open(struct check *check, const struct addr *to, unsigned how, enum check_status *status)
{
	const struct addr *socks4 = &check->server->set.socks4, *way;
	bool datagrams, local;
	int fd = -1;

	if (!socks4->family)
		how &= ~(unsigned)ASK_SOCKS4;
	way = how & ASK_SOCKS4 ? socks4 : to;
	local = way->family == AF_UNIX;
	check->connected = check->socks_asked = check->shaking = false;
	check->how = how;
	check->to = *to;
	*status = CHECK_SOCKERR;
	datagrams = check->rules && check->rules->datagrams;
	switch (datagrams ? server_dial_datagrams(check->server, way, NULL, &fd) :
			    server_dial_check(check->server, way, &fd)) {
	case DIAL_SOURCE:
		*status = CHECK_L4CON;
		return ask_not_opened(check, CAUSE_SOURCE);
	case DIAL_RESOURCE:
		return ask_not_opened(check, CAUSE_SOCKET);
	case DIAL_REFUSED:
		*status = local ? CHECK_SOCKERR : CHECK_L4CON;
		return ask_not_opened(check, CAUSE_SOCKET);
	case DIAL_STARTED:
		break;
	}
	check->conn = conn_new();
	if (!check->conn)
		errno = ENOMEM; /* connect has left another one */
	if (!check->conn || conn_attach(check->conn, &fd, CONN_CONNECTING | (local || datagrams ? 0 : CONN_TCP),
					ask_ready) < 0) {
		ask_not_opened(check, CAUSE_SOCKET);
		if (fd >= 0)
			close(fd);
		conn_close(&check->conn, true);
		return false;
	}
	check->conn->owner = check;
	schedule_limit(check);
	return true;
}

void ask_close(struct check *check, bool linger)
{
	if (check->conn && linger)
		conn_discard(check->conn); /* or the kernel would send RST all the same */
	conn_close(&check->conn, !linger);
}

/* -- from the beginning to the end ----------------------------------------------------------- */

void ask_begin(struct check *check)
{
	struct check_state *state = check_state(check);
	enum check_status status;
	struct addr to;

	check->connected = check->shaking = false;
	check->started_us = clock_read_us();
	check->started_ms = clock_now_ms;
	state->running = true;
	state->error = 0;
	state->cause = CAUSE_CONNECTION;
	facts_publish_checks(check->server);
	if (check->rules && check->rules->type == CHECK_EXTERNAL) {
		external_begin(check);
		if (check->external)
			schedule_limit(check);
		return;
	}
	if (check->rules) {
		if (walk_begin(check)) {
			walk_go(check);
			return;
		}
		state->error = ENOMEM;
		ask_report(check, CHECK_SOCKERR);
		return;
	}
	to = ask_address(check);
	if (!ask_open(check, &to, ask_usual_way(check), &status))
		ask_report(check, status);
}

void ask_stop(struct check *check)
{
	walk_end(&check->walk);
	external_stop(check);
	conn_close(&check->conn, true);
	check_state(check)->running = false;
	facts_publish_checks(check->server);
}

void ask_timeout(struct check *check)
{
	if (check->walk)
		walk_timeout(check);
	else if (check->external)
		ask_report(check, CHECK_PROCTOUT);
	else
		ask_report(check, check->shaking ? CHECK_L6TOUT : CHECK_L4TOUT);
}
