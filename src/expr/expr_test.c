/* SPDX-License-Identifier: BSD-2-Clause */
/* Expressions without any proxy: what the reference makes of them (reg-tests/expr/values.txt),
 * words of statements, messages, waiting. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/test_rows.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "proxy/global.h"
#include "proxy/proxy.h"

/* Used only where the proxy layer is not linked. */
__attribute__((weak)) struct proxies *proxies_running;
__attribute__((weak)) struct global_state *global_state;
__attribute__((weak)) const struct module proxy_module;
__attribute__((weak)) struct proxy *proxy_find(const struct proxies *all, const char *name,
					       unsigned caps)
{
	(void)all;
	(void)name;
	(void)caps;
	return NULL;
}
__attribute__((weak)) struct server *server_find(const struct proxy *px, const char *name)
{
	(void)px;
	(void)name;
	return NULL;
}

static struct arena *arena;
static struct vars session_vars, stream_vars;
static struct view view = { .session_vars = &session_vars, .stream_vars = &stream_vars };

static struct expr *parse(const char *text, struct err *err)
{
	struct expr_context ctx = { .arena = arena };

	return expr_parse_all(text, &ctx, err);
}

static struct expr *parse_good(const char *text)
{
	struct err err;
	struct expr *e = parse(text, &err);

	if (!e)
		fail_msg("%s: %s", text, err.text);
	return e;
}

/* The value as text; empty when there is none. */
static struct span value(const char *text)
{
	struct sample smp;

	if (expr_eval_as(parse_good(text), &view, AT_REQUEST, SMP_STR, &smp) != EXPR_FOUND)
		return span_of("");
	return smp.str;
}

static void set_num(const char *name, int64_t num)
{
	struct sample smp = { .type = SMP_INT, .num = num };

	assert_true(var_set(var_name(span_of(name), NULL), &view, &smp, 0));
}

static int start(void **state)
{
	struct sample smp = { .type = SMP_STR, .str = span_of("hello") };

	(void)state;
	arena = arena_new(65536);
	set_num("proc.num", 7);
	assert_true(var_set(var_name(span_of("proc.str"), NULL), &view, &smp, 0));
	return 0;
}

static int finish(void **state)
{
	(void)state;
	vars_free(&session_vars);
	vars_free(&stream_vars);
	arena_free(&arena);
	return 0;
}

/* Does the expression come to what the reference made of it? */
static bool value_is(const char *row, const char *want)
{
	char expr[2048];
	struct span got;
	struct err err;

	test_rows_expand(row, expr, sizeof(expr));
	if (!strcmp(want, "ERR")) {
		err.text[0] = 0;
		return !parse(expr, &err) && strlen(err.text) > 10;
	}
	vars_free(&session_vars);
	vars_free(&stream_vars);
	got = value(expr);
	return span_equal(got, span_of(want));
}

static void values_equal_reference(void **state)
{
	(void)state;
	test_rows("values.txt", value_is, 300);
}

/* An expression that drops or replaces the variable which its own result lies in. */
static void results_outlive_their_variables(void **state)
{
	static const char *const converters[] = {
		"var(txn.x),unset-var(txn.x)",
		"var(txn.x),set-var(txn.x)",
		"var(txn.x),field(2,-),unset-var(txn.x)",
		"var(txn.x),set-var(txn.y),unset-var(txn.x),set-var(txn.x)",
		"var(txn.x),unset-var(txn.x),set-var(txn.x),unset-var(txn.x)",
		"var(txn.x),set-var(txn.x),set-var(txn.x),unset-var(txn.x),set-var(sess.x)",
	};
	static const char tail[] = "-a tail of many bytes, so that its memory is taken anew";
	char text[2000], want[2000];
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(converters) / sizeof(converters[0]); i++) {
		struct sample smp = { .type = SMP_STR, .str = span_of(text) };
		void *others[12];
		struct sample got;
		unsigned k;

		snprintf(text, sizeof(text), "%0800d%s", (int)i, tail);
		smp.str = span_of(text);
		assert_true(var_set(var_name(span_of("txn.x"), NULL), &view, &smp, 0));
		assert_int_equal(expr_eval(parse_good(converters[i]), &view, AT_REQUEST, &got),
				 EXPR_FOUND);
		for (k = 0; k < 12; k++) { /* one of them would get freed bytes */
			others[k] = malloc(strlen(text) + 16 * k);
			assert_non_null(others[k]);
			memset(others[k], '#', strlen(text) + 16 * k);
		}
		snprintf(want, sizeof(want), "%s", strstr(converters[i], "field") ?
			 "a tail of many bytes, so that its memory is taken anew" : text);
		if (!span_equal(got.str, span_of(want)))
			fail_msg("%s: %.*s", converters[i], (int)got.str.len, got.str.ptr);
		for (k = 0; k < 12; k++)
			free(others[k]);
		vars_free(&session_vars);
		vars_free(&stream_vars);
	}
}

