/* SPDX-License-Identifier: BSD-2-Clause */
/* The words tcp-check and option tcp-check (manual 4.2): what is sent and what is expected, as
 * steps. Called while the configuration is read. */
#include "check/check_conf.h"

#include "base/arena.h"
#include "base/err.h"
#include "check/walk.h"
#include "expr/regex.h"
#include "proxy/proxy.h"

static const char name[] = "tcp-check";

/* The section's own list: its first rule takes the place of those of the defaults. */
static struct step_list *own_list(struct statement *st, struct proxy *px)
{
	struct check_conf *conf = check_conf_own(st->cfg, px);

	if (!conf->own_tcp) {
		conf->tcp = (struct step_list){ NULL, NULL, 0 };
		conf->own_tcp = true;
		conf->tcp_loc = st->loc;
	}
	return &conf->tcp;
}

static int parse_hex(struct statement *st, const char *what, struct span *bytes)
{
	const char *word = stmt_need(st, what);
	char *copy;

	if (!word)
		return -1;
	copy = arena_strdup(st->cfg->arena, word);
	*bytes = span_of(copy);
	if (!bytes->len || !hex_decode(copy, &bytes->len))
		return stmt_error(st, st->at - 1, "'%s' is no even number of hexadecimal digits", word);
	copy[bytes->len] = 0;
	return 0;
}

/* -- send ------------------------------------------------------------------------------------ */

static int send_end(struct statement *st, struct step *step)
{
	if (stmt_take(st, "comment")) {
		step->comment = stmt_need(st, "a comment");
		if (!step->comment)
			return -1;
	}
	return stmt_end(st);
}

static struct step *send_step(struct statement *st, struct proxy *px)
{
	struct step *step = step_add(st->cfg->arena, own_list(st, px), STEP_SEND);

	step->loc = st->loc;
	return step;
}

static int parse_send(struct statement *st, const struct keyword *kw, void *object)
{
	struct step *step = send_step(st, object);
	const char *word = stmt_need(st, "what is sent");

	(void)kw;
	if (!word)
		return -1;
	if (!*word)
		return stmt_error(st, st->at - 1, "nothing would be sent");
	step->send.bytes = span_of(word);
	return send_end(st, step);
}

static int parse_send_binary(struct statement *st, const struct keyword *kw, void *object)
{
	struct step *step = send_step(st, object);

	(void)kw;
	return parse_hex(st, "what is sent", &step->send.bytes) ? -1 : send_end(st, step);
}

static int parse_send_format(struct statement *st, const struct keyword *kw, void *object)
{
	struct step *step = send_step(st, object);

	step->send.format = step_parse_format(st, object, "a log format");
	step->send.hex = strstr(kw->name, "binary") != NULL;
	return step->send.format ? send_end(st, step) : -1;
}

/* -- expect ---------------------------------------------------------------------------------- */

static int expect_pattern(struct statement *st, struct proxy *px, struct step_expect *e)
{
	const char *word;
	struct err err;

	if (e->kind == EXPECT_STRING_FORMAT || e->kind == EXPECT_BINARY_FORMAT)
		return (e->format = step_parse_format(st, px, "a log format")) ? 0 : -1;
	if (e->kind == EXPECT_BINARY)
		return parse_hex(st, "a pattern", &e->data);
	word = stmt_need(st, "a pattern");
	if (!word)
		return -1;
	if (!*word)
		return stmt_error(st, st->at - 1, "an empty pattern is found everywhere");
	if (e->kind == EXPECT_STRING) {
		e->data = span_of(word);
		return 0;
	}
	e->regex = regex_compile(word, false, st->cfg->arena, &err);
	return e->regex ? 0 : stmt_error(st, st->at - 1, "%s", err.text);
}

static int expect_match(struct statement *st, struct proxy *px, struct step_expect *e)
{
	static const char *const names[] = {
		[EXPECT_STRING] = "string", [EXPECT_BINARY] = "binary", [EXPECT_REGEX] = "rstring",
		[EXPECT_BINARY_REGEX] = "rbinary", [EXPECT_STRING_FORMAT] = "string-lf",
		[EXPECT_BINARY_FORMAT] = "binary-lf", NULL };
	const char *word = step_parse_match(st, e);
	unsigned i;

	if (!word)
		return -1;
	for (i = 0; names[i]; i++) {
		if (!strcmp(word, names[i])) {
			e->kind = (enum expect_kind)i;
			return expect_pattern(st, px, e);
		}
	}
	return stmt_unknown(st, st->at - 1, "match of tcp-check", names);
}

static int parse_expect(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return step_parse_expect(st, object, own_list(st, object), expect_match);
}

/* -- the words ------------------------------------------------------------------------------- */

static int parse_connect(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return step_parse_connect(st, object, own_list(st, object), name);
}

static int parse_comment(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	return step_parse_comment(st, own_list(st, object));
}

/* Words with parentheses behind them, and what is none. */
static int parse_other(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const words[] = { "comment", "connect", "expect", "send", "send-binary",
					     "send-binary-lf", "send-lf", "set-var(...)",
					     "set-var-fmt(...)", "unset-var(...)", NULL };
	bool found;

	(void)kw;
	if (step_parse_variable(st, object, own_list(st, object), name, &found))
		return -1;
	return found ? 0 : stmt_unknown(st, st->at, "word of tcp-check", words);
}

/* Rules of the defaults stay in force when they were for this option. */
static int parse_option(struct statement *st, const struct keyword *kw, void *object)
{
	struct check_conf *conf = check_conf_own(st->cfg, object);

	(void)kw;
	if (conf->type != CHECK_TCP && !conf->own_tcp)
		conf->tcp = (struct step_list){ NULL, NULL, 0 };
	conf->type = CHECK_TCP;
	conf->loc = st->loc;
	return stmt_end(st);
}

#define RULE(word_, args_, parse_, help_)                                              \
	{ .name = word_, .scope = SCOPE_BACK | SCOPE_UDP, .args = args_, .parse = parse_, .help = help_ }

static const struct keyword keywords[] = {
	RULE("option tcp-check", "", parse_option, "checks go through the rules of tcp-check"),
	RULE("tcp-check", "{ set-var(<name>) | set-var-fmt(<name>) | unset-var(<name>) } ...",
	     parse_other, "keeps a value in a variable while the check runs"),
	RULE("tcp-check comment", "<string>", parse_comment,
	     "said when the rule behind it fails"),
	RULE("tcp-check connect",
	     "[default] [port <expr>] [addr <ip>] [send-proxy] [via-socks4] [linger] [proto none] "
	     "[comment <msg>]",
	     parse_connect, "opens a connection"),
	RULE("tcp-check expect",
	     "[min-recv <n>] [comment <msg>] [ok-status <st>] [error-status <st>] "
	     "[tout-status <st>] [on-success <fmt>] [on-error <fmt>] [status-code <expr>] "
	     "[!] <match> <pattern>", parse_expect, "waits for bytes that match"),
	RULE("tcp-check send", "<data> [comment <msg>]", parse_send, "sends bytes"),
	RULE("tcp-check send-lf", "<fmt> [comment <msg>]", parse_send_format,
	     "sends what a log format writes"),
	RULE("tcp-check send-binary", "<hexstring> [comment <msg>]", parse_send_binary,
	     "sends bytes given by hexadecimal digits"),
	RULE("tcp-check send-binary-lf", "<hexfmt> [comment <msg>]", parse_send_format,
	     "sends bytes whose hexadecimal digits a log format writes"),
	{ .name = NULL },
};

const struct module check_tcp_module = { .name = "check_tcp", .keywords = keywords };
