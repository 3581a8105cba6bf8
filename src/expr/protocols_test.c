/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of FIX, MQTT, distcc, Protocol Buffers and gRPC: what the reference found (reg-tests/expr/protocols.txt), and
 * the same when they come byte by byte: nothing is found before it cannot change any more. Messages
 * of mistakes. */
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
#include "base/str.h"
#include "expr/expr.h"
#include "expr/test_rows.h"
#include "expr/view.h"

static struct arena *arena;

static struct expr *parse(const char *text, struct err *err)
{
	struct expr_context ctx = { .arena = arena };

	return expr_parse_all(text, &ctx, err);
}

/* Exactly the bytes, so that a sanitizer sees what is read behind them. */
static enum expr_result evaluate(const struct expr *e, const uint8_t *bytes, size_t len, unsigned place,
				 char *out, size_t size)
{
	char *copy = malloc(len ? len : 1);
	struct view view = { .request = { copy, len } };
	enum expr_result r;
	struct sample smp;
	struct text t;
	size_t i;

	memcpy(copy, bytes, len);
	text_init(&t, out, size);
	r = expr_eval(e, &view, place, &smp);
	if (r == EXPR_FOUND && (smp.type == SMP_INT || smp.type == SMP_BOOL))
		text_printf(&t, "%lld", (long long)smp.num);
	else if (r == EXPR_FOUND)
		for (i = 0; i < smp.str.len; i++)
			text_printf(&t, "%02X", (uint8_t)smp.str.ptr[i]);
	free(copy);
	return r;
}

static size_t unhex(const char *text, uint8_t *out)
{
	size_t n;

	for (n = 0; text[2 * n]; n++)
		out[n] = (uint8_t)(str_hex_digit(text[2 * n]) << 4 | str_hex_digit(text[2 * n + 1]));
	return n;
}

static bool pieces_agree(const char *what, const struct expr *e, const uint8_t *bytes, size_t len)
{
	char whole[2048], part[2048];
	enum expr_result r, last = evaluate(e, bytes, len, AT_REQUEST | AT_FINAL, whole, sizeof(whole));
	size_t n;

	for (n = 0; n <= len; n++) {
		r = evaluate(e, bytes, n, AT_REQUEST, part, sizeof(part));
		if (r == EXPR_WAIT || (r == last && !strcmp(part, whole)))
			continue;
		print_error("%s: %d '%s' after %zu bytes, %d '%s' in the end\n", what, r, part, n, last, whole);
		return false;
	}
	return true;
}

static bool message_is(const char *row, const char *want)
{
	char text[256], got[2048];
	const char *hex = strchr(row, ' ') + 1;
	uint8_t bytes[1024];
	size_t len = unhex(hex, bytes);
	struct expr *e;
	struct err err;
	enum expr_result r;

	snprintf(text, sizeof(text), "%s%.*s", strncmp(row, "distcc", 6) ? "req.payload(0,0)," : "",
		 (int)(hex - 1 - row), row);
	e = parse(text, &err);
	if (!e)
		fail_msg("%s: %s", text, err.text);
	r = evaluate(e, bytes, len, AT_REQUEST | AT_FINAL, got, sizeof(got));
	if (!strcmp(want, "-") ? r == EXPR_FOUND && *got : strcmp(got, want) != 0)
		return false;
	return pieces_agree(row, e, bytes, len);
}

/* More bytes are not asked for, neither with a value nor without. */
static bool is_decided(const char *row)
{
	const char *hex = strchr(row, ' ') + 1;
	char text[256];
	uint8_t bytes[1024];
	struct view view = { .request = { (char *)bytes, unhex(hex, bytes) } };
	struct sample smp;
	struct err err;
	struct expr *e;
	enum expr_result r;

	snprintf(text, sizeof(text), "req.payload(0,0),%.*s", (int)(hex - 1 - row), row);
	e = parse(text, &err);
	if (!e)
		fail_msg("%s: %s", text, err.text);
	r = expr_eval(e, &view, AT_REQUEST, &smp);
	return r == EXPR_NONE || (r == EXPR_FOUND && !(smp.flags & SMP_MAY_CHANGE));
}

static void messages_equal_reference(void **state)
{
	(void)state;
	test_rows("protocols.txt", message_is, 500);
}

/* Where the reference errs: lengths beyond 2^32, flags without sense, bytes that have not come, or lie
 * behind the message that they are looked for in; values of 32 bits that have more. */
static void messages_beside_reference(void **state)
{
	static const struct {
		const char *row, *want;
	} rows[] = {
		{ "fix_is_valid 383d4649582e342e3201393d343239343936373331340133353d410134393d6d650135363d796f750131303d30313701",
		  "0" },
		{ "mqtt_is_valid 101000044d5154540438003c000269640000", "0" },
		{ "mqtt_is_valid 20050000020b05", "0" },
		{ "mqtt_field_value(connect,protocol_name) 101000064d51497364700302003c00026964", "4D5149736470" },
		{ "distcc_body(DOTI) 444953543030303030303031444f5449303030303030306361626364", "-" },
		{ "protobuf(1) 08", "-" },                             /* no byte of the number */
		{ "protobuf(1.2) 0a0318091008", "-" },                 /* 2 is behind 1 */
		{ "protobuf(1.2) 0a0312056162636465", "-" },           /* longer than 1 is */
		{ "protobuf(1.2) 0a0a1801", "-" },                     /* 1 is not all there */
		{ "protobuf(3.2.1) 1a0612001202080a", "0A" },          /* the first 2 is empty */
		{ "protobuf(1,int32) 088780808010", "7" },             /* 2^32 + 7 */
		{ "protobuf(1,uint32) 08fbffffffffffffffff01", "4294967291" },
		{ "protobuf(1,sint32) 088780808010", "-4" },
		{ "protobuf(1,bool) 089601", "1" },
		{ "protobuf(1,float) 0dcdcc6cc0", "-3" },              /* -3.7 */
		{ "protobuf(1,float) 0d0000c07f", "-" },               /* NaN */
		{ "protobuf(1,double) 099c7500883ce4377e", "-" },      /* 1e300 */
		{ "ungrpc(1) 0100000003089601", "-" },                 /* compressed */
		{ "ungrpc(1,int32) 00000000041201180100000000020805", "-" },
	};
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!message_is(rows[i].row, rows[i].want))
			fail_msg("%s is not %s", rows[i].row, rows[i].want);
}

