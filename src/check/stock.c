/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks of services that need no rules: option smtpchk, redis-check, mysql-check, pgsql-check,
 * ldap-check, spop-check, ssl-hello-chk (manual 4.2). Each option becomes a ruleset at the end of
 * the configuration; what the servers answer is judged by patterns, or by answers.c. Results and
 * sentences are those of the reference.
 */
#include "check/stock.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/logformat.h"
#include "expr/regex.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

void stock_connect(struct stock *stock, bool linger)
{
	struct step *step = step_add(stock->cfg->arena, &stock->list, STEP_CONNECT);

	step->connect.as_server = true;
	step->connect.linger = linger;
	if (linger)
		return;
	step->number = 0; /* the usual connection does not count */
	stock->list.count = 0;
}

void stock_send(struct stock *stock, const char *bytes, size_t len)
{
	char *copy = arena_alloc(stock->cfg->arena, len + 1);

	memcpy(copy, bytes, len);
	step_add(stock->cfg->arena, &stock->list, STEP_SEND)->send.bytes = (struct span){ copy, len };
}

/* Formats and patterns of this file are right. */
static struct logformat *stock_format(struct stock *stock, const char *text)
{
	struct logformat *format;
	struct err err = { "" };

	format = logformat_compile_as(FORMAT_RAW, text, &stock->ctx, AT_CHECK, &err);
	BUG_ON(!format);
	return format;
}

struct step_expect *stock_expect(struct stock *stock, enum expect_kind kind, const char *regex,
				 int min_recv)
{
	struct step_expect *e = &step_add(stock->cfg->arena, &stock->list, STEP_EXPECT)->expect;
	struct err err;

	e->kind = kind;
	e->min_recv = min_recv;
	if (regex) {
		e->regex = regex_compile(regex, false, stock->cfg->arena, &err);
		BUG_ON(!e->regex);
	}
	return e;
}

void stock_custom(struct stock *stock,
		  enum expect_result (*custom)(struct walk *, struct span, bool))
{
	stock_expect(stock, EXPECT_CUSTOM, NULL, 0)->custom = custom;
}

enum expect_result stock_report(struct walk *walk, const struct answer *a)
{
	if (a->status == CHECK_UNKNOWN)
		return EXPECT_WAIT;
	walk->status = a->status;
	walk->code = a->code;
	text_init(&walk->said, walk->memory, sizeof(walk->memory));
	if (a->text.ptr)
		text_add(&walk->said, a->text.ptr, a->text.len);
	return EXPECT_REPORT;
}

/* -- Redis ----------------------------------------------------------------------------------- */

static void stock_redis(struct stock *stock)
{
	static const char ping[] = "*1\r\n$4\r\nPING\r\n", pong[] = "+PONG\r\n";
	struct step_expect *e;

	stock_connect(stock, false);
	stock_send(stock, ping, sizeof(ping) - 1);
	e = stock_expect(stock, EXPECT_STRING, NULL, -1);
	e->data = span_of(pong);
	e->error = CHECK_L7STS;
	e->on_error = stock_format(stock, "%[res.payload(0,0),cut_crlf]");
	e->on_success = stock_format(stock, "Redis server is ok");
}

/* -- SMTP ------------------------------------------------------------------------------------ */

/* What comes behind a line that was judged early would be taken for the reply to the next
 * command. */
static bool smtp_whole(struct span bytes)
{
	return bytes.len && bytes.ptr[bytes.len - 1] == '\n';
}

/* A reply with code 2xx; its code and text are reported. */
static void smtp_expect(struct stock *stock, const char *regex, int min_recv)
{
	static const char text[] = "%[res.payload(4,0),ltrim(' '),cut_crlf]";
	struct step_expect *e = stock_expect(stock, EXPECT_REGEX, regex, min_recv);
	const char *code = "res.payload(0,3)";
	struct err err;

	e->whole = smtp_whole;
	e->error = CHECK_L7STS;
	e->on_error = stock_format(stock, text);
	e->on_success = stock_format(stock, text);
	e->code = expr_parse_all(code, &stock->ctx, &err);
	BUG_ON(!e->code);
}

static void stock_smtp(struct stock *stock, const struct check_conf *conf)
{
	struct step_expect *e;
	char hello[600];
	int len;

	stock_connect(stock, true);
	e = stock_expect(stock, EXPECT_REGEX, "^[0-9]{3}[ \r]", 4);
	e->whole = smtp_whole;
	e->on_error = stock_format(stock, "%[res.payload(0,0),cut_crlf]");
	smtp_expect(stock, "^2[0-9]{2}[ \r]", 4);
	len = snprintf(hello, sizeof(hello), "%s %s\r\n", conf->hello ? conf->hello : "HELO",
		       conf->domain ? conf->domain : "localhost");
	stock_send(stock, hello, (size_t)len);
	smtp_expect(stock, "^(2[0-9]{2}-[^\r]*\r\n)*2[0-9]{2}[ \r]", -1);
	stock_send(stock, "QUIT\r\n", 6);
	smtp_expect(stock, "^2[0-9]{2}[- \r]", 4);
}

