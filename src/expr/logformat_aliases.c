/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The aliases of log formats (manual 8.2.6): one function and one row each, sorted by name.
 * Called through the rows, by logformat_write.c, with the view of a stream; they read it and change nothing.
 * Which flag acts on which alias, and how, is what the reference does.
 */
#include "expr/logformat_alias.h"

#include "base/bug.h"
#include "expr/view.h"
#include "log/date.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "tally/tally.h"
#include "tls/link.h"

#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

enum { ALIAS_LONGEST = 8 };

/* -- helpers ------------------------------------------------------------------------------ */

static void put_str(struct text *t, const char *s, unsigned flags)
{
	logformat_put(t, s ? span_of(s) : (struct span){ NULL, 0 }, flags);
}

static void put_hex_addr(struct text *t, const struct addr *addr)
{
	const uint8_t *bytes = addr->family == AF_INET ? (const uint8_t *)&addr->v4 :
							 (const uint8_t *)&addr->v6;
	size_t i, len = addr->family == AF_INET ? sizeof(addr->v4) : sizeof(addr->v6);

	for (i = 0; i < len; i++)
		text_printf(t, "%02X", bytes[i]);
}

static void put_addr(struct text *t, const struct addr *addr, unsigned flags)
{
	char memory[80];
	struct text own;

	if (!addr) {
		put_str(t, NULL, flags);
		return;
	}
	if (flags & LF_HEX && (addr->family == AF_INET || addr->family == AF_INET6)) {
		put_hex_addr(t, addr);
		return;
	}
	text_init(&own, memory, sizeof(memory));
	addr_print(addr, &own);
	logformat_put(t, (struct span){ own.ptr, own.len }, flags);
}

static void put_id(struct text *t, int64_t number, unsigned flags)
{
	if (flags & LF_HEX)
		text_printf(t, "%04llX", (unsigned long long)number);
	else
		text_num(t, number);
}

/* The port; of a Unix socket, which has none, the other number. */
static void put_port(struct text *t, const struct addr *addr, unsigned other, unsigned flags)
{
	if (!addr)
		put_str(t, NULL, flags);
	else if (addr->family != AF_INET && addr->family != AF_INET6)
		text_num(t, other);
	else
		put_id(t, addr->port, flags);
}

static unsigned listener_id(const struct view *view)
{
	return view->listener ? view->listener->id : 0;
}

/* A number that is not final yet when the line is written early. */
static void put_growing(struct text *t, const struct view *view, int64_t number, unsigned flags)
{
	if (view->log->early && !(flags & LF_BARE))
		text_char(t, '+');
	text_num(t, number);
}

/* -- the aliases -------------------------------------------------------------------------- */

static void alias_B(struct text *t, const struct view *view, unsigned flags)
{
	put_growing(t, view, (int64_t)view->log->bytes_out, flags);
}

static void alias_H(struct text *t, const struct view *view, unsigned flags)
{
	static char name[HOST_NAME_MAX + 1];

	(void)view;
	if (!name[0] && gethostname(name, sizeof(name) - 1))
		name[0] = '-';
	put_str(t, name, flags);
}

static void put_date(struct text *t, const char *date, const char *zone)
{
	text_str(t, date);
	text_char(t, ' ');
	text_str(t, zone);
}

static void alias_OG(struct text *t, const struct view *view, unsigned flags)
{
	put_str(t, view->log->step ? view->log->step : "unspec", flags);
}

static void alias_T(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	put_date(t, date_of(view->log->accepted.tv_sec)->gmt, "+0000");
}

static void alias_Tc(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->connect_ms);
}

static void alias_Td(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view_data_ms(view, view->log));
}

static void alias_Tu(struct text *t, const struct view *view, unsigned flags)
{
	put_growing(t, view, view_user_ms(view->log), flags);
}

static void alias_Th(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->handshake_ms);
}

static void alias_Tl(struct text *t, const struct view *view, unsigned flags)
{
	const struct date *date = date_of(view->log->accepted.tv_sec);

	(void)flags;
	put_date(t, date->local, date->zone);
}

static void alias_Ts(struct text *t, const struct view *view, unsigned flags)
{
	put_id(t, view->log->accepted.tv_sec, flags);
}

static void alias_Tt(struct text *t, const struct view *view, unsigned flags)
{
	put_growing(t, view, view->log->total_ms, flags);
}

static void alias_Tw(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->wait_ms);
}

