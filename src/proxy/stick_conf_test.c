/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines "stick-table": the bounds of their words, each message, and what the tables become. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"
#include "proxy/stick_conf.h"
#include "proxy/test_config.h"

#include <string.h>

static const struct module *const list[] = { &environment_module, &bind_module,	 &proxy_module,
					     &server_module,	  &stick_module, NULL };
static struct config *cfg;
static char said[8192];

/* Reads it to its end; the problems stand in said, in the order of the lines. */
static void finish(const char *text)
{
	struct text t;

	config_free(&cfg);
	text_init(&t, said, sizeof(said));
	cfg = test_config_try(list, text, true, &t);
}

static int cleanup(void **state)
{
	(void)state;
	config_free(&cfg);
	return 0;
}

struct text_case {
	const char *text, *said;
};

static void all_say(const struct text_case *cases, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		finish(cases[i].text);
		assert_string_equal(said, cases[i].said);
	}
}

#define ALL_SAY(cases) all_say(cases, ARRAY_LEN(cases))
#define T "defaults\n timeout client 1s\n timeout connect 1s\n timeout server 1s\n" /* 4 lines */

static struct proxies *all(void)
{
	return config_data(cfg, &proxy_module);
}

static struct proxy *px(const char *name)
{
	struct proxy *found = proxy_find(all(), name, PROXY_FRONTEND | PROXY_BACKEND);

	assert_non_null(found);
	return found;
}

#define TABLE(words) T "backend b\n stick-table " words "\n"
#define ARRAY_TEXT(name, type, more)                                                         \
	"6 error: '" name "' expects " type ": a number from 1 to 100" more "\n"