#ifdef HAVE_OPENSSL
static void set_proc(const char *name, const char *text)
{
	struct sample smp = { .type = SMP_STR, .str = span_of(text) };

	assert_true(var_set(var_name(span_of(name), NULL), &view, &smp, 0));
}

static void crypto_equals_reference(void **state)
{
	(void)state;
	set_proc("proc.b64", "a2V5");
	set_proc("proc.nonce", "AAAAAAAAAAAAAAAA");
	set_proc("proc.key128", "AAAAAAAAAAAAAAAAAAAAAA==");
	set_proc("proc.key192", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
	set_proc("proc.key256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
	test_rows("crypto.txt", value_is, 100);
}

/* Where ours asks for more than the reference, or understands more. */
static void crypto_is_stricter(void **state)
{
	(void)state;
	/* A key of another length than its cipher's; a file that is not there. */
	assert_true(value_is("bin(00),aes_gcm_dec(128,AAAAAAAAAAAAAAAA,AAAA,"
			     "AAAAAAAAAAAAAAAAAAAAAA==)", "ERR"));
	assert_true(value_is("str(a.b.c),jwt_verify(RS256,@none.pem)", "ERR"));
	/* A tag of 4 bytes is guessed too soon, even if it is the right one. */
	assert_true(value_is("bin(0388dace60b6a392f328c2b971b2fe78),aes_gcm_dec(128,"
			     "AAAAAAAAAAAAAAAA,AAAAAAAAAAAAAAAAAAAAAA==,q25H1A==),hex", ""));
	assert_true(value_is("str(a.b.YWE),jwt_verify(RS256,@jwt_rsa_crt.pem)", "0"));
}
#endif

/* -- hellos that are broken or in pieces
 * -------------------------------------------------------- */

static struct span unhex(struct span text, char *out)
{
	size_t n;

	for (n = 0; 2 * n + 1 < text.len; n++)
		out[n] = (char)(str_hex_digit(text.ptr[2 * n]) << 4 |
				str_hex_digit(text.ptr[2 * n + 1]));
	return (struct span){ out, n };
}

static bool hello_is(const char *expr, const char *want)
{
	struct expr *e = parse_good(expr);
	struct sample smp;

	if (expr_eval_as(e, &view, AT_REQUEST | AT_FINAL, SMP_STR, &smp) != EXPR_FOUND)
		return !strcmp(want, "-");
	return span_equal(smp.str, span_of(want));
}

/* hex: the bytes; behind another tab the value of each expression. */
static bool hello_as_recorded(const char *name, const char *hex)
{
	static const char *const exprs[] = { "req.ssl_hello_type", "req.ssl_ver", "req.ssl_sni,hex",
					     "req.ssl_ec_ext", "req.ssl_st_ext", "req.ssl_alpn,hex" };
	char bytes[4096], values[4096], *want, *save;
	const char *tab = strchr(hex, '\t');
	bool same = true;
	size_t i;

	assert_non_null(tab);
	assert_true(snprintf(values, sizeof(values), "%s", tab + 1) < (int)sizeof(values));
	view.request = unhex((struct span){ hex, (size_t)(tab - hex) }, bytes);
	want = strtok_r(values, " ", &save);
	for (i = 0; i < ARRAY_LEN(exprs); i++, want = strtok_r(NULL, " ", &save)) {
		if (want && hello_is(exprs[i], want))
			continue;
		print_error("%s: %s is not %s\n", name, exprs[i], want ? want : "there");
		same = false;
	}
	view.request = (struct span){ NULL, 0 };
	return same;
}

static void hellos_as_recorded(void **state)
{
	(void)state;
	test_rows("hellos.txt", hello_as_recorded, 80);
}

static void messages_name_the_word(void **state)
{
	static const struct {
		const char *expr, *message;
	} rows[] = {
		{ "srk", "unknown fetch 'srk'; did you mean 'src'?" },
		{ "fcgi.docroot", "fetch 'fcgi.docroot' is not supported yet" },
		{ "src,in_table(x)", "converter 'in_table': names of proxies and servers can "
				    "only be used in the configuration" },
#ifndef HAVE_OPENSSL
		{ "ssl_fc_sni", "fetch 'ssl_fc_sni' needs OpenSSL, which this build is without" },
		{ "src,sha1", "converter 'sha1' needs OpenSSL, which this build is without" },
#endif
		{ "src,lowr", "unknown converter 'lowr'; did you mean 'lower'?" },
		{ "lower", "'lower' is a converter: it follows a fetch and a comma" },
		{ "xyzzy", "unknown fetch 'xyzzy'" },
		{ "src,", "" },
		{ "str(a", "fetch 'str': ')' is missing" },
		{ "int(x)", "fetch 'int': 'x' is no integer" },
		{ "req.payload(0)", "fetch 'req.payload' expects 2 arguments, argument 2 "
				    "(integer) is missing" },
		{ "bin(01),add(1)", "converter 'add' cannot be applied to a value of type binary" },
		{ "src lower", "a comma or the end is expected before ' lower'" },
		{ "nbsrv(b)", "fetch 'nbsrv': names of proxies and servers can only be used in "
			      "the configuration" },
	};
	struct err err;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		err.text[0] = 0;
		parse(rows[i].expr, &err);
		assert_string_equal(err.text, rows[i].message);
	}
}

/* A log format goes on behind the expression. */
static void parsing_stops_where_it_ends(void **state)
{
	struct expr_context ctx = { .arena = arena };
	const char *text = "str(a]b),upper]rest";
	struct expr *e = expr_parse(&text, &ctx, NULL);

	(void)state;
	assert_non_null(e);
	assert_string_equal(text, "]rest");
	assert_string_equal(expr_text(e), "str(a]b),upper");
	assert_int_equal(expr_type(e), SMP_STR);
}

static enum expr_result eval(const char *text, unsigned place, struct sample *smp)
{
	return expr_eval(parse_good(text), &view, place, smp);
}

static void bytes_are_waited_for(void **state)
{
	struct sample smp;

	(void)state;
	view.request = span_of("abc");
	assert_int_equal(eval("req.len", AT_REQUEST, &smp), EXPR_FOUND);
	assert_int_equal(smp.num, 3);
	assert_true(smp.flags & SMP_MAY_CHANGE);
	assert_int_equal(eval("req.payload(1,2)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_false(smp.flags & SMP_MAY_CHANGE);
	assert_memory_equal(smp.str.ptr, "bc", 2);
	assert_int_equal(eval("req.payload(1,3)", AT_REQUEST, &smp), EXPR_WAIT);
	assert_int_equal(eval("req.payload(1,3)", AT_REQUEST | AT_FINAL, &smp), EXPR_NONE);
	assert_int_equal(eval("req.payload(0,0)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_true(smp.flags & SMP_MAY_CHANGE);
	assert_int_equal(eval("wait_end", AT_REQUEST, &smp), EXPR_WAIT);
	assert_int_equal(eval("wait_end", AT_REQUEST | AT_FINAL, &smp), EXPR_FOUND);
	view.request_final = true;
	assert_int_equal(eval("req.len", AT_REQUEST, &smp), EXPR_FOUND);
	assert_false(smp.flags & SMP_MAY_CHANGE);
	assert_int_equal(eval("res.len", AT_REQUEST, &smp), EXPR_NONE);
	view.request_final = false;
}

static void length_fields(void **state)
{
	struct sample smp;

	(void)state;
	view.request = (struct span){ "\0\3abcdef", 8 };
	assert_int_equal(eval("req.payload_lv(0,2)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_int_equal(smp.str.len, 3);
	assert_memory_equal(smp.str.ptr, "abc", 3);
	assert_int_equal(eval("req.payload_lv(1,1,5)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_memory_equal(smp.str.ptr, "def", 3);
	assert_int_equal(eval("req.payload_lv(1,1,+1)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_memory_equal(smp.str.ptr, "bcd", 3);
	assert_int_equal(eval("req.payload_lv(1,1,-1)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_memory_equal(smp.str.ptr, "\3ab", 3);
	assert_int_equal(eval("req.payload_lv(1,1,6)", AT_REQUEST, &smp), EXPR_WAIT);
	assert_int_equal(eval("req.payload_lv(0,1)", AT_REQUEST, &smp), EXPR_NONE);
}

static void rdp_cookies(void **state)
{
	static const char packet[] =
		"\3\0\0\56\51\340\0\0\0\0\0Cookie: mstshash=user\r\n\1\0\10\0\0\0\0\0";
	struct sample smp;
	size_t len;

	(void)state;
	view.request = (struct span){ packet, sizeof(packet) - 1 };
	assert_int_equal(eval("req.rdp_cookie(MSTSHASH)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_int_equal(smp.str.len, 4);
	assert_memory_equal(smp.str.ptr, "user", 4);
	assert_int_equal(eval("rdp_cookie_cnt", AT_REQUEST, &smp), EXPR_FOUND);
	assert_int_equal(smp.num, 1);
	assert_int_equal(eval("rdp_cookie_cnt(msts)", AT_REQUEST, &smp), EXPR_FOUND);
	assert_int_equal(smp.num, 0);
	for (len = 0; len < 31; len++) {
		view.request.len = len;
		assert_int_equal(eval("req.rdp_cookie", AT_REQUEST, &smp), EXPR_WAIT);
	}
	view.request = span_of("GET / HTTP/1.0\r\n\r\n");
	assert_int_equal(eval("req.rdp_cookie", AT_REQUEST, &smp), EXPR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_equal_reference),
#ifdef HAVE_OPENSSL
		cmocka_unit_test(crypto_equals_reference),
		cmocka_unit_test(crypto_is_stricter),
#endif
		cmocka_unit_test(hellos_as_recorded),
		cmocka_unit_test(messages_name_the_word),
		cmocka_unit_test(parsing_stops_where_it_ends),
		cmocka_unit_test(bytes_are_waited_for),
		cmocka_unit_test(length_fields),
		cmocka_unit_test(results_outlive_their_variables),
		cmocka_unit_test(rdp_cookies),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