static void alias_U(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, (int64_t)view->log->bytes_in);
}

static void alias_ac(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->active_conns);
}

static void alias_b(struct text *t, const struct view *view, unsigned flags)
{
	put_str(t, (view->backend ? view->backend : view->frontend)->name, flags);
}

static void alias_bc(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->backend_conns);
}

static void alias_bi(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_addr(t, view_server_src(view, &memory), flags);
}

static void alias_bp(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_port(t, view_server_src(view, &memory), 0, flags);
}

static void alias_bq(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->backend_queue);
}

static void alias_ci(struct text *t, const struct view *view, unsigned flags)
{
	put_addr(t, view->src, flags);
}

static void alias_cp(struct text *t, const struct view *view, unsigned flags)
{
	put_port(t, view->src, listener_id(view), flags);
}

static void alias_f(struct text *t, const struct view *view, unsigned flags)
{
	put_str(t, view->frontend->name, flags);
}

static void alias_fc(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->frontend_conns);
}

static void alias_fi(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_addr(t, view_dst(view, &memory), flags);
}

static void alias_fp(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_port(t, view_dst(view, &memory), listener_id(view), flags);
}

static void alias_ft(struct text *t, const struct view *view, unsigned flags)
{
	bool tls = view->listener && view->listener->bind->tls;
	char memory[1024];
	struct text own;

	text_init(&own, memory, sizeof(memory));
	text_str(&own, view->frontend->name);
	if (tls)
		text_char(&own, '~');
	logformat_put(t, (struct span){ own.ptr, own.len }, flags);
}

static void alias_lc(struct text *t, const struct view *view, unsigned flags)
{
	put_id(t, view->frontend->fe ? (int64_t)counter_sum(&view->frontend->fe->log_lines) : 0, flags);
}

static void alias_ms(struct text *t, const struct view *view, unsigned flags)
{
	if (flags & LF_HEX)
		text_printf(t, "%X", (unsigned)view->log->accepted.tv_usec / 1000);
	else if (flags & LF_BARE)
		text_num(t, view->log->accepted.tv_usec / 1000);
	else
		text_digits(t, (unsigned)view->log->accepted.tv_usec / 1000, 3);
}

static void alias_pid(struct text *t, const struct view *view, unsigned flags)
{
	put_id(t, view->log->pid, flags);
}

static void alias_rc(struct text *t, const struct view *view, unsigned flags)
{
	if (view->log->redispatched && !(flags & LF_BARE))
		text_char(t, '+');
	text_num(t, view->log->retries);
}

static void alias_rt(struct text *t, const struct view *view, unsigned flags)
{
	put_id(t, (int64_t)view->log->request_counter, flags);
}

static void alias_s(struct text *t, const struct view *view, unsigned flags)
{
	const char *other = view->service ? view->service : "<NOSRV>";

	put_str(t, view->server ? view->server->id : other, flags);
}

static void alias_sc(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->server_conns);
}

static void alias_si(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_addr(t, view_server_dst(view, &memory), flags);
}

static void alias_sp(struct text *t, const struct view *view, unsigned flags)
{
	struct addr memory;

	put_port(t, view_server_dst(view, &memory), 0, flags);
}

static void alias_sq(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_num(t, view->log->server_queue);
}

static void put_tls(struct text *t, const struct view *view, enum tls_bytes which, unsigned flags)
{
	logformat_put(t, tls_link_text(view->client_link, which), flags);
}

static void alias_sslc(struct text *t, const struct view *view, unsigned flags)
{
	put_tls(t, view, TLS_BYTES_CIPHER, flags);
}

static void alias_sslv(struct text *t, const struct view *view, unsigned flags)
{
	put_tls(t, view, TLS_BYTES_VERSION, flags);
}

static void alias_t(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_str(t, date_of(view->log->accepted.tv_sec)->local);
	text_char(t, '.');
	text_digits(t, (unsigned)view->log->accepted.tv_usec / 1000, 3);
}

static void alias_ti(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	logformat_put_iso(t, &view->log->accepted);
}

static void alias_ts(struct text *t, const struct view *view, unsigned flags)
{
	(void)flags;
	text_str(t, view->log->termination);
}

