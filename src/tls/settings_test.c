/* SPDX-License-Identifier: BSD-2-Clause */
/* Words become settings: versions as the reference decides about them, lists, what inherits
 * what. */
#include "tls/settings.h"

#include "base/arena.h"
#include "base/err.h"
#include "tls/ignore.h"
#include "tls/list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static struct arena *arena;
static struct err err;

/* Obeys words parted by blanks; false: one of them was refused. */
static bool obey(struct tls_settings *set, const char *words)
{
	char copy[300], *word, *arg, *save;
	int args;

	snprintf(copy, sizeof(copy), "%s", words);
	for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		args = tls_settings_word(word, TLS_IN_BIND);
		assert_true(args >= 0);
		arg = args ? strtok_r(NULL, " ", &save) : NULL;
		if (tls_settings_set(set, word, arg, arena, &err))
			return false;
	}
	return true;
}

static const char *range(const char *words)
{
	static char text[100];
	struct tls_settings set = { 0 };
	const char *doubt;
	uint64_t without;
	int min, max;

	assert_true(obey(&set, words));
	if (tls_settings_versions(&set, &min, &max, &without, &doubt, &err))
		return "none";
	snprintf(text, sizeof(text), "%d-%d%s%s", min - TLS1_VERSION, max - TLS1_VERSION,
		 without & SSL_OP_NO_TLSv1_2 && min < TLS1_2_VERSION && max > TLS1_2_VERSION ?
			 " hole" : "", doubt ? " doubt" : "");
	return text;
}

static void versions(void **state)
{
	(void)state;
	assert_string_equal(range("ssl"), "2-3");
	assert_string_equal(range("no-tlsv12"), "3-3");
	assert_string_equal(range("no-tlsv13"), "2-2");
	assert_string_equal(range("no-tlsv12 no-tlsv13"), "none");
	assert_string_equal(range("no-tlsv11 no-tlsv13"), "2-2");
	assert_string_equal(range("no-tlsv12 ssl-min-ver TLSv1.1"), "1-3 doubt");
	assert_string_equal(range("ssl-max-ver TLSv1.1"), "1-1 doubt");
	assert_string_equal(range("allow-0rtt"), "2-3");
	assert_string_equal(range("allow-0rtt ssl-max-ver TLSv1.2"), "2-2 doubt");
	assert_string_equal(range("allow-0rtt no-tlsv13"), "2-2 doubt");
	assert_string_equal(range("ktls on"), "2-3");
	assert_string_equal(range("ktls on force-tlsv12"), "2-2");
	assert_string_equal(range("ktls on ssl-min-ver TLSv1.3"), "3-3 doubt");
	assert_string_equal(range("ktls on no-tlsv12"), "3-3 doubt");
	assert_string_equal(range("ssl-min-ver TLSv1.3 ssl-max-ver TLSv1.2"), "none");
	assert_string_equal(range("ssl-min-ver TLSv1.0"), "0-3");
	assert_string_equal(range("force-tlsv12"), "2-2");
	assert_string_equal(range("force-sslv3"), "none");
}

static void values(void **state)
{
	struct tls_settings set = { 0 };

	(void)state;
	assert_true(obey(&set, "alpn h2,,http/1.1"));
	assert_int_equal(set.alpn.len, 12);
	assert_memory_equal(set.alpn.ptr, "\2h2\10http/1.1", 12);
	assert_true(obey(&set, "no-alpn"));
	assert_true(set.has_alpn);
	assert_int_equal(set.alpn.len, 0);
	assert_false(obey(&set, "alpn ,"));
	assert_false(obey(&set, "ssl-min-ver TLSv1.4"));
	assert_false(obey(&set, "verify perhaps"));
	assert_true(obey(&set, "npn h2")); /* no effect */
	assert_false(obey(&set, "curves"));
	assert_int_equal(tls_settings_word("nonsense", TLS_IN_BIND), -1);
	assert_int_equal(tls_settings_word("strict-sni", TLS_IN_LIST), -1);
	assert_int_equal(tls_settings_word("verify", TLS_IN_LIST), 1);
	assert_int_equal(tls_settings_word("verify", TLS_IN_DEFAULT), -1);
}

