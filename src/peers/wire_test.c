/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the protocol of peers, compared with bytes that HAProxy 2.6 has sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "peers/wire.h"

#include "base/clock.h"
#include "base/err.h"
#include "stick/memory.h"

#include <arpa/inet.h>
#include <stdio.h>

static struct err err;
static unsigned char memory[WIRE_MESSAGE_MOST];

static struct span unhex(const char *text)
{
	static unsigned char bytes[4096];
	size_t len = 0;

	for (; *text; text++) {
		if (*text == ' ')
			continue;
		bytes[len++] = (unsigned char)(str_hex_digit(text[0]) << 4 | str_hex_digit(text[1]));
		text++;
	}
	return (struct span){ (char *)bytes, len };
}

static void is_hex(struct span bytes, const char *text)
{
	struct span wanted = unhex(text);
	char found[3 * 512] = "";
	size_t i;

	for (i = 0; i < bytes.len && i < 512; i++)
		snprintf(found + 3 * i, 4, "%02x ", (unsigned char)bytes.ptr[i]);
	if (!span_equal(bytes, wanted))
		fail_msg("wanted %s, found %s", text, found);
}

static struct span written(const struct wire_out *out)
{
	return (struct span){ (char *)out->begin, (size_t)(out->at - out->begin) };
}

static struct stick_table *table(const char *name, enum stick_key_type type, uint32_t len,
				 uint32_t expire, struct stick_definition def)
{
	struct stick_table *t;
	bool anew;

	def.name = name;
	def.type = type;
	def.key_len = len;
	def.size = 10;
	def.expire_ms = expire;
	stick_layout(&def);
	t = stick_table_open(&def, &anew, &err);
	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static int begin(void **state)
{
	(void)state;
	clock_freeze(1000000);
	stick_memory_end();
	return stick_memory_begin(false, &err);
}

static int end(void **state)
{
	(void)state;
	stick_memory_end();
	return 0;
}

/* ---- numbers ------------------------------------------------------------------------------- */

static const struct {
	uint64_t n;
	const char *bytes;
} numbers[] = {
	{ 0, "00" }, { 239, "ef" }, { 240, "f0 00" }, { 2287, "ff 7f" }, { 2288, "f0 80 00" },
	{ 3000, "f8 ac 00" }, { 4660, "f4 94 01" }, { 264431, "ff ff 7f" },
	{ 264432, "f0 80 80 00" }, { 600000, "f0 ed a3 01" }, { 33818863, "ff ff ff 7f" },
	{ 33818864, "f0 80 80 80 00" }, { UINT32_MAX, "ff f0 fe fe 7e" },
	{ UINT64_C(5000000000), "f0 91 bd 80 94 00" },
	{ UINT64_MAX, "ff f0 fe fe fe fe fe fe fe 0e" },
};

static void numbers_have_one_form(void **state)
{
	struct wire_out out;
	struct wire_in in;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		out = wire_out(memory, sizeof(memory));
		wire_put_number(&out, numbers[i].n);
		is_hex(written(&out), numbers[i].bytes);
		in = wire_in(unhex(numbers[i].bytes));
		assert_true(wire_get_number(&in) == numbers[i].n && !in.bad && in.at == in.end);
	}
}

static void numbers_around_each_bit_come_back(void **state)
{
	struct wire_out out;
	struct wire_in in;
	unsigned bit;
	int by;

	(void)state;
	for (bit = 0; bit < 64; bit++)
		for (by = -300; by <= 300; by++) {
			out = wire_out(memory, sizeof(memory));
			wire_put_number(&out, (UINT64_C(1) << bit) + (uint64_t)(int64_t)by);
			in = wire_in(written(&out));
			if (wire_get_number(&in) != (UINT64_C(1) << bit) + (uint64_t)(int64_t)by ||
			    in.bad || in.at != in.end)
				fail_msg("2^%u%+d", bit, by);
		}
}

static void what_is_no_number_is_bad(void **state)
{
	static const char *const bad[] = {
		"", "f0", "ff ff", "ff ff ff ff ff ff ff ff ff ff 00", "f0 80 80 80 80 80 80 80 80 80 00",
		"ff f0 fe fe fe fe fe fe fe 0f", "ff f1 fe fe fe fe fe fe fe 0e",
		"ff f0 fe fe fe fe fe fe fe 7f", "f0 f1 fe fe fe fe fe fe fe 0e",
		"ff f0 fe fe fe fe fe fe fe" };
	struct wire_in in;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		in = wire_in(unhex(bad[i]));
		if (wire_get_number(&in) || !in.bad)
			fail_msg("%s is taken for a number", bad[i]);
		assert_int_equal(wire_get_32(&in), 0); /* so is all that follows */
		assert_true(in.bad);
	}
}