/* -- MySQL ----------------------------------------------------------------------------------- */

static enum expect_result mysql_greeting(struct walk *walk, struct span bytes, bool last)
{
	struct answer a = answer_mysql(bytes, true, last);

	return stock_report(walk, &a);
}

/* With a user the greeting is only the beginning. */
static enum expect_result mysql_greeting_first(struct walk *walk, struct span bytes, bool last)
{
	struct answer a = answer_mysql(bytes, true, last);

	return a.status == CHECK_L7OK ? EXPECT_YES : stock_report(walk, &a);
}

/* The answer to the authentication; the version of the greeting is reported. */
static enum expect_result mysql_login(struct walk *walk, struct span bytes, bool last)
{
	struct answer greeting = answer_mysql(bytes, true, last), a;
	struct span rest = { bytes.ptr + greeting.len, bytes.len - greeting.len };

	a = answer_mysql(rest, false, last);
	if (a.status == CHECK_L7OK)
		a.text = greeting.text;
	return stock_report(walk, &a);
}

static void stock_mysql(struct stock *stock, const struct check_conf *conf)
{
	/* Protocol 4.1 and secure connection; packets of up to 16 MB; utf8; 23 bytes of nothing. */
	static const char new_head[] = "\x00\x82\x00\x00\x00\x80\x00\x01\x21"
				       "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static const char old_head[] = "\x00\x80\x00\x00\x01", quit[] = "\x01\x00\x00\x00\x01";
	const char *head = conf->pre_41 ? old_head : new_head;
	size_t head_len = (conf->pre_41 ? sizeof(old_head) : sizeof(new_head)) - 1;
	char packet[512];
	size_t len;

	stock_connect(stock, true);
	if (!conf->user) {
		stock_custom(stock, mysql_greeting);
		return;
	}
	len = head_len + strlen(conf->user) + 2;
	memset(packet, 0, sizeof(packet));
	packet[0] = (char)(len & 255);
	packet[1] = (char)(len >> 8);
	packet[3] = 1;
	memcpy(packet + 4, head, head_len);
	memcpy(packet + 4 + head_len, conf->user, strlen(conf->user));
	memcpy(packet + 4 + len, quit, sizeof(quit) - 1);
	stock_send(stock, packet, 4 + len + sizeof(quit) - 1);
	stock_custom(stock, mysql_greeting_first);
	stock_custom(stock, mysql_login);
}

/* -- PostgreSQL ------------------------------------------------------------------------------ */

/* An error is told with its text, if it has one: as long as the packet says, or up to the NULs of
 * its last field and of the list, whichever comes first. */
static bool pgsql_whole(struct span bytes)
{
	enum { HEAD = 5, LEAST = 7 };
	const unsigned char *p = (const unsigned char *)bytes.ptr;
	uint32_t len;

	if (!bytes.len || *p != 'E')
		return true;
	if (bytes.len < HEAD)
		return false;
	len = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
	if (len < LEAST || bytes.len - 1 >= len)
		return true;
	return bytes.len > LEAST && !memcmp(p + bytes.len - 2, "\0\0", 2);
}

static void stock_pgsql(struct stock *stock, const struct check_conf *conf)
{
	static const char head[] = "\0\0\0\0\0\3\0\0user\0";
	const size_t head_len = sizeof(head) - 1;
	struct step_expect *e;
	char packet[512];
	size_t len;

	memset(packet, 0, sizeof(packet));
	memcpy(packet, head, head_len);
	memcpy(packet + head_len, conf->user, strlen(conf->user));
	len = head_len + strlen(conf->user) + 2;
	packet[2] = (char)(len >> 8);
	packet[3] = (char)(len & 255);
	stock_connect(stock, true);
	stock_send(stock, packet, len);
	e = stock_expect(stock, EXPECT_REGEX, "^E", 5);
	e->whole = pgsql_whole;
	e->negated = true;
	e->on_error = stock_format(stock, "%[res.payload(6,0)]");
	e = stock_expect(stock, EXPECT_BINARY_REGEX,
			 "^52000000[A-Z0-9]{2}000000(00|02|03|04|05|06|07|09|0A)", 9);
	e->error = CHECK_L7STS;
	e->on_error = stock_format(stock, "PostgreSQL unknown error");
	e->on_success = stock_format(stock, "PostgreSQL server is ok");
}

