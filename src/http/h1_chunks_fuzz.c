/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as a chunked body; the first byte says whether it is a response's, the second how long
 * the pieces are. Whole, in pieces and with payload skipped unseen the result must be the same; and
 * what was decoded, encoded again and decoded again, is the same payload.
 */
#include "http/h1.h"

#include "base/bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 1024 };

struct outcome {
	enum h1_result result;
	size_t at, payload_len;
	char payload[LEN_MAX];
	struct message_error error;
};

static bool response;

/* In pieces of at most `piece` bytes. */
static void decode(struct outcome *out, const char *bytes, size_t len, size_t piece)
{
	struct h1_chunks c = { .response = response };
	static char copy[LEN_MAX];

	out->result = H1_INCOMPLETE;
	out->at = out->payload_len = 0;
	while (out->at < len && out->result == H1_INCOMPLETE) {
		size_t n = len - out->at < piece ? len - out->at : piece, consumed = 0, payload = 0;

		memcpy(copy, bytes + out->at, n);
		out->result = h1_chunks_decode(&c, copy, n, &consumed, &payload, &out->error);
		if (out->result == H1_BAD) {
			BUG_ON(out->error.position >= n || !out->error.text);
			consumed = out->error.position;
			payload = 0;
		}
		BUG_ON(out->result == H1_INCOMPLETE && consumed != n);
		memcpy(out->payload + out->payload_len, copy, payload);
		out->payload_len += payload;
		out->at += consumed;
	}
}

static void same(const struct outcome *a, const struct outcome *b)
{
	BUG_ON(a->result != b->result || a->at != b->at);
	if (a->result == H1_BAD) {
		BUG_ON(a->error.status != b->error.status || a->error.text != b->error.text);
		return;
	}
	BUG_ON(a->payload_len != b->payload_len);
	BUG_ON(memcmp(a->payload, b->payload, a->payload_len) != 0);
}

/* As a splicing proxy does: payload is not shown. */
static void check_skipping(const struct outcome *whole, const char *bytes, size_t len, size_t piece)
{
	struct h1_chunks c = { .response = response };
	enum h1_result r = H1_INCOMPLETE;
	struct message_error error;
	size_t at = 0;

	while (at < len && r == H1_INCOMPLETE) {
		size_t n = len - at < piece ? len - at : piece, consumed = 0;

		if (c.left) {
			n = c.left < len - at ? c.left : len - at;
			h1_chunks_skip(&c, n);
			at += n;
			continue;
		}
		r = h1_chunks_scan(&c, bytes + at, n, &consumed, &error);
		at += r == H1_BAD ? error.position : consumed;
	}
	BUG_ON(r != whole->result || at != whole->at);
}

static void check_round_trip(const struct outcome *out)
{
	static char body[LEN_MAX + 64];
	static struct outcome again;
	size_t len = 0;

	if (out->payload_len) {
		len = h1_chunk_line(body, out->payload_len);
		memcpy(body + len, out->payload, out->payload_len);
		len += out->payload_len;
		memcpy(body + len, "\r\n", 2);
		len += 2;
	}
	memcpy(body + len, "0\r\n\r\n", 5);
	len += 5;
	if (len > LEN_MAX)
		return;
	decode(&again, body, len, len);
	BUG_ON(again.result != H1_DONE || again.at != len);
	BUG_ON(again.payload_len != out->payload_len);
	BUG_ON(memcmp(again.payload, out->payload, out->payload_len) != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct outcome whole, parts;
	const char *bytes = (const char *)data + 2;
	size_t piece;

	if (len < 3 || len > LEN_MAX)
		return 0;
	response = data[0] & 1;
	piece = 1 + data[1] % 16;
	len -= 2;
	decode(&whole, bytes, len, len);
	decode(&parts, bytes, len, piece);
	same(&whole, &parts);
	check_skipping(&whole, bytes, len, piece);
	if (whole.result == H1_DONE) {
		BUG_ON(whole.at < 5 || memcmp(bytes + whole.at - 4, "\r\n\r\n", 4) != 0);
		check_round_trip(&whole);
	}
	return 0;
}