/* ---- messages ------------------------------------------------------------------------------ */

static void messages_are_found(void **state)
{
	struct wire_message m;
	size_t len;
	struct span s;

	(void)state;
	assert_int_equal(wire_message(unhex("0003 0004"), &m), 2);
	assert_true(m.class == WIRE_CONTROL && m.type == WIRE_CONFIRM);
	s = unhex("0a 84 05 01 00000001 00");
	assert_int_equal(wire_message(s, &m), 8);
	assert_true(m.class == WIRE_TABLES && m.type == WIRE_ACK && m.body.len == 5);
	assert_ptr_equal(m.body.ptr, s.ptr + 3);
	for (len = 0; len < 8; len++)
		assert_int_equal(wire_message((struct span){ s.ptr, len }, &m), 0);
	assert_int_equal(wire_message(unhex("ff"), &m), WIRE_IS_BAD);
	assert_int_equal(wire_message(unhex("0a 80 f0 80 80 80 80 80 80 80 80 80"), &m),
			 WIRE_IS_BAD);
	assert_int_equal(wire_message(unhex("0a 80 f0 80 80 80 80 80 80 80 80"), &m), 0);
	assert_int_equal(wire_message(unhex("0a 80 f0 f1 06"), &m), 0); /* 16384 */
	assert_int_equal(wire_message(unhex("0a 80 f1 f1 06"), &m), WIRE_IS_LONG);
	assert_int_equal(wire_message(unhex("02 ff ff f0 fe fe 7e"), &m), WIRE_IS_LONG);
}

static void messages_of_each_length_are_written(void **state)
{
	static char body[WIRE_MESSAGE_MOST];
	struct wire_message m;
	struct wire_out out;
	size_t len;

	(void)state;
	memset(body, 'b', sizeof(body));
	for (len = 0; len < sizeof(body); len++) {
		out = wire_out(memory, sizeof(memory));
		wire_begin(&out, WIRE_TABLES, WIRE_UPDATE);
		wire_put_bytes(&out, body, len);
		if (!wire_end(&out)) {
			assert_true(out.at == out.begin && !out.full);
			assert_int_equal(len, WIRE_MESSAGE_MOST - 5 + 1);
			return;
		}
		assert_int_equal(wire_message(written(&out), &m), out.at - out.begin);
		assert_true(span_equal(m.body, (struct span){ body, len }));
	}
	fail();
}

static void what_does_not_fit_is_not_written(void **state)
{
	unsigned char small[20];
	struct wire_out out = wire_out(small, 7);

	(void)state;
	assert_true(wire_put_short(&out, WIRE_CONTROL, WIRE_BEAT));
	wire_begin(&out, WIRE_TABLES, WIRE_ACK);
	wire_put_number(&out, 1);
	wire_put_32(&out, 7);
	assert_false(wire_end(&out));
	is_hex(written(&out), "0004");
	wire_begin(&out, WIRE_TABLES, WIRE_SWITCH);
	wire_put_number(&out, 1);
	assert_true(wire_end(&out));
	is_hex(written(&out), "0004 0a830101");
	assert_false(wire_put_short(&out, WIRE_CONTROL, WIRE_BEAT));
	is_hex(written(&out), "0004 0a830101");
}

/* The length needs a second byte from 240 on: there has to be room for that, too. */
static void nothing_is_written_behind_the_end(void **state)
{
	unsigned char small[400];
	char body[300];
	size_t size, len;

	(void)state;
	memset(body, 'b', sizeof(body));
	for (len = 230; len < 250; len++)
		for (size = len; size < len + 8; size++) {
			struct wire_out out = wire_out(small, size);
			bool fits = size >= len + (len < 240 ? 3 : 4);

			memset(small, 'x', sizeof(small));
			wire_begin(&out, WIRE_TABLES, WIRE_UPDATE);
			wire_put_bytes(&out, body, len);
			assert_int_equal(wire_end(&out), fits);
			assert_int_equal(out.at - out.begin, fits ? len + (len < 240 ? 3 : 4) : 0);
			assert_int_equal(small[size], 'x');
		}
}