static void ignored(void **state)
{
	struct tls_ignore ignore;

	(void)state;
	assert_int_equal(tls_ignore_parse(&ignore, "10,X509_V_ERR_CERT_REVOKED,94", &err), 0);
	assert_true(tls_ignore_has(&ignore, 10));
	assert_true(tls_ignore_has(&ignore, 23));
	assert_true(tls_ignore_has(&ignore, 94));
	assert_false(tls_ignore_has(&ignore, 11));
	assert_false(tls_ignore_has(&ignore, 200));
	assert_false(tls_ignore_has(NULL, 10));
	assert_int_equal(tls_ignore_parse(&ignore, "all", &err), 0);
	assert_true(tls_ignore_has(&ignore, 1));
	assert_int_equal(tls_ignore_parse(&ignore, "0", &err), -1);
	assert_int_equal(tls_ignore_parse(&ignore, "200", &err), -1);
	assert_int_equal(tls_ignore_parse(&ignore, "10,foo", &err), -1);
	assert_int_equal(tls_ignore_parse(&ignore, "10,", &err), -1);
	assert_int_equal(tls_ignore_number("X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT"), 18);
}

static void inherited(void **state)
{
	struct tls_settings under = { 0 }, over = { 0 }, same;

	(void)state;
	assert_true(obey(&under, "ciphers A curves B no-tls-tickets alpn h2 ssl-min-ver TLSv1.0"));
	assert_true(obey(&over, "ciphers C ecdhe D no-alpn ssl-max-ver TLSv1.2"));
	tls_settings_inherit(&over, &under);
	assert_string_equal(over.ciphers, "C");
	assert_null(over.curves); /* ecdhe is the line's own */
	assert_string_equal(over.ecdhe, "D");
	assert_int_equal(over.alpn.len, 0);
	assert_true(over.options.on & TLS_NO_TICKETS);
	assert_int_equal(over.min_version, TLS1_VERSION);
	assert_int_equal(over.max_version, TLS1_2_VERSION);
	same = over;
	same.ciphers = arena_strdup(arena, "C");
	assert_true(tls_settings_equal(&over, &same));
	same.verify = TLS_VERIFY_REQUIRED;
	assert_false(tls_settings_equal(&over, &same));
}

static const char *cut(const char *line)
{
	static char text[400];
	struct tls_list_words words;
	const char *const *w;
	struct text t;

	text_init(&t, text, sizeof(text));
	if (tls_list_cut(arena, line, strlen(line), &words, &err))
		return "refused";
	text_str(&t, words.crt ? words.crt : "nothing");
	for (w = words.options; w && *w; w++)
		text_printf(&t, " +%s", *w);
	for (w = words.filters; w && *w; w++)
		text_printf(&t, " =%s", *w);
	if (words.options && !*words.options)
		text_str(&t, " []");
	return text;
}

static void lines(void **state)
{
	(void)state;
	assert_string_equal(cut(""), "nothing");
	assert_string_equal(cut("  # a.pem"), "nothing");
	assert_string_equal(cut("a.pem\r\n"), "a.pem");
	assert_string_equal(cut("\ta.pem [alpn h2  verify none] b !c"),
			    "a.pem +alpn +h2 +verify +none =b =!c");
	assert_string_equal(cut("a.pem[alpn h2]b"), "a.pem +alpn +h2 =b");
	assert_string_equal(cut("a.pem b [alpn h2] c"), "a.pem +alpn +h2 =b =c");
	assert_string_equal(cut("a.pem [] b"), "a.pem =b []");
	assert_string_equal(cut("a.pem [alpn h2"), "a.pem +alpn +h2");
	assert_string_equal(cut("[alpn h2] a.pem"), "refused");
	assert_string_equal(cut("a.pem alpn h2]"), "refused");
	assert_string_equal(cut("a.pem [a] [b]"), "refused");
	assert_string_equal(cut("a.pem [a [b]"), "refused");
}

static int begin(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return arena ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(versions),  cmocka_unit_test(values), cmocka_unit_test(ignored),
		cmocka_unit_test(inherited), cmocka_unit_test(lines),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
