/* SPDX-License-Identifier: BSD-2-Clause */
/* Log formats against a stream made by hand at a frozen time. What is expected was printed by
 * the reference for the same formats, unless a comment says otherwise. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "expr/expr.h"
#include "expr/logformat.h"
#include "expr/logformat_alias.h"
#include "expr/logformat_stock.h"
#include "expr/regex.h"
#include "expr/view.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "proxy/server.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct arena *arena;
static struct proxy_tally fe_state = { .log_lines = 17 };
static struct proxy fe = { .name = "web", .fe = &fe_state }, be = { .name = "app" };
static struct server_state server_state;
static struct server server = { .id = "s1", .proxy = &be, .state = &server_state };
static struct listener_tally listener_tally;
static struct bind_conf bind_conf;
static struct listener listener = { .id = 77, .tally = &listener_tally, .bind = &bind_conf };
static struct addr client, dst, server_src, unix_addr = { .family = AF_UNIX };
static struct view_log numbers;
static struct view view;

static struct addr ip(const char *text, uint16_t port)
{
	struct addr a = { .family = strchr(text, ':') ? AF_INET6 : AF_INET, .port = port };

	assert_int_equal(inet_pton(a.family, text, &a.v4), 1);
	return a;
}

static int setup(void **state)
{
	(void)state;
	client = ip("192.0.2.7", 36146);
	dst = ip("198.51.100.1", 80);
	server_src = ip("10.0.0.1", 47862);
	server_state.addr = ip("10.0.0.2", 8080);
	numbers = (struct view_log){
		.accepted = { 1795225787, 54321 }, /* 2026-11-21 01:49:47 UTC */
		.wait_ms = 1, .connect_ms = 2, .total_ms = 153, .bytes_in = 1234, .bytes_out = 567,
		.termination = "--", .reason = "both sides have closed", .active_conns = 9,
		.frontend_conns = 8, .backend_conns = 7, .server_conns = 6, .retries = 3,
		.server_queue = 5, .backend_queue = 4, .pid = 26400, .request_counter = 26,
	};
	fe.set.unique_id = NULL;
	view = (struct view){ .frontend = &fe, .backend = &be, .listener = &listener,
			      .server = &server, .src = &client, .dst = &dst,
			      .server_src = &server_src, .log = &numbers };
	return 0;
}

static struct logformat *compile(const char *text, struct err *err)
{
	struct expr_context ctx = { .arena = arena, .proxy = &fe };

	return logformat_compile(text, &ctx, AT_LOG, err);
}

static void check(const char *format, const char *expected)
{
	struct err err = { "" };
	struct logformat *f = compile(format, &err);
	char memory[1000];
	struct text t;

	if (!f)
		fail_msg("'%s': %s", format, err.text);
	text_init(&t, memory, sizeof(memory));
	logformat_write(f, &view, &t);
	assert_string_equal(memory, expected);
	assert_string_equal(logformat_text(f), format);
}

static void refused(const char *format, const char *message)
{
	struct err err = { "" };

	assert_null(compile(format, &err));
	if (!strstr(err.text, message))
		fail_msg("'%s' was told '%s'", format, err.text);
}

static void the_built_in_formats(void **state)
{
	(void)state;
	check(LOGFORMAT_TCP, "192.0.2.7:36146 [21/Nov/2026:01:49:47.054] web app/s1 1/2/153 567 -- "
			     "9/8/7/6/3 5/4");
	check(LOGFORMAT_DEFAULT, "Connect from 192.0.2.7:36146 to 198.51.100.1:80 (web/TCP)");
}

static void every_alias(void **state)
{
	(void)state;
	check("%ID|%ST|%Tc|%Td|%Th|%Tt|%Tu|%Tw|%U|%B|%ac|%bc|%bi|%bp|%bq",
	      "-|0|2|150|0|153|153|1|1234|567|9|7|10.0.0.1|47862|4");
	check("%f|%fc|%fi|%fp|%ft|%rc|%s|%sc|%si|%sp|%sq|%ts|%tsc|%b|%ci|%cp",
	      "web|8|198.51.100.1|80|web|3|s1|6|10.0.0.2|8080|5|--|----|app|192.0.2.7|36146");
	check("%T|%Tl|%t|%Ts|%ms|%pid|%rt|%lc|%hr%hs%hrl%hsl|%sslc|%sslv",
	      "21/Nov/2026:01:49:47 +0000|21/Nov/2026:01:49:47 +0000|21/Nov/2026:01:49:47.054|"
	      "1795225787|054|26400|26|17||-|-");
}