/* In the order of strcmp: alias_find halves it. */
static const struct alias aliases[] = {
	{ "B", alias_B, NEEDS_END, "bytes sent to the client", ALIAS_NUMBER },
	{ "CC", alias_CC, NEEDS_END, "cookie captured in the request", ALIAS_HTTP },
	{ "CS", alias_CS, NEEDS_END, "cookie captured in the response", ALIAS_HTTP },
	{ "H", alias_H, NEEDS_CONNECTION, "host name of the system", 0 },
	{ "HM", alias_HM, NEEDS_CONNECTION, "HTTP method", ALIAS_HTTP },
	{ "HP", alias_HP, NEEDS_CONNECTION, "HTTP URI without query string", ALIAS_HTTP | ALIAS_URI },
	{ "HPO", alias_HPO, NEEDS_CONNECTION, "HTTP path", ALIAS_HTTP | ALIAS_URI },
	{ "HQ", alias_HQ, NEEDS_CONNECTION, "HTTP query string", ALIAS_HTTP | ALIAS_URI },
	{ "HU", alias_HU, NEEDS_CONNECTION, "HTTP URI", ALIAS_HTTP | ALIAS_URI },
	{ "HV", alias_HV, NEEDS_CONNECTION, "HTTP version", ALIAS_HTTP },
	{ "ID", alias_ID, NEEDS_END, "unique id, see unique-id-format", 0 },
	{ "OG", alias_OG, NEEDS_CONNECTION, "the step at which the line is written", 0 },
	{ "ST", alias_ST, NEEDS_END, "HTTP status; 0 in mode tcp", ALIAS_NUMBER },
	{ "T", alias_T, NEEDS_CONNECTION, "date of the accept, UTC", 0 },
	{ "TR", alias_TR, NEEDS_CONNECTION, "ms to receive the request",
	  ALIAS_HTTP | ALIAS_NUMBER },
	{ "Ta", alias_Ta, NEEDS_END, "ms that the request was active", ALIAS_HTTP | ALIAS_NUMBER },
	{ "Tc", alias_Tc, NEEDS_END, "ms to connect to the server; -1: not reached", ALIAS_NUMBER },
	{ "Td", alias_Td, NEEDS_END, "ms of data transfer; -1: not reached", ALIAS_NUMBER },
	{ "Th", alias_Th, NEEDS_END, "ms of handshakes below TCP mode", ALIAS_NUMBER },
	{ "Ti", alias_Ti, NEEDS_CONNECTION, "ms idle before the request",
	  ALIAS_HTTP | ALIAS_NUMBER },
	{ "Tl", alias_Tl, NEEDS_CONNECTION, "date of the accept, local time", 0 },
	{ "Tq", alias_Tq, NEEDS_CONNECTION, "ms until the request was complete",
	  ALIAS_HTTP | ALIAS_NUMBER },
	{ "Tr", alias_Tr, NEEDS_END, "ms until the response's head", ALIAS_HTTP | ALIAS_NUMBER },
	{ "Ts", alias_Ts, NEEDS_CONNECTION, "date of the accept, seconds since 1970",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "Tt", alias_Tt, NEEDS_END, "ms from accept to end", ALIAS_NUMBER },
	{ "Tu", alias_Tu, NEEDS_END, "ms as the client sees them", ALIAS_NUMBER },
	{ "Tw", alias_Tw, NEEDS_END, "ms in queues; -1: not reached", ALIAS_NUMBER },
	{ "U", alias_U, NEEDS_END, "bytes received from the client", ALIAS_NUMBER },
	{ "ac", alias_ac, NEEDS_END, "connections of the process", ALIAS_NUMBER },
	{ "b", alias_b, NEEDS_CONNECTION, "name of the backend", 0 },
	{ "bc", alias_bc, NEEDS_END, "connections of the backend", ALIAS_NUMBER },
	{ "bi", alias_bi, NEEDS_CONNECTION, "our address towards the server", 0 },
	{ "bp", alias_bp, NEEDS_CONNECTION, "our port towards the server",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "bq", alias_bq, NEEDS_END, "those before it in the backend's queue", ALIAS_NUMBER },
	{ "ci", alias_ci, NEEDS_CONNECTION, "address of the client", 0 },
	{ "cp", alias_cp, NEEDS_CONNECTION, "port of the client", ALIAS_NUMBER | ALIAS_HEX },
	{ "f", alias_f, NEEDS_CONNECTION, "name of the frontend", 0 },
	{ "fc", alias_fc, NEEDS_END, "connections of the frontend", ALIAS_NUMBER },
	{ "fi", alias_fi, NEEDS_CONNECTION, "address that the client connected to", 0 },
	{ "fp", alias_fp, NEEDS_CONNECTION, "port that the client connected to",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "ft", alias_ft, NEEDS_CONNECTION, "name of the frontend, with ~ when encrypted", 0 },
	{ "hr", alias_hr, NEEDS_CONNECTION, "captured request headers", ALIAS_LIST },
	{ "hrl", alias_hrl, NEEDS_CONNECTION, "the same, a word each", ALIAS_LIST },
	{ "hs", alias_hs, NEEDS_END, "captured response headers", ALIAS_LIST },
	{ "hsl", alias_hsl, NEEDS_END, "the same, a word each", ALIAS_LIST },
	{ "lc", alias_lc, NEEDS_CONNECTION, "lines that the frontend has logged before",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "ms", alias_ms, NEEDS_CONNECTION, "milliseconds of the accept's second",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "pid", alias_pid, NEEDS_CONNECTION, "process id", ALIAS_NUMBER | ALIAS_HEX },
	{ "r", alias_r, NEEDS_CONNECTION, "HTTP request line", ALIAS_HTTP | ALIAS_URI },
	{ "rc", alias_rc, NEEDS_END, "connection attempts after the first; + when redispatched",
	  ALIAS_NUMBER },
	{ "rt", alias_rt, NEEDS_CONNECTION, "number of the session in this process",
	  ALIAS_NUMBER | ALIAS_HEX },
	{ "s", alias_s, NEEDS_CONNECTION, "name of the server, or <NOSRV>", 0 },
	{ "sc", alias_sc, NEEDS_END, "connections of the server", ALIAS_NUMBER },
	{ "si", alias_si, NEEDS_CONNECTION, "address of the server", 0 },
	{ "sp", alias_sp, NEEDS_CONNECTION, "port of the server", ALIAS_NUMBER | ALIAS_HEX },
	{ "sq", alias_sq, NEEDS_END, "those before it in the server's queue", ALIAS_NUMBER },
	{ "sslc", alias_sslc, NEEDS_CONNECTION, "cipher of the client's connection", 0 },
	{ "sslv", alias_sslv, NEEDS_CONNECTION, "TLS version of the client's connection", 0 },
	{ "t", alias_t, NEEDS_CONNECTION, "date of the accept, local time, with milliseconds", 0 },
	{ "ti", alias_ti, NEEDS_CONNECTION, "date of the accept, ISO 8601, with milliseconds", 0 },
	{ "tr", alias_tr, NEEDS_CONNECTION, "date of the request", ALIAS_HTTP },
	{ "trg", alias_trg, NEEDS_CONNECTION, "date of the request, UTC", ALIAS_HTTP },
	{ "tri", alias_tri, NEEDS_CONNECTION, "date of the request, ISO 8601, with milliseconds",
	  ALIAS_HTTP },
	{ "trl", alias_trl, NEEDS_CONNECTION, "date of the request, local time", ALIAS_HTTP },
	{ "ts", alias_ts, NEEDS_END, "termination state, two letters", 0 },
	{ "tsc", alias_tsc, NEEDS_END, "termination state, with two of cookies", 0 },
};

static int alias_compare(const void *key, const void *row)
{
	return strcmp(key, ((const struct alias *)row)->name);
}

const struct alias *alias_find(struct span name)
{
	char text[ALIAS_LONGEST];

	if (name.len >= sizeof(text))
		return NULL;
	memcpy(text, name.ptr, name.len);
	text[name.len] = 0;
	return bsearch(text, aliases, ARRAY_LEN(aliases), sizeof(*aliases), alias_compare);
}

const struct alias *alias_row(size_t n)
{
	return n < ARRAY_LEN(aliases) ? &aliases[n] : NULL;
}

const char *alias_nearest(struct span name)
{
	char text[ALIAS_LONGEST];
	size_t i;

	if (name.len >= sizeof(text) || name.len < 2)
		return NULL;
	memcpy(text, name.ptr, name.len);
	text[name.len] = 0;
	for (i = 0; i < ARRAY_LEN(aliases); i++)
		if (!strcasecmp(text, aliases[i].name))
			return aliases[i].name;
	for (i = 0; i < ARRAY_LEN(aliases); i++)
		if (str_distance(text, aliases[i].name, 1) == 1)
			return aliases[i].name;
	return NULL;
}
