/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The converters protobuf and ungrpc (manual 7.3.1): a field of a message of Protocol Buffers, by
 * the numbers of the fields that lead to it; ungrpc of the messages of gRPC, one behind the other.
 * Called through the table of converters.
 *
 * Nothing is read behind the message that a field lies in, nor is anything found in a message that
 * is not all here: so what was found stays so when more comes. Each byte is looked at once for each
 * level that leads to it, and there are PATH_MOST levels at most.
 */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/tables.h"

#include <string.h>

enum { PATH_MOST = 32, FIELD_MOST = (1 << 29) - 1, GRPC_HEADER = 5 };

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_32 = 5, WIRE_ANY };

enum found { FOUND, FOUND_NONE, FOUND_MORE, FOUND_BAD }; /* MORE: bytes are missing */

enum kind {
	KIND_RAW,
	KIND_INT32, KIND_INT64, KIND_UINT32, KIND_UINT64, KIND_SINT32, KIND_SINT64, KIND_BOOL,
	KIND_FIXED64, KIND_DOUBLE, KIND_FIXED32, KIND_SFIXED32, KIND_FLOAT,
};

static const struct {
	const char *name;
	uint8_t kind, wire;
} types[] = {
	{ "int32", KIND_INT32, WIRE_VARINT },     { "int64", KIND_INT64, WIRE_VARINT },
	{ "uint32", KIND_UINT32, WIRE_VARINT },   { "uint64", KIND_UINT64, WIRE_VARINT },
	{ "sint32", KIND_SINT32, WIRE_VARINT },   { "sint64", KIND_SINT64, WIRE_VARINT },
	{ "bool", KIND_BOOL, WIRE_VARINT },       { "enum", KIND_INT32, WIRE_VARINT },
	{ "fixed64", KIND_FIXED64, WIRE_64 },     { "sfixed64", KIND_FIXED64, WIRE_64 },
	{ "double", KIND_DOUBLE, WIRE_64 },       { "fixed32", KIND_FIXED32, WIRE_32 },
	{ "sfixed32", KIND_SFIXED32, WIRE_32 },   { "float", KIND_FLOAT, WIRE_32 },
};

/* What is asked for. */
struct path {
	uint8_t kind, wire;
	unsigned depth;
	uint32_t numbers[PATH_MOST];
};

struct pb_field {
	uint64_t number, varint;
	unsigned wire;
	struct span bytes; /* of the value */
};

/* ---- the wire ------------------------------------------------------------------------------ */

static enum found varint_next(struct span *s, uint64_t *value)
{
	enum { MOST = 10 };
	unsigned i;

	*value = 0;
	for (i = 0; i < MOST; i++) {
		uint8_t byte;

		if (i == s->len)
			return FOUND_MORE;
		byte = (uint8_t)s->ptr[i];
		*value |= (uint64_t)(byte & 127) << (7 * i);
		if (byte & 128)
			continue;
		s->ptr += i + 1;
		s->len -= i + 1;
		return FOUND;
	}
	return FOUND_BAD;
}

static enum found bytes_next(struct span *s, uint64_t n, struct span *bytes)
{
	if (n > s->len)
		return FOUND_MORE;
	*bytes = (struct span){ s->ptr, (size_t)n };
	s->ptr += n;
	s->len -= n;
	return FOUND;
}

/* The next field of a message. Groups, which nobody writes any more, are not read. */
static enum found field_next(struct span *s, struct pb_field *f)
{
	uint64_t key, len;
	enum found r = varint_next(s, &key);
	const char *begin = s->ptr;

	if (r != FOUND)
		return r;
	f->number = key >> 3;
	f->wire = key & 7;
	switch (f->wire) {
	case WIRE_VARINT:
		r = varint_next(s, &f->varint);
		f->bytes = (struct span){ begin, (size_t)(s->ptr - begin) };
		return r;
	case WIRE_64:
		return bytes_next(s, 8, &f->bytes);
	case WIRE_32:
		return bytes_next(s, 4, &f->bytes);
	case WIRE_BYTES:
		r = varint_next(s, &len);
		return r == FOUND ? bytes_next(s, len, &f->bytes) : r;
	default:
		return FOUND_BAD;
	}
}

/* ---- along the path ------------------------------------------------------------------------ */

/* The first field at the end of the path, in the order of the bytes. Messages of one number may be
 * there several times: those that do not lead on are stepped over. */
static enum found message_find(struct span message, const struct path *path, struct pb_field *f)
{
	struct span rest[PATH_MOST]; /* of the messages that surround the one that is read */
	unsigned level = 0;
	enum found r;

	rest[0] = message;
	for (;;) {
		if (!rest[level].len && !level)
			return FOUND_NONE;
		if (!rest[level].len) {
			level--;
			continue;
		}
		r = field_next(&rest[level], f);
		if (r != FOUND) /* inside of one that is whole nothing is missing */
			return r == FOUND_MORE && level ? FOUND_BAD : r;
		if (f->number != path->numbers[level])
			continue;
		if (level == path->depth - 1)
			return FOUND;
		if (f->wire != WIRE_BYTES)
			return FOUND_BAD;
		rest[++level] = f->bytes;
	}
}

/* gRPC over HTTP/2, "Length-Prefixed-Message": a byte that says whether it is compressed, its
 * length, the message. */
static enum found grpc_find(struct span bytes, const struct path *path, struct pb_field *f)
{
	struct span message;
	enum found r;
	uint32_t len;