/* -- LDAP, SPOP, TLS ------------------------------------------------------------------------- */

static enum expect_result ldap_expect(struct walk *walk, struct span bytes, bool last)
{
	struct answer a = answer_ldap(bytes, last);

	return stock_report(walk, &a);
}

static void stock_ldap(struct stock *stock)
{
	static const char bind[] = "\x30\x0c\x02\x01\x01\x60\x07\x02\x01\x03\x04\x00\x80\x00";

	stock_connect(stock, false);
	stock_send(stock, bind, sizeof(bind) - 1);
	stock_custom(stock, ldap_expect);
}

enum { SPOP_MAX_FRAME = 16380 }; /* as the frame says, in its coding of numbers */

static enum expect_result spop_expect(struct walk *walk, struct span bytes, bool last)
{
	struct answer a = answer_spop(bytes, SPOP_MAX_FRAME, last);

	return stock_report(walk, &a);
}

static void stock_spop(struct stock *stock)
{
	static const char hello[] = "\0\0\0\x4e\x01\0\0\0\x01\0\0"
				    "\x12" "supported-versions" "\x08\x03" "2.0"
				    "\x0e" "max-frame-size" "\x03\xfc\xf0\x06"
				    "\x0c" "capabilities" "\x08\x00"
				    "\x0b" "healthcheck" "\x11";

	stock_connect(stock, false);
	stock_send(stock, hello, sizeof(hello) - 1);
	stock_custom(stock, spop_expect);
}

/* A client hello of SSL 3.0 with the ciphers of its time (RFC 6101 5.6.1.2, RFC 3268). */
static bool ssl_hello(struct walk *walk, const struct step *step, struct text *out)
{
	static const char head[] = "\x16\x03\x00\x00\x79\x01\x00\x00\x75\x03\x00";
	uint32_t now = (uint32_t)time(NULL);
	unsigned i;

	(void)walk;
	(void)step;
	text_add(out, head, sizeof(head) - 1);
	for (i = 0; i < 4; i++)
		text_char(out, (char)(now >> (24 - 8 * i)));
	text_str(out, "PENSTOCKSSLCHK\nPENSTOCKCHK\n\n"); /* 28 bytes of random */
	text_add(out, "\x00\x00\x4e", 3);
	for (i = 1; i <= 0x3a; i++) {
		if (i > 0x1b && i < 0x2f)
			continue;
		text_char(out, 0);
		text_char(out, (char)i);
	}
	text_add(out, "\x01\x00", 2);
	return true;
}

static void stock_ssl(struct stock *stock)
{
	struct step_expect *e;

	stock_connect(stock, false);
	step_add(stock->cfg->arena, &stock->list, STEP_SEND)->send.build = ssl_hello;
	e = stock_expect(stock, EXPECT_BINARY_REGEX, "^1[56]", 5); /* an alert is an answer, too */
	e->ok = CHECK_L6OK;
	e->error = CHECK_L6RSP;
	e->timeout = CHECK_L6TOUT;
}

/* -- the rulesets ---------------------------------------------------------------------------- */

struct ruleset *stock_rules(struct config *cfg, const struct check_conf *conf)
{
	struct stock stock = { .cfg = cfg, .ctx = { .cfg = cfg, .arena = cfg->arena,
						    .loc = conf->loc } };
	struct ruleset *rules = arena_alloc(cfg->arena, sizeof(*rules));

	switch (conf->type) {
	case CHECK_SMTP:
		stock_smtp(&stock, conf);
		break;
	case CHECK_SSL:
		stock_ssl(&stock);
		break;
	case CHECK_MYSQL:
		stock_mysql(&stock, conf);
		break;
	case CHECK_PGSQL:
		stock_pgsql(&stock, conf);
		break;
	case CHECK_REDIS:
		stock_redis(&stock);
		break;
	case CHECK_LDAP:
		stock_ldap(&stock);
		break;
	case CHECK_SPOP:
		stock_spop(&stock);
		break;
	case CHECK_UDP:
		rules->datagrams = true;
		stock_udp(&stock, conf);
		break;
	default:
		BUG_ON(true);
	}
	rules->type = conf->type;
	rules->first = stock.list.first;
	return rules;
}

/* -- the words ------------------------------------------------------------------------------- */

struct check_conf *stock_conf(struct statement *st, struct proxy *px, enum check_type type)
{
	struct check_conf *conf = check_conf_own(st->cfg, px);

	conf->type = type;
	conf->loc = st->loc;
	conf->user = conf->hello = conf->domain = NULL;
	conf->pre_41 = false;
	return conf;
}

