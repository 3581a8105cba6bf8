/* SPDX-License-Identifier: BSD-2-Clause */
/* Servers of HTTP/2 that a check asks: whatever comes, in whatever pieces, the result is the same, what
 * is answered has room (BUG_ON of h2_call.c), and a response that is done is one of HTTP/1. */
#include "base/bug.h"
#include "check/h2_call.h"
#include "http/h1.h"
#include "relay/buffer.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct h2_call *begin(void)
{
	static struct field fields[1];
	struct span body = { "0123456789", 10 };
	struct message msg;
	const char *wrong;
	struct h2_call *call;

	message_init(&msg, false, fields, 1);
	msg.method = METHOD_POST;
	msg.method_text = span_of("POST");
	msg.target = span_of("/");
	call = h2_call_new(&msg, span_of("http"), body, &wrong);
	BUG_ON(!call);
	return call;
}

/* In pieces of so many bytes. */
static struct h2_call *feed(struct span bytes, size_t piece, struct buf *to)
{
	struct h2_call *call = begin();
	size_t len;

	for (; bytes.len; bytes.ptr += len, bytes.len -= len) {
		len = bytes.len < piece ? bytes.len : piece;
		h2_call_sent(call, h2_call_waiting(call).len);
		h2_call_take(call, (struct span){ bytes.ptr, len }, to);
	}
	return call;
}

static void check_response(const struct buf *to)
{
	static struct field fields[1024];
	struct h1_parser parser = { 0 };
	struct message_error error;
	struct message msg;

	message_init(&msg, true, fields, 1024);
	BUG_ON(h1_response_head(&parser, to->data, to->len, H1_ACCEPT_INVALID, METHOD_POST, &msg, &error) !=
	       H1_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct span bytes = { (const char *)data, size };
	struct h2_call *whole, *parts;
	struct buf *to, *also;

	to = buffer_take();
	also = buffer_take();
	whole = feed(bytes, H2_CALL_AT_ONCE, to);
	parts = feed(bytes, 3, also);
	BUG_ON(h2_call_done(whole) != h2_call_done(parts));
	BUG_ON(!h2_call_fault(whole) != !h2_call_fault(parts));
	/* Of DATA that is found wrong at its end, pieces in front of that were taken. */
	BUG_ON(to->len > also->len || memcmp(to->data, also->data, to->len) != 0);
	BUG_ON(to->len != also->len && !h2_call_fault(whole));
	if (h2_call_done(whole))
		check_response(to);
	h2_call_free(&whole);
	h2_call_free(&parts);
	buffer_give(&to);
	buffer_give(&also);
	return 0;
}
