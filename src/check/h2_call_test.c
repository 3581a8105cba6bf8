/* SPDX-License-Identifier: BSD-2-Clause */
/* A request over HTTP/2: what is sent, and what becomes of answers, whatever pieces they come in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/h2_call.h"
#include "http/h2_frame.h"
#include "http/message.h"
#include "relay/buffer.h"

#include <stdlib.h>

static struct h2_call *begin(struct span body)
{
	static struct field fields[4];
	struct h2_call *call;
	struct message msg;
	const char *wrong;

	message_init(&msg, false, fields, 4);
	msg.method = METHOD_POST;
	msg.method_text = span_of("POST");
	msg.target = span_of("/p");
	msg.fields[msg.count++] = (struct field){ .name = span_of("Host"), .value = span_of("h"),
						  .id = FIELD_HOST };
	call = h2_call_new(&msg, span_of("http"), body, &wrong);
	assert_non_null(call);
	return call;
}

/* All that waits has left. */
static void sent(struct h2_call *call)
{
	h2_call_sent(call, h2_call_waiting(call).len);
	assert_int_equal(h2_call_waiting(call).len, 0);
}

static void take(struct h2_call *call, const char *bytes, size_t len, struct buf *to)
{
	sent(call);
	h2_call_take(call, (struct span){ bytes, len }, to);
}

struct script {
	char bytes[4096];
	size_t len;
};

static void add(struct script *s, enum h2_type type, unsigned flags, uint32_t stream, const char *payload,
		size_t len)
{
	h2_write_header(s->bytes + s->len, type, flags, stream, (uint32_t)len);
	memcpy(s->bytes + s->len + H2_FRAME_HEADER, payload, len);
	s->len += H2_FRAME_HEADER + len;
}

#define ADD(type, flags, stream, payload) add(&s, type, flags, stream, payload, sizeof(payload) - 1)
#define STATUS_200 "\x88"
#define FIELD(name, value) "\0" name value

static struct script usual(void)
{
	struct script s = { .len = 0 };

	ADD(H2_SETTINGS, 0, 0, "\0\4\0\0\x10\0");
	ADD(H2_PING, 0, 0, "12345678");
	ADD(H2_HEADERS, 0, 1, STATUS_200);
	ADD(H2_CONTINUATION, H2_END_HEADERS, 1, FIELD("\3x-a", "\1b"));
	ADD(H2_DATA, H2_PADDED, 1, "\2one\0\0");
	ADD(H2_DATA, 0, 1, "two");
	ADD(H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, FIELD("\3x-t", "\1v"));
	return s;
}

static void assert_text(struct span s, const char *text)
{
	assert_int_equal(s.len, strlen(text));
	assert_memory_equal(s.ptr, text, s.len);
}

static void the_same_at_each_split(void **state)
{
	struct script s = usual();
	size_t first, second;

	(void)state;
	for (first = 0; first <= s.len; first++) {
		for (second = first; second <= s.len; second += 7) {
			struct h2_call *call = begin(span_of("body"));
			struct buf *to = buffer_take();

			take(call, s.bytes, first, to);
			take(call, s.bytes + first, second - first, to);
			assert_int_equal(h2_call_done(call), second == s.len);
			take(call, s.bytes + second, s.len - second, to);
			assert_true(h2_call_done(call));
			assert_null(h2_call_fault(call));
			assert_text((struct span){ to->data, to->len },
				    "HTTP/1.1 200 OK\r\nx-a: b\r\n\r\nonetwo");
			assert_text(h2_call_trailers(call), "x-t: v\r\n\r\n");
			buffer_give(&to);
			h2_call_free(&call);
		}
	}
}

static void what_is_sent(void **state)
{
	struct h2_call *call = begin(span_of("body"));
	struct span out = h2_call_waiting(call);
	struct buf *to = buffer_take();
	struct script s = usual();

	(void)state;
	assert_memory_equal(out.ptr, h2_preface, H2_PREFACE_LEN);
	assert_memory_equal(out.ptr + out.len - 13, "\0\0\4\0\1\0\0\0\1body", 13);
	sent(call);
	h2_call_take(call, (struct span){ s.bytes, s.len }, to);
	assert_int_equal(h2_call_waiting(call).len, H2_FRAME_HEADER + H2_PING_SIZE);
	h2_call_leave(call);
	out = h2_call_waiting(call);
	assert_memory_equal(out.ptr + out.len - 17, "\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0", 17);
	buffer_give(&to);
	h2_call_free(&call);
}