/* Options without arguments; the row's min says which. */
static int parse_plain(struct statement *st, const struct keyword *kw, void *object)
{
	stock_conf(st, object, (enum check_type)kw->min);
	return stmt_end(st);
}

static int parse_command(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = check_conf_own(st->cfg, object);
	const char *word = stmt_need(st, "the path of a file");

	if (!word)
		return -1;
	if (strstr(kw->name, "command"))
		conf->command = word;
	else
		conf->path = word;
	return stmt_end(st);
}

static int parse_user(struct statement *st, struct check_conf *conf)
{
	enum { LONGEST = 255 };
	const char *user = stmt_need(st, "the name of a user");

	if (!user)
		return -1;
	if (strlen(user) > LONGEST)
		return stmt_error(st, st->at - 1, "the name of a user has at most %d bytes", LONGEST);
	conf->user = user;
	return 0;
}

static int parse_mysql(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = stock_conf(st, object, CHECK_MYSQL);

	(void)kw;
	if (!stmt_peek(st))
		return 0;
	if (!stmt_take(st, "user"))
		return stmt_error(st, st->at, "'user' is expected, or nothing");
	if (parse_user(st, conf))
		return -1;
	conf->pre_41 = stmt_take(st, "pre-41");
	if (!conf->pre_41)
		stmt_take(st, "post-41");
	return stmt_end(st);
}

static int parse_pgsql(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = stock_conf(st, object, CHECK_PLAIN);

	(void)kw;
	if (!stmt_take(st, "user"))
		return stmt_error(st, st->at, "'user' and the name of a user are expected");
	if (parse_user(st, conf))
		return -1;
	conf->type = CHECK_PGSQL;
	return stmt_end(st);
}

/* Without a domain, or with another hello, both are the usual ones. */
static int parse_smtp(struct statement *st, const struct keyword *kw, void *object)
{
	enum { LONGEST = 500 };
	struct check_conf *conf = stock_conf(st, object, CHECK_SMTP);
	const char *hello = stmt_next(st), *domain = hello ? stmt_next(st) : NULL;

	(void)kw;
	if (!domain)
		return 0;
	if (strlen(domain) > LONGEST)
		return stmt_error(st, st->at - 1, "the domain has at most %d bytes", LONGEST);
	if (!strcasecmp(hello, "EHLO") || !strcasecmp(hello, "HELO")) {
		conf->hello = hello;
		conf->domain = domain;
	}
	return stmt_end(st);
}

#define OPTION(word_, type_, help_)                                                        \
	{ .name = "option " word_, .scope = SCOPE_BACK | SCOPE_UDP, .args = "", .parse = parse_plain,       \
	  .min = type_, .help = help_ }

static const struct keyword keywords[] = {
	OPTION("external-check", CHECK_EXTERNAL, "checks run a command"),
	{ .name = "external-check command", .scope = SCOPE_BACK | SCOPE_UDP, .args = "<command>",
	  .parse = parse_command, .help = "the command that checks run" },
	{ .name = "external-check path", .scope = SCOPE_BACK | SCOPE_UDP, .args = "<path>",
	  .parse = parse_command, .dflt = "empty", .help = "PATH in the command's environment" },
	OPTION("ldap-check", CHECK_LDAP, "checks bind to an LDAP server anonymously"),
	{ .name = "option mysql-check", .scope = SCOPE_BACK | SCOPE_UDP,
	  .args = "[ user <username> [ { post-41 | pre-41 } ] ]", .parse = parse_mysql,
	  .help = "checks wait for the greeting of a MySQL server, or log in" },
	{ .name = "option pgsql-check", .scope = SCOPE_BACK | SCOPE_UDP, .args = "{ user <username> }",
	  .parse = parse_pgsql, .help = "checks begin to log in to a PostgreSQL server" },
	OPTION("redis-check", CHECK_REDIS, "checks send PING to a Redis server"),
	{ .name = "option smtpchk", .scope = SCOPE_BACK | SCOPE_UDP, .args = "[ <hello> <domain> ]",
	  .parse = parse_smtp, .help = "checks talk to an SMTP server" },
	OPTION("spop-check", CHECK_SPOP, "checks greet an agent of stream processing"),
	{ .name = "option udp-check", .scope = SCOPE_UDP,
	  .args = "[ dns [<name>] | ntp | radius <secret> | syslog | "
		  "{ send <string> | send-binary <hexstring> } "
		  "[ expect <string> | expect-binary <hexstring> ] ]",
	  .parse = stock_parse_udp, .dflt = "one zero byte",
	  .help = "checks send a datagram" },
	OPTION("ssl-hello-chk", CHECK_SSL, "checks send the hello of an SSL 3.0 client"),
	{ .name = NULL },
};

const struct module check_stock_module = { .name = "check_stock", .keywords = keywords };