static void quoting(void **state)
{
	(void)state;
	check("%{+Q}ID|%{+Q}ST|%{+Q}Tc|%{+Q}ac|%{+Q}bi|%{+Q}bp|%{+Q}si|%{+Q}t|%{+Q}T|%{+Q}ts",
	      "\"\"|0|2|9|\"10.0.0.1\"|47862|\"10.0.0.2\"|21/Nov/2026:01:49:47.054|"
	      "21/Nov/2026:01:49:47 +0000|--");
	check("%{+Q}f|%{+Q}b|%{+Q}s|%{+Q}ms|%{+Q}pid|%{+Q}ft|%{+Q}hr",
	      "\"web\"|\"app\"|\"s1\"|054|26400|\"web\"|");
}

static void hexadecimal(void **state)
{
	(void)state;
	check("%{+X}ci|%{+X}cp|%{+X}bi|%{+X}fp|%{+X}Ts|%{+X}pid|%{+X}rt|%{+X}ms|%{+X}B|%{+X}rc|%{+X}s",
	      "C0000207|8D32|0A000001|0050|6B00F8BB|6720|001A|36|567|3|s1");
	client = ip("2001:db8::1", 5);
	check("%ci|%{+X}ci", "2001:db8::1|20010DB8000000000000000000000001");
}

static void check_style(enum logformat_style style, const char *format, const char *expected)
{
	struct expr_context ctx = { .arena = arena, .proxy = &fe };
	struct logformat *f = logformat_compile_as(style, format, &ctx, AT_LOG, NULL);
	char memory[200];
	struct text t;

	assert_non_null(f);
	text_init(&t, memory, sizeof(memory));
	logformat_write(f, &view, &t);
	assert_string_equal(memory, expected);
}

static void texts_that_are_no_log_lines(void **state)
{
	static const char format[] = "  <%[str(a%0D%0Ab),url_dec]>  %ci <%[var(sess.no)]> ";

	(void)state;
	check_style(FORMAT_LOG, format, "<a#0D#0Ab> 192.0.2.7 <-> ");
	check_style(FORMAT_HTTP, format, "  <a%0D%0Ab>  192.0.2.7 <> ");
	check_style(FORMAT_RAW, format, "  <a\r\nb>  192.0.2.7 <> ");
	check_style(FORMAT_HTTP, "%{+Q}[var(sess.no)]%{+Q}s%{+Q}ID", "\"s1\"");
	check_style(FORMAT_HTTP, "%{+Q}[str(a)]%{+E}[str(b%22c),url_dec]", "ab\\\"c");
	check_style(FORMAT_HTTP, "<%[str(a%09b),url_dec]>", "<a\tb>");
	check_style(FORMAT_RAW, "%{+Q}[var(sess.no)]%{+Q}s", "\"\"\"s1\"");
}

/* The format's escapes are the regular expression's, a value's are text; none reaches from one
 * piece into the next. */
static void replacements(void **state)
{
	static const struct {
		const char *format, *expected;
	} cases[] = {
		{ "\\1, %[str(\\x0d\\1)]", "one, \\x0d\\1" }, { "\\%[str(1)]", "\\1" },
		{ "\\%[str(x41)]", "\\x41" }, { "\\x%[str(41)]", "x41" }, { "\\x4%[str(1)]", "x41" },
		{ "\\x41%[str(\\)]\\1", "A\\one" }, { "\\\\%[str(1)]", "\\1" },
		{ "%[str(\\)]1", "\\1" }, { "%[str(\\\\)]%%\\.", "\\%." }, { "%ci\\1", "192.0.2.7one" },
	};
	const struct regex_match match = { 2, { { "all", 3 }, { "one", 3 } } };
	struct expr_context ctx = { .arena = arena, .proxy = &fe };
	char memory[256], made[256];
	struct text t, out;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct logformat *f = logformat_compile_as(FORMAT_REPLACEMENT, cases[i].format, &ctx,
							   AT_LOG, NULL);

		assert_non_null(f);
		text_init(&t, memory, sizeof(memory));
		logformat_write(f, &view, &t);
		text_init(&out, made, sizeof(made));
		regex_expand(&out, (struct span){ t.ptr, t.len }, &match);
		assert_string_equal(made, cases[i].expected);
	}
}