static void lines_of_tables(void **state)
{
	static const struct text_case cases[] = {
		{ TABLE("type ip"), "6 error: the table needs its size | the most entries, such as "
				    "'size 100k'\n" },
		{ TABLE("size 1k"), "6 error: the table needs the type of its keys | such as 'type "
				    "ip'\n" },
		{ TABLE("type"), "6 error: the type of keys expected here\n" },
		{ TABLE("type ip len 3 size 1k"), "6 error: keys of type 'ip' have no 'len'\n" },
		{ TABLE("type string len 0 size 1k"),
		  "6 error: the length of keys must be a number from 1 to 16384, not '0'\n" },
		{ TABLE("type string len 16385 size 1k"),
		  "6 error: the length of keys must be a number from 1 to 16384, not '16385'\n" },
		{ TABLE("type string len 16384 size 1k"), "" },
		{ TABLE("type ip size 0"), "6 error: the number of entries must be from 1 to 1g\n" },
		{ TABLE("type ip size 1073741825"),
		  "6 error: the number of entries must be from 1 to 1g\n" },
		{ TABLE("type ip size 1g"), "" },
		{ TABLE("type ip size 1k brates-factor 0"),
		  "6 error: a block of bytes must be a number from 1 to 1024, not '0'\n" },
		{ TABLE("type ip size 1k brates-factor 1025"),
		  "6 error: a block of bytes must be a number from 1 to 1024, not '1025'\n" },
		{ TABLE("type ip size 1k srvkey"), "6 error: 'name' or 'addr' expected here\n" },
		{ TABLE("type ip size 1k peers"),
		  "6 error: the name of a section 'peers' expected here\n" },
		{ TABLE("type ip size 1k peers a peers b"),
		  "6 error: the table belongs to the section 'a' already\n" },
		{ TABLE("type ip size 1k write-to"), "6 error: the name of a table expected here\n" },
		{ TABLE("type ip size 1k nopurge"),
		  "6 note: 'nopurge' without 'expire': the table takes no more keys once it is full\n" },
		{ TABLE("type ip size 1k nopurge expire 1s"), "" },
		{ TABLE("type ip size 1k recv-only"),
		  "6 note: 'recv-only' without 'peers': nobody fills the table\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void data_that_tables_store(void **state)
{
	static const struct text_case cases[] = {
		{ TABLE("type ip size 1k store"), "6 error: the data to be stored expected here\n" },
		{ TABLE("type ip size 1k store gpc0,,gpc1"),
		  "6 error: the name of a data type is missing\n" },
		{ TABLE("type ip size 1k store gpc0,gpc0"),
		  "6 warning: 'gpc0' is stored already; the first one holds\n" },
		{ TABLE("type ip size 1k store gpc0(3)"), "6 error: 'gpc0' has no argument\n" },
		{ TABLE("type ip size 1k store conn_rate"),
		  "6 error: 'conn_rate' needs a period: conn_rate(10s)\n" },
		{ TABLE("type ip size 1k store gpc"), "6 error: 'gpc' needs its elements: gpc(2)\n" },
		{ TABLE("type ip size 1k store gpc_rate"),
		  "6 error: 'gpc_rate' needs its elements: gpc_rate(2,10s)\n" },
		{ TABLE("type ip size 1k store conn_rate(10s)x"),
		  "6 error: 'conn_rate': ')' expected\n" },
		{ TABLE("type ip size 1k store conn_rate(x)"),
		  "6 error: 'conn_rate' expects a period such as 10s, not 'x'\n" },
		{ TABLE("type ip size 1k store conn_rate(0)"),
		  "6 error: 'conn_rate' expects a period such as 10s, not '0'\n" },
		{ TABLE("type ip size 1k store conn_rate(999us)"),
		  "6 error: 'conn_rate' expects a period such as 10s, not '999us'\n" },
		{ TABLE("type ip size 1k store conn_rate(25d)"),
		  "6 error: 'conn_rate' expects a period such as 10s, not '25d'\n" },
		{ TABLE("type ip size 1k store conn_rate(24d)"), "" },
		{ TABLE("type ip size 1k store gpc(0)"), ARRAY_TEXT("gpc", "(<elements>)", "") },
		{ TABLE("type ip size 1k store gpc(101)"), ARRAY_TEXT("gpc", "(<elements>)", "") },
		{ TABLE("type ip size 1k store gpc(x)"), ARRAY_TEXT("gpc", "(<elements>)", "") },
		{ TABLE("type ip size 1k store gpc(3,1s)"), ARRAY_TEXT("gpc", "(<elements>)", "") },
		{ TABLE("type ip size 1k store gpc_rate(3)"),
		  ARRAY_TEXT("gpc_rate", "(<elements>,<period>)", ", and a time") },
		{ TABLE("type ip size 1k store gpc_rate(3,x)"),
		  "6 error: 'gpc_rate' expects a period such as 10s, not 'x'\n" },
		{ TABLE("type ip size 1k store gpc(3)"), "" },
		{ TABLE("type ip size 1k store gpc(100),gpt(1),gpc_rate(2,1m)"), "" },
		{ TABLE("type ip size 1k store conn_rate(1000000000000000000000000000000000)"),
		  "6 error: 'conn_rate': the arguments are too long\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void arrays_beside_their_elements(void **state)
{
	static const struct text_case cases[] = {
		{ TABLE("type ip size 1k store gpc(2),gpc0"),
		  "6 error: 'gpc0' cannot be stored beside 'gpc', which has it as its element 0\n" },
		{ TABLE("type ip size 1k store gpc1 store gpc(2)"),
		  "6 error: 'gpc1' cannot be stored beside 'gpc', which has it as its element 1\n" },
		{ TABLE("type ip size 1k store gpc_rate(2,1s),gpc0_rate(1s)"),
		  "6 error: 'gpc0_rate' cannot be stored beside 'gpc_rate', which has it as its "
		  "element 0\n" },
		{ TABLE("type ip size 1k store gpc_rate(2,1s),gpc1_rate(1s)"),
		  "6 error: 'gpc1_rate' cannot be stored beside 'gpc_rate', which has it as its "
		  "element 1\n" },
		{ TABLE("type ip size 1k store gpt(1),gpt0"),
		  "6 error: 'gpt0' cannot be stored beside 'gpt', which has it as its element 0\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

static void what_tables_become(void **state)
{
	const struct stick_line *line;

	(void)state;
	finish(TABLE("type string len 77 size 3k expire 5s nopurge peers p brates-factor 9 srvkey addr "
		     "recv-only store gpc(3),conn_rate(10s) store gpc_rate(2,3s)"));
	assert_string_equal(said, "");
	line = px("b")->stick;
	assert_int_equal(line->def.type, STICK_STRING);
	assert_int_equal(line->def.key_len, 77);
	assert_int_equal(line->def.size, 3072);
	assert_int_equal(line->def.expire_ms, 5000);
	assert_int_equal(line->def.block, 9);
	assert_true(line->def.nopurge);
	assert_true(line->recv_only);
	assert_true(line->by_address);
	assert_string_equal(line->peers, "p");
	assert_int_equal(line->def.columns[STICK_gpc].count, 3);
	assert_int_equal(line->def.columns[STICK_conn_rate].count, 1);
	assert_int_equal(line->def.columns[STICK_conn_rate].period, 10000);
	assert_int_equal(line->def.columns[STICK_gpc_rate].count, 2);
	assert_int_equal(line->def.columns[STICK_gpc_rate].period, 3000);
	assert_int_equal(line->def.columns[STICK_gpc0].count, 0);
	finish(TABLE("type ipv4 size 1 srvkey name"));
	assert_int_equal(px("b")->stick->def.type, STICK_IP);
	assert_int_equal(px("b")->stick->def.key_len, 4);
	assert_false(px("b")->stick->by_address);
	finish(TABLE("type ipv6 size 1"));
	assert_int_equal(px("b")->stick->def.key_len, 16);
	finish(TABLE("type integer size 1"));
	assert_int_equal(px("b")->stick->def.key_len, 4);
	finish(TABLE("type binary size 1"));
	assert_int_equal(px("b")->stick->def.key_len, STICK_KEY_LEN);
}

static void tables_that_write_to_others(void **state)
{
#define TO(words) TABLE("type ip size 1k peers p write-to " words)
	static const struct text_case cases[] = {
		{ TO("tabel") "backend table\n stick-table type ip size 1k\n",
		  "6 error: 'write-to': there is no stick table 'tabel' | did you mean 'table'?\n" },
		{ TO("b"), "6 error: 'write-to' names the table that it stands in\n" },
		{ TO("c") "backend c\n stick-table type ip size 1k peers p write-to d\n"
			  "backend d\n stick-table type ip size 1k\n",
		  "6 error: 'write-to': the table 'c' has a 'write-to' itself, at test:8\n" },
		{ TO("c") "backend c\n stick-table type ipv6 size 1k\n",
		  "6 error: 'write-to': the keys of table 'c' have another type or length, at "
		  "test:8\n" },
		{ TO("c") "backend c\n stick-table type ip size 1k\n", "" },
		{ TABLE("type ip size 1k write-to c") "backend c\n stick-table type ip size 1k\n",
		  "6 note: 'write-to' without 'peers': nobody fills the table\n" },
		{ TABLE("type string len 4 size 1k peers p write-to c")
		  "backend c\n stick-table type string len 5 size 1k\n",
		  "6 error: 'write-to': the keys of table 'c' have another type or length, at "
		  "test:8\n" },
	};

	(void)state;
	ALL_SAY(cases);
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_of_tables), TEST(data_that_tables_store),
		TEST(arrays_beside_their_elements), TEST(what_tables_become), TEST(tables_that_write_to_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