/* ---- definitions --------------------------------------------------------------------------- */

#define T_STR "04 05 745f737472 06 15 f0f1fe6e f0d9dc0c 16 03 17 02 18 02 f0c40d"
#define T_INT "01 05 745f696e74 02 04 fef0fe0c f0eda301" \
	"03 f0e203 05 f8ac00 08 f0eb00 0a f8a901 0c f0e801 0e f8a602" \
	"10 f0e502 12 f8a303 15 f8a004"
#define WEB "01 03 776562 04 04 f1b1af01 f0971c 0a f0e203 10 f0971c"

static struct stick_definition of_t_int(void)
{
	struct stick_definition def = { 0 };
	unsigned what, period = 10000;

	for (what = STICK_gpt0; what <= STICK_http_fail_rate; what++)
		if (what != STICK_server_key)
			def.columns[what].count = 1;
	def.columns[STICK_gpc0_rate].period = period;
	def.columns[STICK_conn_rate].period = 3000;
	def.columns[STICK_sess_rate].period = 4000;
	def.columns[STICK_http_req_rate].period = 5000;
	def.columns[STICK_http_err_rate].period = 6000;
	def.columns[STICK_bytes_in_rate].period = 7000;
	def.columns[STICK_bytes_out_rate].period = 8000;
	def.columns[STICK_gpc1_rate].period = 9000;
	def.columns[STICK_http_fail_rate].period = 11000;
	return def;
}

static struct stick_definition of_web(void)
{
	struct stick_definition def = { 0 };

	def.columns[STICK_server_id].count = 1;
	def.columns[STICK_http_req_rate] = (struct stick_column){ .count = 1, .period = 10000 };
	def.columns[STICK_bytes_out_cnt].count = 1;
	def.columns[STICK_bytes_out_rate] = (struct stick_column){ .count = 1, .period = 60000 };
	def.columns[STICK_server_key].count = 1;
	return def;
}

static void is_defined_as(struct stick_table *t, unsigned id, const char *name, const char *bytes)
{
	struct wire_out out = wire_out(memory, sizeof(memory));
	struct wire_definition def;
	struct wire_in in;
	unsigned what;

	wire_put_definition(&out, id, span_of(name), stick_definition(t));
	is_hex(written(&out), bytes);
	in = wire_in(unhex(bytes));
	assert_true(wire_get_definition(&in, &def) && in.at == in.end);
	assert_true(def.id == id && span_equal(def.name, span_of(name)) && def.usable);
	assert_int_equal(def.expire_ms, stick_definition(t)->expire_ms);
	assert_true(wire_fits(&def, stick_definition(t)));
	for (what = 0; what < STICK_DATA; what++)
		assert_int_equal(def.layout.counts[what],
				 stick_definition(t)->columns[what].count);
}

static void definitions_are_those_of_the_reference(void **state)
{
	struct stick_definition arrays = { 0 };

	(void)state;
	arrays.columns[STICK_gpt].count = 3;
	arrays.columns[STICK_gpc].count = 2;
	arrays.columns[STICK_gpc_rate] = (struct stick_column){ .count = 2, .period = 30000 };
	is_defined_as(table("a", STICK_STRING, 20, 3600000, arrays), 4, "t_str", T_STR);
	is_defined_as(table("b", STICK_INTEGER, 4, 600000, of_t_int()), 1, "t_int", T_INT);
	is_defined_as(table("c", STICK_IP, 4, 60000, of_web()), 1, "web", WEB);
}

static void definitions_of_other_keys_do_not_fit(void **state)
{
	struct stick_table *t = table("d", STICK_STRING, 19, 0, of_web());
	struct wire_definition def;
	struct wire_in in = wire_in(unhex(T_STR));

	(void)state;
	assert_true(wire_get_definition(&in, &def));
	assert_false(wire_fits(&def, stick_definition(t))); /* one byte less */
	def.key_len--;
	assert_true(wire_fits(&def, stick_definition(t)));
	def.type = 7;
	assert_false(wire_fits(&def, stick_definition(t)));
}

/* Cut in front of the data types, or within a number, it is none; between two of the descriptions
 * that follow it cannot be used. */
