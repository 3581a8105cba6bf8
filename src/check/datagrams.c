/* SPDX-License-Identifier: BSD-2-Clause */
/* option udp-check: what is sent as a datagram, and what is expected. What servers answer is read
 * by answers.c. */
#include "check/stock.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/siphash.h"
#include "proxy/proxy.h"

#include <string.h>
#include <sys/random.h>

/* Of each check another one. */
static unsigned udp_id(const struct walk *walk)
{
	uint64_t us = walk->check->started_us;

	return (unsigned)((us ^ us >> 16 ^ us >> 32) & 0xffff);
}

/* A question for an address: the name was put into the form of the wire by the parser. */
static bool udp_dns_build(struct walk *walk, const struct step *step, struct text *out)
{
	const struct check_conf *conf = check_conf_of(walk->check->server->proxy);
	unsigned id = udp_id(walk);

	(void)step;
	text_char(out, (char)(id >> 8));
	text_char(out, (char)id);
	text_add(out, "\1\0\0\1\0\0\0\0\0\0", 10); /* recursion desired, one question */
	text_add(out, conf->sends.ptr, conf->sends.len);
	text_add(out, "\0\1\0\1", 4); /* A, IN */
	return true;
}

static enum expect_result udp_dns_judge(struct walk *walk, struct span bytes, bool last)
{
	struct answer a = answer_dns(bytes, udp_id(walk));

	(void)last;
	return stock_report(walk, &a);
}