/* Where quoting a value needs more than there is room for, the text is cut in front of it. */
static void long_replacements(void **state)
{
	struct expr_context ctx = { .arena = arena, .proxy = &fe };
	struct logformat *f = logformat_compile_as(FORMAT_REPLACEMENT, "ab%[str(%5c%5c%5c),url_dec]", &ctx, AT_LOG,
						   NULL);
	char memory[9];
	size_t size;
	struct text t;

	(void)state;
	for (size = 1; size <= sizeof(memory); size++) {
		text_init(&t, memory, size);
		logformat_write(f, &view, &t);
		assert_int_equal(t.cut, size < 9);
		assert_int_equal(t.ptr[t.len], 0);
	}
	assert_string_equal(memory, "ab\\\\\\\\\\\\");
}

static void flags_of_all_that_follow(void **state)
{
	(void)state;
	check("%{+Q}o [%s] %{-Q}o %s", "[\"s1\"] s1");
	check("%{+Q}o%s %{+X}o %s %ci", "\"s1\" \"s1\" C0000207");
	check("%{+Q}o %ci %{-Q}s %{+X}cp %b", "\"192.0.2.7\" s1 8D32 \"app\"");
	check("%{+Q,-X,+E}s", "\"s1\"");
	check("%o%s", "s1");
	check("%{+Q}o", "");
}

static void unknown_flags_do_nothing(void **state)
{
	(void)state;
	check("%{ +Q , +E }s|%{Q}s|%{}s|%{+Q+E}s|%{+Q -Q}s|%{foo}ci", "s1|s1|s1|s1|s1|192.0.2.7");
}

static void blanks_are_merged(void **state)
{
	(void)state;
	check(" a  b %ci %cp  %ID  x", "a b 192.0.2.7 36146 - x");
	check("%ci  ", "192.0.2.7 ");
	check("  ", "");
	check(" %ci", "192.0.2.7");
	check("%[str(a  b)]  x", "a  b x");
	check("a\tb", "a\tb");
	check("%hr %hs %hrl %hsl|%hr x", "| x");
	check("a %{+Q}o b", "a b");
	/* A word of a line does not vanish because its value is empty. */
	check("a %[str()] b %{+Q}[str()]|%[var(sess.no)]", "a - b \"\"|-");
}

static void percent_signs(void **state)
{
	(void)state;
	check("%%", "%");
	check("%%%%", "%%");
	check("a%% %%", "a% %");
	check("%%ci %% %s", "%ci % s1");
	check("%s%%s", "s1%s");
	check("%.s%_s%-s%(x ci%(x)-%(x", ".s_s-s(x ci(x)-(x");
}

/* -- encoded values: what these are is ours, the reference has no version that knows them. -- */

static void names_alone_do_nothing(void **state)
{
	(void)state;
	check("%(a)ci %(b:str){+Q}s %(:bool)B %(c:sint)[str(7)] %()s", "192.0.2.7 \"s1\" 567 7 s1");
}

static void objects_of_json(void **state)
{
	(void)state;
	check("%{+json}o %(ip)ci text %(port)cp %(s)s %(t)t %(ms)ms",
	      "{\"ip\":\"192.0.2.7\",\"port\":36146,\"s\":\"s1\","
	      "\"t\":\"21/Nov/2026:01:49:47.054\",\"ms\":54}");
	check("%(x.y-z/@_1)f%{+json}o", "{\"x.y-z/@_1\":\"web\"}");
	check("%{+json}o no item", "{}");
	check("%{+json,+Q,+E}o%(a)[str(\"a]b\")]%(b)B", "{\"a\":\"a]b\",\"b\":567}");
	check("%{+X}o %{+json}o %(ip)ci%(p)cp%(b)B",
	      "{\"ip\":\"C0000207\",\"p\":\"8D32\",\"b\":567}");
	check("%{+json,+X}o%(ip)ci%(p)cp%(b)B", "{\"ip\":\"C0000207\",\"p\":\"8D32\",\"b\":567}");
	check("%{+json}o%(a)ci%{-json}o", "192.0.2.7");
	check("%{+cbor,+json}o%(a)ci", "{\"a\":\"192.0.2.7\"}");
}

