/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as frames; the first one says where they are cut. Whole and in pieces the same is read.
 * What is given lies within what came; bodies, padding and headers add up to what was taken; what a
 * frame of each type promises holds. Priorities are read out of the same bytes.
 */
#include "http/h2_frame.h"

#include "base/bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { LEN_MAX = 4096 };

/* A digest of what was read, that does not depend on the pieces. */
struct outcome {
	uint64_t hash;
	uint64_t flow;
	size_t taken;
	bool over;
};

static void mix(struct outcome *o, uint64_t n)
{
	o->hash = (o->hash ^ n) * 0x9e3779b97f4a7c15u;
	o->hash ^= o->hash >> 29;
}

static void mix_bytes(struct outcome *o, struct span s)
{
	size_t i;

	for (i = 0; i < s.len; i++)
		mix(o, (uint8_t)s.ptr[i]);
}

static void check_whole(const struct h2_read *out)
{
	const struct h2_frame *f = &out->frame;

	BUG_ON(f->type == H2_DATA);
	BUG_ON(f->type == H2_RST_STREAM && (!f->stream || out->payload.len != 4));
	BUG_ON(f->type == H2_PING && (f->stream || out->payload.len != 8));
	BUG_ON(f->type == H2_SETTINGS && (f->stream || out->payload.len % H2_SETTING_SIZE));
	BUG_ON(f->type == H2_SETTINGS && f->flags & H2_ACK && out->payload.len);
	BUG_ON(f->type == H2_GOAWAY && out->payload.len < 8);
	BUG_ON(f->type == H2_WINDOW_UPDATE &&
	       !(h2_number(out->payload.ptr) & H2_WINDOW_MOST));
	BUG_ON(f->type == H2_HEADERS && !f->stream);
	BUG_ON(out->payload.len > f->length);
}

static void take(struct outcome *o, enum h2_result result, const struct h2_read *out)
{
	if (result == H2_BAD) {
		mix(o, out->fault.code);
		mix(o, out->fault.connection);
		o->over = out->fault.connection;
		return;
	}
	if (result == H2_WHOLE) {
		check_whole(out);
		mix(o, (uint64_t)out->frame.type << 32 | out->frame.flags);
		mix(o, out->frame.stream);
		mix(o, out->dependency);
		mix_bytes(o, out->payload);
		return;
	}
	BUG_ON(out->flow < out->payload.len || !out->frame.stream);
	mix_bytes(o, out->payload);
	o->flow += out->flow;
	if (out->last) {
		BUG_ON(o->flow != out->frame.length);
		mix(o, out->frame.flags);
		mix(o, o->flow);
		o->flow = 0;
	}
}

static void feed(struct outcome *o, struct h2_reader *r, const char *bytes, size_t len)
{
	struct span rest = { bytes + o->taken, len - o->taken };
	enum h2_result result;
	struct h2_read out;

	while (!o->over && (result = h2_read(r, &rest, &out)) != H2_MORE) {
		BUG_ON(result != H2_BAD && out.payload.len &&
		       (out.payload.ptr < bytes || out.payload.ptr + out.payload.len > rest.ptr));
		take(o, result, &out);
	}
	if (o->over)
		return;
	o->taken = (size_t)(rest.ptr - bytes);
	BUG_ON(o->taken + rest.len != len);
	BUG_ON(rest.len >= r->max + H2_FRAME_HEADER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct h2_priority p = { H2_URGENCY_USUAL, false };
	struct h2_reader whole = { .max = 600 }, pieces = whole;
	struct outcome a = { 0 }, b = { 0 };
	const char *bytes = (const char *)data + 1;
	size_t at;

	if (!len || len > LEN_MAX)
		return 0;
	h2_priority_read((struct span){ (const char *)data, len }, &p);
	BUG_ON(p.urgency > H2_URGENCY_LEAST);
	feed(&a, &whole, bytes, len - 1);
	for (at = data[0] % 16u; at < len - 1; at += 1u + data[0] / 16u)
		feed(&b, &pieces, bytes, at);
	feed(&b, &pieces, bytes, len - 1);
	BUG_ON(a.hash != b.hash || a.over != b.over);
	BUG_ON(!a.over && (a.taken != b.taken || a.flow != b.flow || whole.left != pieces.left));
	return 0;
}