/* What nobody else can foresee. */
static const uint64_t *udp_secret(void)
{
	static uint64_t secret[2];

	if (!secret[0] && getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		secret[0] = clock_read_us();
	return secret;
}

static void udp_ntp_transmit(const struct walk *walk, char transmit[8])
{
	memcpy(transmit, &walk->check->started_us, 8);
}

static bool udp_ntp_build(struct walk *walk, const struct step *step, struct text *out)
{
	static const char zeros[39];
	char transmit[8];

	(void)step;
	udp_ntp_transmit(walk, transmit);
	text_char(out, 4 << 3 | 3); /* version 4, a client */
	text_add(out, zeros, sizeof(zeros));
	text_add(out, transmit, sizeof(transmit));
	return true;
}

static enum expect_result udp_ntp_judge(struct walk *walk, struct span bytes, bool last)
{
	char transmit[8];
	struct answer a;

	(void)last;
	udp_ntp_transmit(walk, transmit);
	a = answer_ntp(bytes, transmit);
	return stock_report(walk, &a);
}

static struct radius_request udp_radius_request(const struct walk *walk)
{
	const struct check *check = walk->check;
	struct radius_request r = { .id = (uint8_t)udp_id(walk),
				    .secret = check_conf_of(check->server->proxy)->sends };
	uint64_t parts[2] = { check->started_us, (uint64_t)check->server->puid };
	struct siphash hash = siphash(udp_secret(), parts, sizeof(parts));

	memcpy(r.authenticator, &hash.low, 8);
	memcpy(r.authenticator + 8, &hash.high, 8);
	return r;
}

static bool udp_radius_build(struct walk *walk, const struct step *step, struct text *out)
{
	struct radius_request r = udp_radius_request(walk);

	(void)step;
	radius_ask(&r, out);
	return true;
}

static enum expect_result udp_radius_judge(struct walk *walk, struct span bytes, bool last)
{
	struct radius_request r = udp_radius_request(walk);
	struct answer a = answer_radius(bytes, &r);

	(void)last;
	return stock_report(walk, &a);
}

/* An answer is whole when it comes. */
static enum expect_result udp_text(struct walk *walk, struct span bytes, bool last)
{
	const struct span *wanted = &check_conf_of(walk->check->server->proxy)->expects;

	(void)last;
	if (!bytes.len)
		return EXPECT_WAIT;
	return memmem(bytes.ptr, bytes.len, wanted->ptr, wanted->len) ? EXPECT_YES : EXPECT_NO;
}

/* Whatever comes. */
static enum expect_result udp_any(struct walk *walk, struct span bytes, bool last)
{
	(void)walk;
	(void)last;
	return bytes.len ? EXPECT_YES : EXPECT_WAIT;
}

/* Where no certain answer is expected, a server that keeps silent is well: only its host's refusal
 * counts. */
static void stock_udp_bytes(struct stock *stock, const struct check_conf *conf)
{
	struct step_expect *e;

	stock_send(stock, conf->sends.ptr, conf->sends.len);
	if (conf->expects.ptr) {
		stock_custom(stock, udp_text);
		return;
	}
	e = stock_expect(stock, EXPECT_CUSTOM, NULL, 0);
	e->custom = udp_any;
	e->timeout = CHECK_L4OK;
	e->ok = CHECK_L4OK;
}

void stock_udp(struct stock *stock, const struct check_conf *conf)
{
	stock_connect(stock, false);
	switch (conf->datagram) {
	case UDP_CHECK_DNS:
		step_add(stock->cfg->arena, &stock->list, STEP_SEND)->send.build = udp_dns_build;
		stock_custom(stock, udp_dns_judge);
		break;
	case UDP_CHECK_NTP:
		step_add(stock->cfg->arena, &stock->list, STEP_SEND)->send.build = udp_ntp_build;
		stock_custom(stock, udp_ntp_judge);
		break;
	case UDP_CHECK_RADIUS:
		step_add(stock->cfg->arena, &stock->list, STEP_SEND)->send.build = udp_radius_build;
		stock_custom(stock, udp_radius_judge);
		break;
	default:
		stock_udp_bytes(stock, conf);
		break;
	}
}

/* -- the line -------------------------------------------------------------------------------- */

/* "www.example.com" or "." into labels with their lengths (RFC 1035 3.1). */
static int parse_dns_name(struct statement *st, const char *name, struct span *wire)
{
	enum { LONGEST = 253, LABEL = 63 };
	char *to = arena_alloc(st->cfg->arena, strlen(name) + 2);
	size_t len;

	*wire = (struct span){ to, 0 };
	if (!*name || strlen(name) > LONGEST)
		return stmt_error(st, st->at - 1, "a name of 1 to %d characters is expected",
				  LONGEST);
	while (*name && strcmp(name, ".") != 0) {
		len = strcspn(name, ".");
		if (!len || len > LABEL)
			return stmt_error(st, st->at - 1, "the parts of a name have 1 to %d "
					  "characters", LABEL);
		*to++ = (char)len;
		memcpy(to, name, len);
		to += len;
		name += len + (name[len] == '.');
	}
	*to++ = 0;
	wire->len = (size_t)(to - wire->ptr);
	return 0;
}

/* The next word, as it is or in hexadecimal digits. */
static int parse_bytes(struct statement *st, bool hex, struct span *bytes)
{
	const char *word = stmt_need(st, hex ? "hexadecimal digits" : "a string");
	char *copy;
	size_t len;

	if (!word)
		return -1;
	len = strlen(word);
	copy = arena_strdup(st->cfg->arena, word);
	if (hex && !hex_decode(copy, &len))
		return stmt_error(st, st->at - 1, "two hexadecimal digits a byte are expected");
	*bytes = (struct span){ copy, len };
	return 0;
}

static int parse_udp_bytes(struct statement *st, struct check_conf *conf)
{
	bool hex = stmt_take(st, "send-binary");

	if (!hex && !stmt_take(st, "send"))
		return stmt_error(st, st->at, "'dns', 'ntp', 'radius', 'syslog', 'send' or "
				  "'send-binary' is expected, not '%s'", stmt_peek(st));
	if (parse_bytes(st, hex, &conf->sends))
		return -1;
	if (!conf->sends.len)
		return stmt_error(st, st->at - 1, "what is sent cannot be empty");
	hex = stmt_take(st, "expect-binary");
	if (!hex && !stmt_take(st, "expect"))
		return 0;
	if (parse_bytes(st, hex, &conf->expects))
		return -1;
	if (!conf->expects.len)
		return stmt_error(st, st->at - 1, "what is expected cannot be empty");
	return 0;
}

int stock_parse_udp(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = stock_conf(st, object, CHECK_UDP);
	const char *name;

	(void)kw;
	conf->datagram = UDP_CHECK_BYTES;
	conf->sends = (struct span){ "", 1 };
	conf->expects = (struct span){ NULL, 0 };
	if (stmt_take(st, "dns")) {
		conf->datagram = UDP_CHECK_DNS;
		name = stmt_next(st);
		if (parse_dns_name(st, name ? name : ".", &conf->sends))
			return -1;
	} else if (stmt_take(st, "ntp")) {
		conf->datagram = UDP_CHECK_NTP;
	} else if (stmt_take(st, "radius")) {
		conf->datagram = UDP_CHECK_RADIUS;
		name = stmt_need(st, "the secret that is shared with the servers");
		if (!name)
			return -1;
		conf->sends = span_of(name);
	} else if (stmt_take(st, "syslog")) {
		conf->sends = span_of("<46>1 - - penstock - - - health check");
	} else if (stmt_peek(st) && parse_udp_bytes(st, conf)) {
		return -1;
	}
	return stmt_end(st);
}