static void definitions_are_cut_anywhere(void **state)
{
	static const size_t between[] = { 13, 17, 19, 21 };
	struct wire_definition def;
	struct span whole = unhex(T_STR);
	size_t len, next = 0;
	struct wire_in in;

	(void)state;
	for (len = 0; len < whole.len; len++) {
		in = wire_in((struct span){ whole.ptr, len });
		if (!wire_get_definition(&in, &def))
			continue;
		assert_false(def.usable);
		assert_true(next < 4 && len == between[next++]);
	}
	assert_int_equal(next, 4);
	in = wire_in(unhex("01 01 61 02 04 14")); /* ends with the data types; no rate, no array */
	assert_true(wire_get_definition(&in, &def) && def.usable && !def.expire_ms);
	in = wire_in(unhex("01 01 61 02 04 14 00 99 99 99")); /* what follows is not known */
	assert_true(wire_get_definition(&in, &def) && def.usable);
	in = wire_in(unhex("01 01 61 02 04 f8 00 05 05 05 05")); /* the rate of another type */
	assert_true(wire_get_definition(&in, &def) && !def.usable);
	in = wire_in(unhex("01 05 61 02 04 14 00"));
	assert_true(!wire_get_definition(&in, &def) || !def.usable);
}

/* ---- updates ------------------------------------------------------------------------------- */

static const struct wire_value *value_of(struct span body, const char *definition,
					 enum stick_data what, unsigned at, unsigned skip)
{
	static struct wire_values values;
	static struct wire_definition def;
	const struct wire_value *v;
	struct wire_in in;
	uint32_t key;

	in = wire_in(unhex(definition));
	assert_true(wire_get_definition(&in, &def));
	in = wire_in(body);
	wire_get_bytes(&in, skip);
	wire_get_key(&in, &def, &key);
	values = wire_values(in, &def.layout);
	while ((v = wire_next_value(&values)))
		if (v->what == what && v->at == at)
			return v;
	return NULL;
}

#define UPDATE "00000001 00001234 07 05 01 03 00 fc03 f387b97f 00 00 02" \
	"00 f387b97f 00 00 00 01 0a 00 00 f387b97f 00 00 f091bd809400 f387b97f 00 00" \
	"00 f387b97f0000 00 f387b97f0000 00 f387b97f0000"

static uint64_t number_of(enum stick_data what)
{
	static unsigned char copy[512];
	struct span s = unhex(UPDATE);
	const struct wire_value *v;

	memcpy(copy, s.ptr, s.len);
	v = value_of((struct span){ (char *)copy, s.len }, T_INT, what, 0, 4);
	assert_non_null(v);
	return stick_data_types[what].form == STICK_RATE ? v->rate.now : v->number;
}

static void updates_of_the_reference_are_read(void **state)
{
	(void)state;
	assert_int_equal(number_of(STICK_gpt0), 7);
	assert_int_equal(number_of(STICK_gpc0), 5);
	assert_int_equal(number_of(STICK_gpc0_rate), 3);
	assert_int_equal(number_of(STICK_conn_cnt), 300);
	assert_int_equal(number_of(STICK_conn_rate), 0);
	assert_int_equal(number_of(STICK_conn_cur), 2);
	assert_int_equal(number_of(STICK_http_req_rate), 10);
	assert_true(number_of(STICK_bytes_in_cnt) == UINT64_C(5000000000));
	assert_int_equal(number_of(STICK_http_fail_rate), 0);
}

static void an_update_is_cut_anywhere(void **state)
{
	static unsigned char copy[512];
	struct span whole = unhex(UPDATE);
	struct wire_definition def;
	struct wire_values values;
	struct wire_in in;
	uint32_t key;
	size_t len;

	(void)state;
	memcpy(copy, whole.ptr, whole.len);
	in = wire_in(unhex(T_INT));
	assert_true(wire_get_definition(&in, &def));
	for (len = 0; len <= whole.len; len++) {
		in = wire_in((struct span){ (char *)copy, len });
		wire_get_32(&in);
		wire_get_key(&in, &def, &key);
		values = wire_values(in, &def.layout);
		while (wire_next_value(&values))
			;
		assert_int_equal(values.in.bad, len < whole.len);
	}
	assert_int_equal(key, 0x1234);
}

