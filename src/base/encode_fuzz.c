/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as values of an object, the first of them telling how much memory there is: what comes
 * out, and each way to cut it, is one object of JSON, and of CBOR one that ends where it ends. And
 * any bytes as an object that is to be cut. */
#include "base/bug.h"
#include "base/encode.h"
#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void sound(struct span made)
{
	struct json j = { made.ptr, made.ptr + made.len };
	size_t i;

	BUG_ON(made.len && (!json_skip(&j) || j.p != j.end));
	for (i = 0; i < made.len; i += utf8_len(made.ptr + i, made.len - i)) {
		BUG_ON((unsigned char)made.ptr[i] < ' ' || made.ptr[i] == 0x7f);
		BUG_ON(!utf8_len(made.ptr + i, made.len - i));
	}
}

static void cut(enum encoding encoding, struct span object, size_t room, bool known)
{
	char memory[4096];
	struct span closing;
	struct text t;
	size_t keep = encoded_cut(encoding, object, room, &closing);

	BUG_ON(keep > object.len || keep + closing.len > room);
	text_init(&t, memory, sizeof(memory));
	text_add(&t, object.ptr, keep);
	text_add(&t, closing.ptr, closing.len);
	if (known && encoding == ENCODE_JSON)
		sound((struct span){ t.ptr, t.len });
	if (known && encoding == ENCODE_CBOR && keep) /* whole: nothing of it need go any more */
		BUG_ON(encoded_cut(encoding, (struct span){ t.ptr, t.len }, t.len, &closing) !=
		       keep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct span value = { (const char *)data, len < 300 ? len : 300 };
	size_t size = len ? data[0] + 1u : 256, room;
	char memory[256];
	struct text t;

	text_init(&t, memory, size);
	text_str(&t, "{\"n\":1,\"a\":\"");
	room = t.len;
	text_add(&t, value.ptr, value.len);
	json_escape(&t, room);
	text_str(&t, "\",\"b\":null}");
	for (room = 0; room < size; room++) {
		cut(ENCODE_JSON, (struct span){ t.ptr, t.len }, room, true);
		cut(ENCODE_JSON, value, room, false);
	}
	text_init(&t, memory, size);
	text_str(&t, "\xbf\x61" "a");
	room = t.len;
	text_add(&t, value.ptr, value.len);
	if (len & 1)
		cbor_text(&t, room);
	else
		cbor_bytes(&t, room);
	text_str(&t, "\x61" "b\xf6\xff");
	for (room = 0; room < size; room++) {
		cut(ENCODE_CBOR, (struct span){ t.ptr, t.len }, room, true);
		cut(ENCODE_CBOR, value, room, false);
		cut(ENCODE_CBOR_HEX, value, room, false);
	}
	return 0;
}