static void the_built_in_objects(void **state)
{
	(void)state;
	check("%ti", "2026-11-21T01:49:47.054+00:00");
	check(LOGFORMAT_TCP_JSON,
	      "{\"time\":\"2026-11-21T01:49:47.054+00:00\",\"client\":\"192.0.2.7\",\"client_"
	      "port\":36146,"
	      "\"frontend\":\"web\",\"backend\":\"app\",\"server\":\"s1\",\"queue_ms\":1,\"connect_"
	      "ms\":2,"
	      "\"total_ms\":153,\"bytes_in\":1234,\"bytes_out\":567,\"termination\":\"--\","
	      "\"process_conns\":9,\"frontend_conns\":8,\"backend_conns\":7,\"server_conns\":6,"
	      "\"retries\":3,\"server_queue\":5,\"backend_queue\":4}");
	check(LOGFORMAT_TCP_CLF, "192.0.2.7 - - [21/Nov/2026:01:49:47 +0000] \"TCP \" 000 567 \"\" "
				 "\"\" 36146 054 \"web\" "
				 "\"app\" \"s1\" 0 1 2 153 1234 ---- 9 8 7 6 3 5 4 \"\" \"\"");
}

static void values_of_json(void **state)
{
	(void)state;
	check("%{+json}o%(t)[always_true]%(f)[always_false]%(n)[int(-5)]%(a)[src]%(s)[str(7)]%(e)["
	      "str()]"
	      "%(no)[var(sess.no)]",
	      "{\"t\":true,\"f\":false,\"n\":-5,\"a\":\"192.0.2.7\",\"s\":\"7\",\"e\":\"\","
	      "\"no\":null}");
	check("%{+json}o%(a:str)B%(b:bool)B%(c:sint)B%(d:sint)[str(12)]%(e:bool)[int(3)]%(f:str)["
	      "int(3)]"
	      "%(g:bool)Tw%(h:sint)ts%(i:str)[always_true]",
	      "{\"a\":\"567\",\"b\":true,\"c\":567,\"d\":12,\"e\":true,\"f\":\"3\",\"g\":true,"
	      "\"h\":0,\"i\":\"1\"}");
	check("%{+json}o%(b)[bin(00411f7f80ffc3a9225c0a)]",
	      "{\"b\":\"\\u0000A\\u001f\\u007f\\u0080\\u00ff\xc3\xa9\\\"\\\\\\n\"}");
	check("a %{+json}ci %{+json}[int(3)] %{+json}[var(sess.no)] %{+json}[bin(61220a)] "
	      "%{+cbor}[int(1000)]",
	      "a \"192.0.2.7\" 3 null \"a\\\"\\n\" 1903E8");
	numbers.early = numbers.redispatched = true;
	view.server = NULL;
	view.server_src = NULL;
	check("%{+json}o%(B)B%(Tt)Tt%(rc)rc%(s)s%(si)si%(sp)sp%(ID)ID%(hr)hr",
	      "{\"B\":567,\"Tt\":153,\"rc\":3,\"s\":\"<NOSRV>\",\"si\":null,\"sp\":null,\"ID\":"
	      "null,"
	      "\"hr\":null}");
}

static void maps_of_cbor(void **state)
{
	(void)state;
	check("%{+cbor}o %(ip)ci %(p)cp %(t)[always_true] %(n)[var(sess.no)] %(b)[bin(0041ff)]",
	      "BF626970693139322E302E322E376170198D326174F5616EF661624300" "41FFFF");
	check("%{+cbor}o", "BFFF");
	check("%{+cbor}o%(a:str)B%(b:bool)B", "BF6161633536376162F5FF");
	check("%{+cbor,+bin}o%(a)f", "\xbf\x61" "a\x63web\xff");
}

static void bytes_as_they_are(void **state)
{
	(void)state;
	check("%{+bin}o%[bin(41010a1b)] %{+Q}[bin(4101)]", "A\x01\n\x1b \"A\x01\"");
	check("%{+bin}[bin(4101)]", "A#01");
}

/* Every alias and type is sound JSON, whatever memory there is for it. */
static void objects_in_little_memory(void **state)
{
	struct text all, t;
	char text[4096], memory[4096];
	const struct alias *a;
	struct logformat *f;
	struct err err;
	size_t n, size;

	(void)state;
	text_init(&all, text, sizeof(text));
	text_str(&all, "%{+json}o");
	for (n = 0; (a = alias_row(n)); n++)
		text_printf(&all, "%%(%s)%s", a->name, a->name);
	text_str(&all, "%(x)[bin(22ff)]%(y)[int(1234567)]%(z)[always_true]");
	f = compile(text, &err);
	assert_non_null(f);
	for (size = 3; size < sizeof(memory); size++) {
		struct json j;

		text_init(&t, memory, size);
		logformat_write(f, &view, &t);
		assert_true(t.len < size);
		j = (struct json){ t.ptr, t.ptr + t.len };
		assert_true(json_skip(&j) && j.p == j.end);
	}
	assert_false(t.cut);
}

