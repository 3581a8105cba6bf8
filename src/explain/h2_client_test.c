/* SPDX-License-Identifier: BSD-2-Clause */
/* What the client of HTTP/2 says is the request that was meant; what it hears becomes text. */
#include "explain/h2_client.h"

#include "explain/inside.h"
#include "http/h2_frame.h"
#include "http/hpack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

static void hears(const char *frames, size_t len, const char *wanted)
{
	struct bytes text = { NULL, 0, 0 };

	bytes_str(&text, "");
	h2_client_hears((struct span){ frames, len }, &text);
	assert_string_equal(text.ptr, wanted);
	free(text.ptr);
}

/* What a server would read of it, in a line: fields, then types of frames with lengths and flags.
 */
static void says(const char *request, const char *fields_wanted, const char *frames_wanted)
{
	struct bytes said = { NULL, 0, 0 }, fields = { NULL, 0, 0 }, seen = { NULL, 0, 0 },
		     block = { NULL, 0, 0 };
	struct h2_reader reader = { .max = H2_FRAME_LEAST };
	struct field list[32];
	static char memory[1 << 18];
	struct hpack_fields to = { .fields = list, .max = 32, .memory = memory,
				   .room = sizeof(memory), .limit = 1 << 20 };
	struct field_table table;
	struct h2_read r;
	struct span rest;
	char one[64];
	unsigned i;

	h2_client_says(span_of(request), span_of("http"), &said);
	assert_memory_equal(said.ptr, h2_preface, H2_PREFACE_LEN);
	rest = (struct span){ said.ptr + H2_PREFACE_LEN, said.len - H2_PREFACE_LEN };
	bytes_str(&seen, "");
	bytes_str(&fields, "");
	while (rest.len) {
		enum h2_result result = h2_read(&reader, &rest, &r);

		assert_true(result == H2_WHOLE || result == H2_PIECE);
		snprintf(one, sizeof(one), "%u:%u:%x ", r.frame.type, r.frame.length,
			 r.frame.flags);
		bytes_str(&seen, one);
		if (r.frame.type == H2_HEADERS || r.frame.type == H2_CONTINUATION)
			bytes_add(&block, r.payload.ptr, r.payload.len);
	}
	field_table_init(&table, HPACK_DEFAULT);
	assert_int_equal(hpack_read(&table, (struct span){ block.ptr, block.len }, &to), HPACK_OK);
	for (i = 0; i < to.count; i++) {
		bytes_add(&fields, list[i].name.ptr, list[i].name.len);
		bytes_str(&fields, "=");
		bytes_add(&fields, list[i].value.ptr,
			  list[i].value.len < 20 ? list[i].value.len : 3);
		bytes_str(&fields, " ");
	}
	assert_string_equal(fields.ptr, fields_wanted);
	if (frames_wanted)
		assert_string_equal(seen.ptr, frames_wanted);
	field_table_free(&table);
	free(said.ptr);
	free(fields.ptr);
	free(seen.ptr);
	free(block.ptr);
}

static void requests(void **state)
{
	(void)state;
	says("GET /a HTTP/1.1\r\nHost: x:80\r\nX-Odd:  b \r\nCookie: c=d\r\n\r\n",
	     ":method=GET :scheme=http :path=/a :authority=x:80 x-odd=b cookie=c=d ", NULL);
	says("GET /a HTTP/1.1\r\n\r\n", ":method=GET :scheme=http :path=/a ", NULL);
	says("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", ":method=CONNECT :authority=a:1 ", NULL);
	/* What it may not say is said. */
	says("GET / HTTP/1.1\r\nConnection: x\r\n\r\n",
	     ":method=GET :scheme=http :path=/ connection=x ", NULL);
}

static void a_body_and_a_long_head(void **state)
{
	static char text[61000];

	(void)state;
	says("PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc",
	     ":method=PUT :scheme=http :path=/ content-length=3 ", NULL);
	snprintf(text, sizeof(text), "GET / HTTP/1.1\r\nX: %040000d\r\n\r\n%020000d", 7, 8);
	/* SETTINGS, WINDOW_UPDATE, HEADERS and two CONTINUATIONs, two of DATA */
	says(text, ":method=GET :scheme=http :path=/ x=000 ",
	     "4:12:0 8:4:0 1:16384:0 9:16384:0 9:7242:4 0:16384:0 0:3616:1 ");
}

static void answers(void **state)
{
	static const char good[] =
		"\0\0\0\4\0\0\0\0\0" /* SETTINGS */
		"\0\0\1\1\4\0\0\0\1\x88" /* HEADERS: 200 */
		"\0\0\3\0\1\0\0\0\1xyz"; /* DATA */
	static const char reset[] = "\0\0\4\3\0\0\0\0\1\0\0\0\1";
	static const char away[] = "\0\0\x8\7\0\0\0\0\0\0\0\0\1\0\0\0\7";
	static const char farewell[] = "\0\0\x8\7\0\0\0\0\0\0\0\0\1\0\0\0\0";

	(void)state;
	hears(good, sizeof(good) - 1, "HTTP/2 200\r\n\r\nxyz");
	hears(reset, sizeof(reset) - 1, "(the stream ends: PROTOCOL_ERROR)\r\n\r\n");
	hears(away, sizeof(away) - 1, "(the connection ends: REFUSED_STREAM)\r\n\r\n");
	hears(farewell, sizeof(farewell) - 1, "");
	hears("", 0, "");
	hears("HTTP/1.1 400 Bad request\r\n\r\n", 28, "");
	hears(reset, 5, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests),
		cmocka_unit_test(a_body_and_a_long_head),
		cmocka_unit_test(answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
