/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of HTTP/2: headers, what may be wrong with each type, and settings; and how those are
 * written that have a fixed form. Called by the connection (h2/conn.h). It knows neither
 * streams nor their states: what a frame may mean at the time is not asked here.
 */
#include "http/h2_frame.h"

#include "base/bug.h"

const char h2_preface[H2_PREFACE_LEN + 1] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const char *h2_code_name(uint32_t code)
{
	static const char *const names[] = {
		"NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR",
		"SETTINGS_TIMEOUT", "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL",
		"COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY",
		"HTTP_1_1_REQUIRED",
	};

	return code < ARRAY_LEN(names) ? names[code] : "unknown";
}

/* ---- reading ----------------------------------------------------------------------------- */

enum place { ON_STREAM, ON_CONNECTION, ON_EITHER };

/* What a type may look like. */
struct frame_rule {
	uint8_t flags;       /* that it has */
	uint8_t place;       /* enum place */
	uint8_t least, most; /* bytes of payload; most 0: as many as a frame may have */
};

static const struct frame_rule rules[] = {
	[H2_DATA] = { H2_END_STREAM | H2_PADDED, ON_STREAM, 0, 0 },
	[H2_HEADERS] = { H2_END_STREAM | H2_END_HEADERS | H2_PADDED | H2_PRIORITIZED, ON_STREAM,
			 0, 0 },
	[H2_PRIORITY] = { 0, ON_STREAM, 5, 5 },
	[H2_RST_STREAM] = { 0, ON_STREAM, 4, 4 },
	[H2_SETTINGS] = { H2_ACK, ON_CONNECTION, 0, 0 },
	[H2_PUSH_PROMISE] = { H2_END_HEADERS | H2_PADDED, ON_STREAM, 4, 0 },
	[H2_PING] = { H2_ACK, ON_CONNECTION, 8, 8 },
	[H2_GOAWAY] = { 0, ON_CONNECTION, 8, 0 },
	[H2_WINDOW_UPDATE] = { 0, ON_EITHER, 4, 4 },
	[H2_CONTINUATION] = { H2_END_HEADERS, ON_STREAM, 0, 0 },
	[H2_PRIORITY_UPDATE] = { 0, ON_CONNECTION, 4, 0 },
};

static bool type_is_known(uint8_t type)
{
	return type <= H2_CONTINUATION || type == H2_PRIORITY_UPDATE;
}

COLD static enum h2_result bad(struct h2_fault *fault, enum h2_code code, bool connection,
			       const char *text)
{
	*fault = (struct h2_fault){ (uint8_t)code, connection, text };
	return H2_BAD;
}