/* The worst that can be answered, at once. */
static void answers_have_room(void **state)
{
	struct h2_call *call = begin((struct span){ NULL, 0 });
	struct buf *to = buffer_take();
	struct script s = { .len = 0 };
	char flood[H2_CALL_AT_ONCE];
	unsigned i;

	(void)state;
	ADD(H2_SETTINGS, 0, 0, "");
	take(call, s.bytes, s.len, to);
	for (i = 0; i + H2_FRAME_HEADER <= sizeof(flood); i += H2_FRAME_HEADER)
		h2_write_header(flood + i, H2_SETTINGS, 0, 0, 0);
	take(call, flood, i, to);
	assert_string_equal(h2_call_fault(call),
			    "HTTP/2: too many frames that bring nothing (ENHANCE_YOUR_CALM)");
	buffer_give(&to);
	h2_call_free(&call);
}

static void what_has_no_room_is_thrown_away(void **state)
{
	struct h2_call *call = begin((struct span){ NULL, 0 });
	struct buf *to = buffer_take();
	struct script s = { .len = 0 };
	unsigned i;

	(void)state;
	ADD(H2_SETTINGS, 0, 0, "");
	ADD(H2_HEADERS, H2_END_HEADERS, 1, STATUS_200);
	take(call, s.bytes, s.len, to);
	s.len = 0;
	ADD(H2_DATA, 0, 1, "0123456789");
	for (i = 0; buf_room(to); i++)
		take(call, s.bytes, s.len, to);
	take(call, s.bytes, s.len, to);
	assert_int_equal(buf_room(to), 0);
	assert_null(h2_call_fault(call));
	buffer_give(&to);
	h2_call_free(&call);
}

#define WRONG(fault, ...)                                                                  \
	do {                                                                               \
		struct script s = { .len = 0 };                                            \
		struct h2_call *call = begin((struct span){ NULL, 0 });                    \
		struct buf *to = buffer_take();                                            \
		__VA_ARGS__;                                                               \
		take(call, s.bytes, s.len, to);                                            \
		h2_call_closed(call, 0);                                                   \
		assert_string_equal(h2_call_fault(call), fault);                           \
		buffer_give(&to);                                                          \
		h2_call_free(&call);                                                       \
	} while (0)
#define BEGUN ADD(H2_SETTINGS, 0, 0, "")
#define HEAD ADD(H2_HEADERS, H2_END_HEADERS, 1, STATUS_200)

static void says_what_is_wrong(void **state)
{
	(void)state;
	WRONG("the server closed the connection without a word of HTTP/2", );
	WRONG("the server does not speak HTTP/2", HEAD);
	WRONG("the server does not speak HTTP/2", ADD(H2_SETTINGS, H2_ACK, 0, ""));
	WRONG("the server closed the connection without a response", BEGUN);
	WRONG("the server closed the connection within the response", BEGUN; HEAD);
	WRONG("the server has reset the stream (CANCEL)", BEGUN; ADD(H2_RST_STREAM, 0, 1, "\0\0\0\10"));
	WRONG("the server has sent GOAWAY (NO_ERROR)", BEGUN; ADD(H2_GOAWAY, 0, 0, "\0\0\0\0\0\0\0\0"));
	WRONG("HTTP/2: DATA in front of HEADERS (PROTOCOL_ERROR)", BEGUN; ADD(H2_DATA, 0, 1, "x"));
	WRONG("HTTP/2: a stream that nobody opened (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_HEADERS, H2_END_HEADERS, 2, STATUS_200));
	WRONG("HTTP/2: PUSH_PROMISE (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_PUSH_PROMISE, H2_END_HEADERS, 1, "\0\0\0\2"));
	WRONG("HTTP/2: CONTINUATION out of its place (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_HEADERS, 0, 1, STATUS_200); ADD(H2_PING, 0, 0, "12345678"));
	WRONG("HTTP/2: CONTINUATION out of its place (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_CONTINUATION, H2_END_HEADERS, 1, STATUS_200));
	WRONG("HTTP/2: fields that cannot be read (COMPRESSION_ERROR)", BEGUN;
	      ADD(H2_HEADERS, H2_END_HEADERS, 1, "\xff\xff\xff\xff\xff\xff"));
	WRONG("HTTP/2: malformed trailers (PROTOCOL_ERROR)", BEGUN; HEAD; HEAD);
	WRONG("HTTP/2: a body that is not as long as its length (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_HEADERS, H2_END_HEADERS, 1, STATUS_200 FIELD("\16content-length", "\1""1"));
	      ADD(H2_DATA, 0, 1, "xy"));
	WRONG("HTTP/2: a body that is shorter than its length (PROTOCOL_ERROR)", BEGUN;
	      ADD(H2_HEADERS, H2_END_HEADERS, 1, STATUS_200 FIELD("\16content-length", "\1""1"));
	      ADD(H2_HEADERS, H2_END_HEADERS | H2_END_STREAM, 1, FIELD("\3x-t", "\1v")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_at_each_split),
		cmocka_unit_test(what_is_sent),
		cmocka_unit_test(answers_have_room),
		cmocka_unit_test(what_has_no_room_is_thrown_away),
		cmocka_unit_test(says_what_is_wrong),
	};

	buffer_configure(16384, 1024, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