static void updates_are_those_of_the_reference(void **state)
{
	struct stick_table *t = table("w", STICK_IP, 4, 60000, of_web());
	struct span address = { "\x7f\0\0\1", 4 };
	struct stick_entry *e = stick_take(t, address, NULL);
	struct wire_out out = wire_out(memory, sizeof(memory));
	static struct wire_names names;

	(void)state;
	stick_set(t, e, STICK_server_id, 0, 1);
	stick_set(t, e, STICK_bytes_out_cnt, 0, 51);
	stick_set(t, e, STICK_server_key, 0, stick_name_note(span_of("127.0.0.77:19081")));
	stick_rate_set(t, e, STICK_http_req_rate, 0, (struct stick_rate_state){ 2, 1, 0 });
	stick_rate_set(t, e, STICK_bytes_out_rate, 0, (struct stick_rate_state){ 0, 51, 0 });
	wire_begin(&out, WIRE_TABLES, WIRE_UPDATE);
	wire_put_32(&out, 5);
	wire_put_key(&out, stick_definition(t), stick_key(t, e));
	wire_put_values(&out, t, e, &names);
	assert_true(wire_end(&out));
	is_hex(written(&out), "0a 80 23 00000005 7f000001 01 02 01 00 33 00 33 00"
	       "12 01 10 3132372e302e302e37373a3139303831");
	out = wire_out(memory, sizeof(memory));
	stick_set(t, e, STICK_bytes_out_cnt, 0, 102);
	stick_rate_set(t, e, STICK_http_req_rate, 0, (struct stick_rate_state){ 305, 2, 0 });
	stick_rate_set(t, e, STICK_bytes_out_rate, 0, (struct stick_rate_state){ 303, 102, 0 });
	wire_put_values(&out, t, e, &names);
	is_hex(written(&out), "01 f104 02 00 66 ff03 66 00 01 01");
	stick_give(t, e);
}

/* ---- names --------------------------------------------------------------------------------- */

static const struct wire_value *name_of(const char *bytes, bool *bad)
{
	static const struct wire_layout layout = { .counts = { [STICK_server_key] = 1 } };
	static struct wire_values values;
	const struct wire_value *v;

	values = wire_values(wire_in(unhex(bytes)), &layout);
	v = wire_next_value(&values);
	*bad = values.in.bad;
	return v;
}

static void names_are_read(void **state)
{
	static const char *const bad_ones[] = { "", "01", "01 00", "02 00 00", "04 01 03 61 62",
		"05 01 03 61 62", "02 f0 11", "01 f0", "f0 00", "02 01 f0", "01 81" };
	const struct wire_value *v;
	bool bad;
	size_t i;

	(void)state;
	v = name_of("00", &bad);
	assert_true(!bad && !v->id && !v->name.ptr);
	v = name_of("01 80", &bad);
	assert_true(!bad && v->id == 128 && !v->name.ptr);
	v = name_of("04 01 02 61 62", &bad);
	assert_true(!bad && v->id == 1 && span_equal(v->name, span_of("ab")));
	v = name_of("02 01 00", &bad);
	assert_true(!bad && v->id == 1 && v->name.ptr && !v->name.len);
	v = name_of("05 01 02 61 62 63", &bad); /* the rest is not known */
	assert_true(!bad && span_equal(v->name, span_of("ab")));
	for (i = 0; i < sizeof(bad_ones) / sizeof(*bad_ones); i++)
		if (name_of(bad_ones[i], &bad) || !bad)
			fail_msg("%s is taken for a name", bad_ones[i]);
}

/* The first bytes of what is said about a server: a length above 1 says its name again. */
static unsigned told(struct stick_table *t, struct wire_names *names, unsigned number, unsigned *id)
{
	struct wire_out out = wire_out(memory, sizeof(memory));
	struct stick_entry *e = stick_take(t, span_of("k"), NULL);
	char name[20];

	snprintf(name, sizeof(name), "srv%u", number);
	stick_set(t, e, STICK_server_key, 0, stick_name_note(span_of(name)));
	wire_put_values(&out, t, e, names);
	stick_give(t, e);
	*id = memory[1];
	return memory[0];
}

static void ids_of_names_go_round(void **state)
{
	struct stick_definition def = { 0 };
	static struct wire_names names;
	struct stick_table *t;
	unsigned i, id;

	(void)state;
	def.columns[STICK_server_key].count = 1;
	t = table("n", STICK_STRING, 10, 0, def);
	for (i = 1; i <= WIRE_NAMES; i++) {
		assert_in_range(told(t, &names, i, &id), 2, 20);
		assert_int_equal(id, i);
	}
	assert_int_equal(told(t, &names, 1, &id), 1);
	assert_in_range(told(t, &names, 129, &id), 2, 20); /* takes the place of the first */
	assert_int_equal(id, 1);
	assert_in_range(told(t, &names, 1, &id), 2, 20);
	assert_int_equal(id, 2);
	assert_int_equal(told(t, &names, 129, &id), 1);
}