uint32_t h2_number(const char *p)
{
	const uint8_t *b = (const uint8_t *)p;

	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static void read_header(const char *p, struct h2_frame *f)
{
	f->length = h2_number(p) >> 8;
	f->type = (uint8_t)p[3];
	f->flags = (uint8_t)p[4];
	f->stream = h2_number(p + 5) & H2_STREAM_MOST;
}

/* What stands in front of a payload's own bytes. */
static uint32_t least_of(const struct h2_frame *f)
{
	return rules[f->type].least + (f->flags & H2_PADDED ? 1u : 0u) +
	       (f->flags & H2_PRIORITIZED ? 5u : 0u);
}

/* 4.2: a length that a type cannot have. */
static enum h2_result check_length(const struct h2_frame *f, struct h2_fault *fault)
{
	const struct frame_rule *rule = &rules[f->type];
	bool stream = f->type == H2_PRIORITY;

	if (f->length < least_of(f))
		return bad(fault, H2_FRAME_SIZE_ERROR, !stream, "a frame that is too short");
	if (rule->most && f->length > rule->most)
		return bad(fault, H2_FRAME_SIZE_ERROR, !stream, "a frame that is too long");
	if (f->type != H2_SETTINGS)
		return H2_WHOLE;
	if (f->flags & H2_ACK && f->length)
		return bad(fault, H2_FRAME_SIZE_ERROR, true, "an acknowledgement with settings");
	if (f->length % H2_SETTING_SIZE)
		return bad(fault, H2_FRAME_SIZE_ERROR, true, "settings that are cut");
	return H2_WHOLE;
}

/* WHOLE: nothing is wrong with it. */
static enum h2_result check_header(struct h2_frame *f, uint32_t max, struct h2_fault *fault)
{
	if (f->length > max)
		return bad(fault, H2_FRAME_SIZE_ERROR, true, "a frame longer than allowed");
	if (!type_is_known(f->type))
		return H2_WHOLE;
	f->flags &= rules[f->type].flags;
	if (rules[f->type].place == ON_STREAM && !f->stream)
		return bad(fault, H2_PROTOCOL_ERROR, true, "a frame that belongs to a stream");
	if (rules[f->type].place == ON_CONNECTION && f->stream)
		return bad(fault, H2_PROTOCOL_ERROR, true, "a frame that belongs to no stream");
	return check_length(f, fault);
}

static enum h2_result bad_padding(struct h2_fault *fault)
{
	return bad(fault, H2_PROTOCOL_ERROR, true, "padding longer than its frame");
}

/* What is left of the frame and has come. */
static enum h2_result read_piece(struct h2_reader *r, struct span *bytes, struct h2_read *out)
{
	uint32_t n = r->left < bytes->len ? r->left : (uint32_t)bytes->len;
	uint32_t body = r->left - r->padding;

	if (!n && r->left)
		return H2_MORE;
	out->frame = r->frame;
	out->payload = (struct span){ bytes->ptr, n < body ? n : body };
	out->flow = n + r->owed;
	bytes->ptr += n;
	bytes->len -= n;
	r->left -= n;
	if (r->left < r->padding)
		r->padding = (uint8_t)r->left;
	r->owed = false;
	r->begun = r->left;
	out->last = !r->left;
	return H2_PIECE;
}

static enum h2_result begin_data(struct h2_reader *r, const struct h2_frame *f, struct span *bytes,
				 struct h2_read *out)
{
	size_t header = H2_FRAME_HEADER;

	r->left = f->length;
	r->padding = 0;
	if (f->flags & H2_PADDED) {
		if (bytes->len == H2_FRAME_HEADER)
			return H2_MORE;
		header++;
		r->left--;
		r->padding = (uint8_t)bytes->ptr[H2_FRAME_HEADER];
		if (r->padding > r->left)
			return bad_padding(&out->fault);
	}
	bytes->ptr += header;
	bytes->len -= header;
	r->frame = *f;
	r->begun = true;
	r->owed = f->flags & H2_PADDED;
	return read_piece(r, bytes, out);
}

/* Takes padding and priority off. */
static enum h2_result strip(struct h2_read *out)
{
	struct span *payload = &out->payload;
	uint8_t padding;

	if (out->frame.flags & H2_PADDED) {
		padding = (uint8_t)payload->ptr[0];
		payload->ptr++;
		payload->len--;
		if (padding > payload->len)
			return bad_padding(&out->fault);
		payload->len -= padding;
	}
	if (out->frame.flags & H2_PRIORITIZED || out->frame.type == H2_PRIORITY) {
		if (payload->len < 5)
			return bad_padding(&out->fault);
		out->dependency = h2_number(payload->ptr) & H2_STREAM_MOST;
		payload->ptr += 5;
		payload->len -= 5;
	}
	return H2_WHOLE;
}

static enum h2_result check_payload(struct h2_read *out)
{
	const struct h2_frame *f = &out->frame;

	switch (f->type) {
	case H2_HEADERS:
	case H2_PRIORITY:
	case H2_PUSH_PROMISE:
		return strip(out);
	case H2_WINDOW_UPDATE:
		if (!(h2_number(out->payload.ptr) & H2_WINDOW_MOST))
			return bad(&out->fault, H2_PROTOCOL_ERROR, !f->stream,
				   "a window that grows by nothing");
		return H2_WHOLE;
	case H2_PRIORITY_UPDATE:
		if (!(h2_number(out->payload.ptr) & H2_STREAM_MOST))
			return bad(&out->fault, H2_PROTOCOL_ERROR, true, "a priority of no stream");
		return H2_WHOLE;
	default:
		return H2_WHOLE;
	}
}

enum h2_result h2_read(struct h2_reader *r, struct span *bytes, struct h2_read *out)
{
	struct h2_frame f;

	out->fault.code = H2_NO_ERROR;
	if (r->begun)
		return read_piece(r, bytes, out);
	if (bytes->len < H2_FRAME_HEADER)
		return H2_MORE;
	read_header(bytes->ptr, &f);
	out->frame = f;
	out->dependency = 0;
	if (check_header(&f, r->max, &out->fault) != H2_WHOLE && out->fault.connection)
		return H2_BAD;
	if (f.type == H2_DATA)
		return begin_data(r, &f, bytes, out);
	if (bytes->len - H2_FRAME_HEADER < f.length)
		return H2_MORE;
	out->frame = f;
	out->payload = (struct span){ bytes->ptr + H2_FRAME_HEADER, f.length };
	bytes->ptr += H2_FRAME_HEADER + f.length;
	bytes->len -= H2_FRAME_HEADER + f.length;
	return out->fault.code ? H2_BAD : check_payload(out);
}

bool h2_setting_next(struct span payload, size_t *at, uint16_t *id, uint32_t *value)
{
	const uint8_t *p = (const uint8_t *)payload.ptr + *at;

	if (payload.len - *at < H2_SETTING_SIZE)
		return false;
	*id = (uint16_t)(p[0] << 8 | p[1]);
	*value = h2_number(payload.ptr + *at + 2);
	*at += H2_SETTING_SIZE;
	return true;
}

bool h2_setting_check(unsigned id, uint32_t value, bool server, struct h2_fault *fault)
{
	enum h2_code code = H2_PROTOCOL_ERROR;
	bool good = true;

	switch (id) {
	case H2_ENABLE_PUSH:
		good = value == 0 || (value == 1 && !server);
		break;
	case H2_INITIAL_WINDOW_SIZE:
		good = value <= H2_WINDOW_MOST;
		code = H2_FLOW_CONTROL_ERROR;
		break;
	case H2_MAX_FRAME_SIZE:
		good = value >= H2_FRAME_LEAST && value <= H2_FRAME_MOST;
		break;
	case H2_ENABLE_CONNECT_PROTOCOL:
	case H2_NO_RFC7540_PRIORITIES:
		good = value <= 1;
		break;
	default:
		break;
	}
	if (!good)
		bad(fault, code, true, "a setting with a value that it must not have");
	return good;
}

/* ---- writing ----------------------------------------------------------------------------- */

static char *put_number(char *p, uint32_t n)
{
	p[0] = (char)(n >> 24);
	p[1] = (char)(n >> 16);
	p[2] = (char)(n >> 8);
	p[3] = (char)n;
	return p + 4;
}

char *h2_write_header(char *p, enum h2_type type, unsigned flags, uint32_t stream, uint32_t length)
{
	put_number(p, length << 8 | type);
	p[4] = (char)flags;
	return put_number(p + 5, stream);
}

char *h2_write_setting(char *p, enum h2_setting id, uint32_t value)
{
	p[0] = (char)(id >> 8);
	p[1] = (char)id;
	return put_number(p + 2, value);
}

char *h2_write_rst(char *p, uint32_t stream, enum h2_code code)
{
	p = h2_write_header(p, H2_RST_STREAM, 0, stream, 4);
	return put_number(p, code);
}

char *h2_write_ping(char *p, unsigned flags, const char opaque[8])
{
	p = h2_write_header(p, H2_PING, flags, 0, 8);
	memcpy(p, opaque, 8);
	return p + 8;
}

char *h2_write_goaway(char *p, uint32_t last, enum h2_code code)
{
	p = h2_write_header(p, H2_GOAWAY, 0, 0, 8);
	p = put_number(p, last);
	return put_number(p, code);
}

char *h2_write_window(char *p, uint32_t stream, uint32_t increment)
{
	p = h2_write_header(p, H2_WINDOW_UPDATE, 0, stream, 4);
	return put_number(p, increment);
}

char *h2_write_priority_update(char *p, uint32_t stream, struct span value)
{
	p = h2_write_header(p, H2_PRIORITY_UPDATE, 0, 0, (uint32_t)(4 + value.len));
	p = put_number(p, stream);
	if (value.len)
		memcpy(p, value.ptr, value.len);
	return p + value.len;
}