/* Complete, or beyond hope: rules that do not match go on at once. */
static void what_is_decided_is_not_waited_for(void **state)
{
	static const char *const rows[] = {
		"fix_is_valid 474152424147454741524241474547415242414745474152424147454741",
		"fix_tag_value(SenderCompID) 47415242414745",
		"fix_tag_value(SenderCompID) 383d4649582e342e3401393d350133353d300131303d31363301",
		"fix_tag_value(BeginString) 383d4649582e342e3401",
		"mqtt_is_valid 47415242414745",
		"mqtt_is_valid 100e00044d5154540402000a0002696400",
		"mqtt_field_value(connect,username) 47415242414745",
		"mqtt_field_value(connect,client_identifier) 100e00044d5154540402000a00026964",
		"mqtt_field_value(connect,username) 100e00044d5154540402000a00026964",
		"protobuf(1) 080510", "protobuf(2) 0b1003", "protobuf(1.2) 0a0108", "protobuf(1,bool) 0a00",
		"ungrpc(2) 0100000003", "ungrpc(1,int32) 0000000003089601000000", "ungrpc(1) 00000000010800",
		"mqtt_field_value(connack,flags) 100e00044d5154540402000a00026964",
	};
	static const char *const open[] = {
		"protobuf(2) 0805", "protobuf(1) 0a0568656c6c", "ungrpc(1) 00000000630896",
		"ungrpc(1) 000000000210010000",
		"fix_is_valid 383d4649582e342e3401393d350133353d300131303d313633",
		"fix_tag_value(SenderCompID) 383d4649582e342e3401393d350133353d3001",
		"mqtt_is_valid 100e00044d5154540402000a000269",
		"mqtt_field_value(connect,username) 100e00044d5154540402000a000269",
	};
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!is_decided(rows[i]))
			fail_msg("%s waits", rows[i]);
	for (i = 0; i < sizeof(open) / sizeof(open[0]); i++)
		if (is_decided(open[i]))
			fail_msg("%s does not wait", open[i]);
}

static void mistakes_are_told(void **state)
{
	static const struct {
		const char *text, *says;
	} mistakes[] = {
		{ "req.payload(0,0),fix_tag_value(0)", "is no tag of FIX" },
		{ "req.payload(0,0),fix_tag_value(MsgTyp)", "is no tag of FIX" },
		{ "req.payload(0,0),fix_tag_value(-1)", "is no tag of FIX" },
		{ "req.payload(0,0),mqtt_field_value(publish,flags)", "is no type of packet" },
		{ "req.payload(0,0),mqtt_field_value(connack,username)", "is no field of CONNACK" },
		{ "req.payload(0,0),mqtt_field_value(connect,18)", "Will Delay Interval is 24" },
		{ "req.payload(0,0),mqtt_field_value(connect,38)", "cannot be asked for" },
		{ "req.payload(0,0),protobuf(0)", "no path of numbers" },
		{ "req.payload(0,0),protobuf(1..2)", "no path of numbers" },
		{ "req.payload(0,0),protobuf(1.)", "no path of numbers" },
		{ "req.payload(0,0),protobuf(-1)", "no path of numbers" },
		{ "req.payload(0,0),protobuf(536870912)", "no path of numbers" },
		{ "req.payload(0,0),protobuf(99999999999999999999)", "no path of numbers" },
		{ "req.payload(0,0),ungrpc(1,string)", "without its type" },
		{ "req.payload(0,0),ungrpc(1,int16)", "no type of Protocol Buffers" },
		{ "req.payload(0,0),protobuf(1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1)",
		  "31 messages" },
		{ "distcc_param(DOT)", "four characters" },
		{ "distcc_body(DOTI,-1)", "counted from 1" },
		{ "internal.htx.data", "HAProxy's own form of messages" },
		{ "internal.strm.is_htx", "HAProxy's own form of messages" },
		{ "51d.all(DeviceType)", "device detection" },
		{ "req.hdr(user-agent),da-csv-conv(a)", "device detection" },
		{ "wurfl-get(x)", "device detection" },
	};
	struct err err;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(mistakes) / sizeof(mistakes[0]); i++) {
		err.text[0] = 0;
		if (parse(mistakes[i].text, &err) || !strstr(err.text, mistakes[i].says))
			fail_msg("%s: '%s'", mistakes[i].text, err.text);
	}
}

static int start(void **state)
{
	(void)state;
	arena = arena_new(65536);
	return 0;
}

static int finish(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_equal_reference),
		cmocka_unit_test(messages_beside_reference),
		cmocka_unit_test(what_is_decided_is_not_waited_for),
		cmocka_unit_test(mistakes_are_told),
	};

	return cmocka_run_group_tests(tests, start, finish);
}