	while (bytes.len) {
		const uint8_t *p = (const uint8_t *)bytes.ptr;

		if (p[0])
			return FOUND_BAD;
		if (bytes.len < GRPC_HEADER)
			return FOUND_MORE;
		len = (uint32_t)p[1] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 8 | p[4];
		bytes.ptr += GRPC_HEADER;
		bytes.len -= GRPC_HEADER;
		if (bytes_next(&bytes, len, &message) != FOUND)
			return FOUND_MORE;
		r = message_find(message, path, f);
		if (r != FOUND_NONE)
			return r == FOUND_MORE ? FOUND_BAD : r;
	}
	return FOUND_NONE;
}

/* ---- values --------------------------------------------------------------------------------- */

static uint64_t little_endian(struct span s)
{
	uint64_t n = 0;
	size_t i;

	for (i = s.len; i; i--)
		n = n << 8 | (uint8_t)s.ptr[i - 1];
	return n;
}

static int64_t unzigzag(uint64_t n)
{
	return (int64_t)(n >> 1 ^ (0 - (n & 1)));
}

/* What is behind the dot goes. False: no integer has this value. */
static bool whole_of(double d, int64_t *n)
{
	if (!(d > -9223372036854775808.0 && d < 9223372036854775808.0))
		return false;
	*n = (int64_t)d;
	return true;
}

/* As whoever reads the message by its description would: of 32 bits the lowest count. */
static bool value_of(const struct pb_field *f, enum kind kind, int64_t *n)
{
	uint64_t bits = f->wire == WIRE_VARINT ? f->varint : little_endian(f->bytes);
	uint32_t low = (uint32_t)bits;
	double d;
	float single;

	switch (kind) {
	case KIND_INT32:
	case KIND_SFIXED32:
		*n = (int32_t)low;
		return true;
	case KIND_UINT32:
	case KIND_FIXED32:
		*n = low;
		return true;
	case KIND_SINT32:
		*n = unzigzag(low);
		return true;
	case KIND_SINT64:
		*n = unzigzag(bits);
		return true;
	case KIND_BOOL:
		*n = bits != 0;
		return true;
	case KIND_DOUBLE:
		memcpy(&d, &bits, sizeof(d));
		return whole_of(d, n);
	case KIND_FLOAT:
		memcpy(&single, &low, sizeof(single));
		return whole_of((double)single, n);
	default:
		*n = (int64_t)bits;
		return true;
	}
}

/* ---- converters ----------------------------------------------------------------------------- */

static bool convert_protobuf(const struct expr_arg *args, struct sample *smp, const struct view *view,
			     const struct converter *row)
{
	const struct path *path = args[0].ptr;
	struct pb_field f;
	enum found r = row->data ? grpc_find(smp->str, path, &f) : message_find(smp->str, path, &f);

	(void)view;
	if (r == FOUND || r == FOUND_BAD)
		smp->flags &= ~(unsigned)SMP_MAY_CHANGE;
	if (r != FOUND || (path->wire != WIRE_ANY && f.wire != path->wire))
		return false;
	if (path->kind == KIND_RAW) {
		smp->str = f.bytes;
		smp->type = SMP_BIN;
		return true;
	}
	smp->type = SMP_INT;
	return value_of(&f, path->kind, &smp->num);
}

static int check_path(struct path *path, const char *text, struct err *err)
{
	const char *p = text;
	uint32_t n;

	for (;; p++) {
		if (path->depth == PATH_MOST)
			return err_set(err, "a field lies in %d messages at most", PATH_MOST - 1);
		for (n = 0; *p >= '0' && *p <= '9' && n <= FIELD_MOST; p++)
			n = n * 10 + (uint32_t)(*p - '0');
		if (!n || n > FIELD_MOST || (*p && *p != '.'))
			return err_set(err, "'%s' is no path of numbers from 1 to %d with dots between them", text,
				       FIELD_MOST);
		path->numbers[path->depth++] = n;
		if (!*p)
			return 0;
	}
}

static int check_type(struct path *path, const char *name, struct err *err)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		if (strcmp(name, types[i].name))
			continue;
		path->kind = types[i].kind;
		path->wire = types[i].wire;
		return 0;
	}
	if (!strcmp(name, "string") || !strcmp(name, "bytes"))
		return err_set(err, "a field of type '%s' is asked for without its type", name);
	return err_set(err, "'%s' is no type of Protocol Buffers: int32, int64, uint32, uint64, sint32, "
		       "sint64, bool, enum, fixed64, sfixed64, double, fixed32, sfixed32 and float are", name);
}

static int check_protobuf(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct arena *arena = ctx->arena ? ctx->arena : ctx->cfg->arena;
	struct path *path = arena_alloc(arena, sizeof(*path));

	if (!path)
		return err_set(err, "out of memory");
	*path = (struct path){ .kind = KIND_RAW, .wire = WIRE_ANY };
	if (check_path(path, args[0].str.ptr, err) ||
	    (args[1].type == ARG_STR && check_type(path, args[1].str.ptr, err)))
		return -1;
	args[0] = (struct expr_arg){ .type = ARG_PTR, .ptr = path };
	return 0;
}

const struct converter converter_protobuf[] = {
	{ "protobuf", ARGS(1, ARG_STR, ARG_STR), SMP_BIN, SMP_ANY, convert_protobuf, check_protobuf,
	  .help = "a field of a message of Protocol Buffers, by its path of numbers" },
	{ "ungrpc", ARGS(1, ARG_STR, ARG_STR), SMP_BIN, SMP_ANY, convert_protobuf, check_protobuf, .data = 1,
	  .help = "the same of messages of gRPC" },
	{ 0 },
};