static void names_end_where_letters_end(void **state)
{
	(void)state;
	check("%s_%s-%s{%s}", "s1_s1-s1{s1}");
	check("%ci{+Q}", "192.0.2.7{+Q}");
	check("%Ts.%ms", "1795225787.054");
	check("%T%Tt", "21/Nov/2026:01:49:47 +0000153");
}

static void expressions(void **state)
{
	(void)state;
	check("%[str(a)]%[int(3),mul(2)]|%[src]|%[src_port]|%[fe_name]", "a6|192.0.2.7|36146|web");
	check("%{+X}[src] %{+X}[int(255)] %{+Q}[int(255)] %{+Q}[str(a)]", "192.0.2.7 255 \"255\" \"a\"");
	check("%[always_true] %[always_false] %[src,lower]x", "1 0 192.0.2.7x");
	check("%[str(\"a]b\")] %{+E}[str(\"a]b\")]", "a]b a\\]b");
	check("%{+E}[str('a\"b\\c')] %[str('a\"b\\c#{|}')]", "a\\\"b\\\\c a\"b\\c#{|}");
}

/* The reference writes them as they are; manual 8.6 says otherwise, and so do we. */
static void control_characters_are_encoded(void **state)
{
	(void)state;
	check("%[bin(4101420a0d7f1b)] %{+Q}[bin(411fc3a9)]", "A#01B#0A#0D#7F#1B \"A#1F\xc3\xa9\"");
}

static void absent_values(void **state)
{
	(void)state;
	view.server = NULL;
	view.server_src = NULL;
	numbers.connect_ms = numbers.wait_ms = -1;
	memcpy(numbers.termination, "SC", 3);
	check("%b/%s %si:%sp %bi:%bp %{+Q}si%{+Q}sp%{+Q}bi%{+Q}bp%{+Q}s %Tw/%Tc/%Td %ts",
	      "app/<NOSRV> -:- -:- \"\"\"\"\"\"\"\"\"<NOSRV>\" -1/-1/-1 SC");
	view.backend = NULL;
	check("%b", "web");
	check("%{+X}si|%{+X}sp|%{+X}bi|%{+X}bp", "-|-|-|-");
}

static void early_and_redispatched(void **state)
{
	(void)state;
	numbers.early = true;
	numbers.redispatched = true;
	check("%Tw/%Tc/%Tt %B %U %Tu %rc %Td", "1/2/+153 +567 1234 +153 +3 150");
}

static void unix_clients(void **state)
{
	(void)state;
	view.src = view.dst = &unix_addr;
	check("%ci:%cp %fi:%fp", "unix:77 unix:77");
	check("%{+X}ci %{+Q}ci", "unix \"unix\"");
}

static void server_port_follows_the_client(void **state)
{
	(void)state;
	server_state.port_follows = true;
	server_state.port_offset = 1000;
	check("%si:%sp", "10.0.0.2:1080");
	server_state.port_follows = false;
}

static void unique_ids(void **state)
{
	struct err err;

	(void)state;
	fe.set.unique_id = compile("%{+X}o %ci:%cp_%Ts_%rt:%pid", &err);
	check("%ID", "-"); /* there was neither a request nor a stream */
	view.stream = &view;
	check("%ID", "C0000207:8D32_6B00F8BB_001A:6720");
	check("%{+Q}ID", "\"C0000207:8D32_6B00F8BB_001A:6720\"");
}

static void when_a_line_can_be_written(void **state)
{
	struct err err;

	(void)state;
	assert_true(logformat_early(compile("%ci %b %s %si %t %[src]", &err), false));
	assert_true(logformat_early(compile("text", &err), false));
	assert_true(logformat_early(compile("%ci %HM", &err), true));
	assert_false(logformat_early(compile("%ci %[src]", &err), true));
	assert_false(logformat_early(compile("%ci %B", &err), false));
	assert_false(logformat_early(compile("%Tc", &err), false));
	assert_false(logformat_early(compile(LOGFORMAT_TCP, &err), false));
	assert_true(logformat_has(compile("%ci %ID", &err), "ID"));
	assert_false(logformat_has(compile("%ci ID", &err), "ID"));
}