static void long_names_are_written(void **state)
{
	struct stick_definition def = { 0 };
	char name[STICK_NAME_MOST];
	struct stick_table *t;
	size_t len;

	(void)state;
	memset(name, 'n', sizeof(name));
	def.columns[STICK_server_key].count = 1;
	t = table("l", STICK_STRING, 10, 0, def);
	for (len = 1; len <= sizeof(name); len++) {
		struct wire_values values;
		struct wire_names names = { .next = 0 };
		struct wire_out out = wire_out(memory, sizeof(memory));
		struct stick_entry *e = stick_take(t, span_of("k"), NULL);
		struct wire_layout layout = { .counts = { [STICK_server_key] = 1 } };
		const struct wire_value *v;

		stick_set(t, e, STICK_server_key, 0,
			  stick_name_note((struct span){ name, len }));
		wire_put_values(&out, t, e, &names);
		stick_give(t, e);
		values = wire_values(wire_in(written(&out)), &layout);
		v = wire_next_value(&values);
		assert_true(v && span_equal(v->name, (struct span){ name, len }));
		assert_null(wire_next_value(&values));
		assert_true(!values.in.bad && values.in.at == values.in.end);
	}
}

/* ---- keys ---------------------------------------------------------------------------------- */

static void key_is(enum stick_key_type type, uint32_t len, struct span key, const char *bytes)
{
	struct stick_definition def = { .name = "k", .type = type, .key_len = len };
	struct wire_out out = wire_out(memory, sizeof(memory));
	struct wire_definition theirs;
	static char copy[512];
	struct wire_in in;
	uint32_t number;

	wire_put_definition(&out, 1, span_of("k"), &def);
	memcpy(copy, memory, sizeof(copy));
	in = wire_in((struct span){ copy, (size_t)(out.at - out.begin) });
	assert_true(wire_get_definition(&in, &theirs) && wire_fits(&theirs, &def));
	out = wire_out(memory, sizeof(memory));
	wire_put_key(&out, &def, key);
	is_hex(written(&out), bytes);
	in = wire_in(written(&out));
	assert_true(span_equal(wire_get_key(&in, &theirs, &number), wire_key(&def, key)));
	assert_true(!in.bad && in.at == in.end);
}

static void keys_of_each_type(void **state)
{
	uint32_t number = 0x1234;

	(void)state;
	key_is(STICK_INTEGER, 4, (struct span){ (char *)&number, 4 }, "00001234");
	key_is(STICK_IP, 4, (struct span){ "\x7f\0\0\1", 4 }, "7f000001");
	key_is(STICK_IPV6, 16, (struct span){ "0123456789abcdef", 16 },
	       "30313233343536373839616263646566");
	key_is(STICK_STRING, 20, span_of("abc"), "03 616263");
	key_is(STICK_STRING, 20, span_of(""), "00");
	key_is(STICK_STRING, 20, (struct span){ "ab\0c", 4 }, "02 6162");
	key_is(STICK_BINARY, 4, (struct span){ "a\0b\0", 4 }, "61006200");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_one_form),
		cmocka_unit_test(numbers_around_each_bit_come_back),
		cmocka_unit_test(what_is_no_number_is_bad),
		cmocka_unit_test(messages_are_found),
		cmocka_unit_test(messages_of_each_length_are_written),
		cmocka_unit_test(what_does_not_fit_is_not_written),
		cmocka_unit_test(nothing_is_written_behind_the_end),
		cmocka_unit_test(definitions_are_those_of_the_reference),
		cmocka_unit_test(definitions_of_other_keys_do_not_fit),
		cmocka_unit_test(definitions_are_cut_anywhere),
		cmocka_unit_test(updates_of_the_reference_are_read),
		cmocka_unit_test(an_update_is_cut_anywhere),
		cmocka_unit_test(updates_are_those_of_the_reference),
		cmocka_unit_test(names_are_read),
		cmocka_unit_test(ids_of_names_go_round),
		cmocka_unit_test(long_names_are_written),
		cmocka_unit_test(keys_of_each_type),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
