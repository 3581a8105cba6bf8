/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzzer: bytes as messages of FIX, MQTT, distcc, Protocol Buffers and gRPC, whole and cut at every byte: what is found in
 * the first bytes is what all of them come to. The first byte chooses what is asked for. */
#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "expr/expr.h"
#include "expr/view.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const asked[] = {
	"req.payload(0,0),fix_is_valid", "req.payload(0,0),fix_tag_value(MsgType)",
	"req.payload(0,0),fix_tag_value(10)", "req.payload(0,0),mqtt_is_valid",
	"req.payload(0,0),mqtt_field_value(connect,will_payload)",
	"req.payload(0,0),mqtt_field_value(connect,password)",
	"req.payload(0,0),mqtt_field_value(connect,22)",
	"req.payload(0,0),mqtt_field_value(connack,reason_code)",
	"req.payload(0,0),mqtt_field_value(connack,31)", "distcc_param(ARGV,2)", "distcc_body(ARGV)",
	"distcc_body(DOTI)", "req.payload(0,0),protobuf(1)", "req.payload(0,0),protobuf(1.2,int32)",
	"req.payload(0,0),protobuf(1.1.1.1,double)", "req.payload(0,0),protobuf(3.2.1,sint64)",
	"req.payload(0,0),ungrpc(1.2)", "req.payload(0,0),ungrpc(1,float)",
};

static struct expr *expr_of(unsigned n)
{
	static struct expr *made[ARRAY_LEN(asked)];
	static struct arena *arena;
	struct expr_context ctx;
	struct err err;

	if (!arena)
		arena = arena_new(65536);
	ctx = (struct expr_context){ .arena = arena };
	if (!made[n])
		made[n] = expr_parse_all(asked[n], &ctx, &err);
	BUG_ON(!made[n]);
	return made[n];
}

/* What was found, as a sum; *sum stays what it is when there is nothing. */
static enum expr_result find(const struct expr *e, const uint8_t *data, size_t len, unsigned place,
			     uint64_t *sum)
{
	char *copy = malloc(len ? len : 1);
	struct view view = { .request = { copy, len } };
	enum expr_result r;
	struct sample smp;
	size_t i;

	memcpy(copy, data, len);
	r = expr_eval(e, &view, place, &smp);
	*sum = 0;
	if (r == EXPR_FOUND && (smp.type == SMP_INT || smp.type == SMP_BOOL))
		*sum = (uint64_t)smp.num;
	for (i = 0; r == EXPR_FOUND && smp.type == SMP_BIN && i < smp.str.len; i++)
		*sum = *sum * 31 + (uint8_t)smp.str.ptr[i] + 1;
	free(copy);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MOST = 300 };
	const struct expr *e;
	uint64_t whole, part;
	enum expr_result r;
	size_t n;

	if (!size)
		return 0;
	e = expr_of(data[0] % ARRAY_LEN(asked));
	data++;
	size--;
	r = find(e, data, size, AT_REQUEST | AT_FINAL, &whole);
	BUG_ON(r == EXPR_WAIT);
	for (n = 0; n < size && n < MOST; n++)
		if (find(e, data, n, AT_REQUEST, &part) == EXPR_FOUND)
			BUG_ON(r != EXPR_FOUND || part != whole);
	return 0;
}