static void lines_are_cut(void **state)
{
	char memory[10];
	struct text t;
	struct err err;

	(void)state;
	text_init(&t, memory, sizeof(memory));
	logformat_write(compile("%ci %ci %ci", &err), &view, &t);
	assert_string_equal(memory, "192.0.2.7");
	assert_true(t.cut);
}

static void mistakes(void **state)
{
	(void)state;
	refused("%zz", "there is no '%zz'; a percent sign is written '%%'");
	refused("%ci%cp%cix", "did you mean '%ci'?");
	refused("%ci %", "a name must follow '%'");
	refused("%", "a name must follow '%'");
	refused("%1s", "a name must follow '%'");
	refused("% s", "a name must follow '%'");
	refused("%{+Qci", "the '}' after '%{+Qci' is missing");
	refused("%{", "the '}'");
	refused("%{+Q}", "must follow '%{+Q}'");
	refused("%{+Q}%", "must follow '%{+Q}'");
	refused("%{+Q} s", "must follow '%{+Q}'");
	refused("%{+Q}.s", "must follow '%{+Q}'");
	refused("%(a:int)B", "'%(a:int)': the type is str, sint or bool, not 'int'");
	refused("%{+json}o%(a)s%(a)b", "the name 'a' stands in the object twice");
	refused("%(a){+json}o%(b)s", "'%o' is no value");
	refused("%(a)zz", "there is no '%zz'");
	refused("%(a){+Q}.", "must follow");
	refused("%s%oX", "there is no '%oX'");
	refused("%[src", "the ']' after '%[src' is missing");
	refused("%[]", "");
	refused("%[nosuch]", "nosuch");
	refused("%[str(a),nosuch]", "nosuch");
	refused("%[req.len]", "'req.len' cannot be used here: it looks at the request");
}

/* alias_find halves the table: it must be sorted, complete and described. */
static void the_table(void **state)
{
	const struct alias *a, *before = NULL;
	size_t n;

	(void)state;
	for (n = 0; (a = alias_row(n)); n++, before = a) {
		assert_true(!before || strcmp(before->name, a->name) < 0);
		assert_ptr_equal(alias_find(span_of(a->name)), a);
		assert_non_null(a->write);
		assert_true(a->help && *a->help);
	}
	assert_int_equal(n, 66);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_built_in_formats, setup),
		cmocka_unit_test_setup(every_alias, setup),
		cmocka_unit_test_setup(quoting, setup),
		cmocka_unit_test_setup(hexadecimal, setup),
		cmocka_unit_test_setup(texts_that_are_no_log_lines, setup),
		cmocka_unit_test_setup(replacements, setup),
		cmocka_unit_test_setup(long_replacements, setup),
		cmocka_unit_test_setup(flags_of_all_that_follow, setup),
		cmocka_unit_test_setup(unknown_flags_do_nothing, setup),
		cmocka_unit_test_setup(blanks_are_merged, setup),
		cmocka_unit_test_setup(percent_signs, setup),
		cmocka_unit_test_setup(names_alone_do_nothing, setup),
		cmocka_unit_test_setup(objects_of_json, setup),
		cmocka_unit_test_setup(the_built_in_objects, setup),
		cmocka_unit_test_setup(values_of_json, setup),
		cmocka_unit_test_setup(maps_of_cbor, setup),
		cmocka_unit_test_setup(bytes_as_they_are, setup),
		cmocka_unit_test_setup(objects_in_little_memory, setup),
		cmocka_unit_test_setup(names_end_where_letters_end, setup),
		cmocka_unit_test_setup(expressions, setup),
		cmocka_unit_test_setup(control_characters_are_encoded, setup),
		cmocka_unit_test_setup(absent_values, setup),
		cmocka_unit_test_setup(early_and_redispatched, setup),
		cmocka_unit_test_setup(unix_clients, setup),
		cmocka_unit_test_setup(server_port_follows_the_client, setup),
		cmocka_unit_test_setup(unique_ids, setup),
		cmocka_unit_test_setup(when_a_line_can_be_written, setup),
		cmocka_unit_test_setup(lines_are_cut, setup),
		cmocka_unit_test_setup(mistakes, setup),
		cmocka_unit_test_setup(the_table, setup),
	};
	int failed;

	setenv("TZ", "UTC", 1);
	tzset();
	arena = arena_new(65536);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	arena_free(&arena);
	return failed;
}
