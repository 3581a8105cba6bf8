/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches that look at no connection: constants and facts of the process and the machine
 * (manual 7.3.2). */
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "expr/arg.h"
#include "expr/state.h"
#include "expr/tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

/* -- constants -------------------------------------------------------------------------- */

static enum expr_result fetch_bool(struct fetch_call *call, struct sample *smp)
{
	smp->num = call->row->data;
	return EXPR_FOUND;
}

/* The argument itself, in whatever type the row has. */
static enum expr_result fetch_const(struct fetch_call *call, struct sample *smp)
{
	const struct expr_arg *arg = &call->args[0];

	switch (call->row->type) {
	case SMP_BOOL:
	case SMP_INT:
		smp->num = arg->num;
		break;
	case SMP_IPV4:
		smp->v4 = arg->v4;
		break;
	case SMP_IPV6:
		smp->v6 = arg->v6;
		break;
	default:
		smp->str = arg->str;
		smp->flags |= SMP_CONST;
	}
	return EXPR_FOUND;
}

static int check_bool(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	const char *word = args[0].str.ptr;
	bool yes = !strcasecmp(word, "true") || !strcmp(word, "1");

	(void)ctx;
	if (!yes && strcasecmp(word, "false") && strcmp(word, "0"))
		return err_set(err, "true, false, 0 or 1 is expected, not '%s'", word);
	args[0].type = ARG_INT;
	args[0].num = yes;
	return 0;
}

static int check_bin(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct span hex = args[0].str;
	char *bytes = arena_alloc(ctx->arena, hex.len / 2 + 1);
	size_t i;

	if (!bytes)
		return err_set(err, "out of memory");
	if (!hex.len || hex.len % 2)
		return err_set(err, "an even number of hexadecimal digits is expected");
	for (i = 0; i < hex.len; i += 2) {
		int high = str_hex_digit(hex.ptr[i]), low = str_hex_digit(hex.ptr[i + 1]);

		if (high < 0 || low < 0)
			return err_set(err, "'%.2s' are no hexadecimal digits", hex.ptr + i);
		bytes[i / 2] = (char)(high << 4 | low);
	}
	args[0].str = (struct span){ bytes, hex.len / 2 };
	return 0;
}

/* -- the process ------------------------------------------------------------------------ */

static int check_unit(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return arg_unit(&args[1], err);
}

static enum expr_result fetch_date(struct fetch_call *call, struct sample *smp)
{
	struct timeval now = clock_wall();
	int64_t scale = call->args[1].num;

	smp->num = now.tv_sec * scale + now.tv_usec / (1000000 / scale) % scale;
	if (call->args[0].type == ARG_INT)
		smp->num = (int64_t)((uint64_t)smp->num + (uint64_t)call->args[0].num);
	return EXPR_FOUND;
}

static enum expr_result fetch_date_us(struct fetch_call *call, struct sample *smp)
{
	(void)call;
	smp->num = clock_wall().tv_usec;
	return EXPR_FOUND;
}

static enum expr_result fetch_env(struct fetch_call *call, struct sample *smp)
{
	const char *value = getenv(call->args[0].str.ptr);

	if (!value)
		return EXPR_NONE;
	smp->str = span_of(value);
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

static enum expr_result fetch_hostname(struct fetch_call *call, struct sample *smp)
{
	char *name = expr_scratch();

	(void)call;
	if (gethostname(name, expr_scratch_size))
		return EXPR_NONE;
	name[expr_scratch_size - 1] = 0;
	smp->str = span_of(name);
	return EXPR_FOUND;
}

enum { PROCESS_COUNT, PROCESS_NUMBER, PROCESS_THREAD, PROCESS_STOPPING };

static enum expr_result fetch_process(struct fetch_call *call, struct sample *smp)
{
	switch (call->row->data) {
	case PROCESS_COUNT:
		smp->num = expr_process.count;
		break;
	case PROCESS_NUMBER:
		smp->num = expr_process.number;
		break;
	case PROCESS_THREAD:
		smp->num = 0; /* a process has one */
		break;
	case PROCESS_STOPPING:
		smp->num = expr_process_stops();
		break;
	}
	return EXPR_FOUND;
}

/* Straight from the kernel, so that no two processes can share a sequence. */
static bool random_bytes(void *buf, size_t len)
{
	return getrandom(buf, len, 0) == (ssize_t)len;
}

static enum expr_result fetch_rand(struct fetch_call *call, struct sample *smp)
{
	uint32_t value;

	if (!random_bytes(&value, sizeof(value)))
		return EXPR_NONE;
	smp->num = value;
	if (call->args[0].type == ARG_INT)
		smp->num = (int64_t)(((uint64_t)value * (uint32_t)call->args[0].num) >> 32);
	return EXPR_FOUND;
}

static int check_uuid(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[0].type == ARG_INT && args[0].num != 4)
		return err_set(err, "only version 4 is supported, not %lld",
			       (long long)args[0].num);
	return 0;
}

/* RFC 4122 section 4.4. */
static enum expr_result fetch_uuid(struct fetch_call *call, struct sample *smp)
{
	char *text = expr_scratch();
	uint8_t b[16];

	(void)call;
	if (!random_bytes(b, sizeof(b)))
		return EXPR_NONE;
	b[6] = (b[6] & 0x0f) | 0x40;
	b[8] = (b[8] & 0x3f) | 0x80;
	snprintf(text, expr_scratch_size,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1],
		 b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14],
		 b[15]);
	smp->str = span_of(text);
	return EXPR_FOUND;
}

const struct fetch fetch_consts[] = {
	{ "always_false", { 0 }, SMP_BOOL, FROM_PROCESS, fetch_bool, .data = 0, .help = "false" },
	{ "always_true", { 0 }, SMP_BOOL, FROM_PROCESS, fetch_bool, .data = 1, .help = "true" },
	{ "bin", ARGS(1, ARG_STR), SMP_BIN, FROM_PROCESS, fetch_const, check_bin,
	  .help = "bytes, given in hexadecimal" },
	{ "bool", ARGS(1, ARG_STR), SMP_BOOL, FROM_PROCESS, fetch_const, check_bool,
	  .help = "true or false, as given" },
	{ "date", ARGS(0, ARG_INT, ARG_STR), SMP_INT, FROM_PROCESS, fetch_date, check_unit,
	  .help = "time since 1970 plus an offset, in s, ms or us" },
	{ "date_us", { 0 }, SMP_INT, FROM_PROCESS, fetch_date_us,
	  .help = "microseconds of the current second" },
	{ "env", ARGS(1, ARG_STR), SMP_STR, FROM_PROCESS, fetch_env,
	  .help = "value of an environment variable" },
	{ "hostname", { 0 }, SMP_STR, FROM_PROCESS, fetch_hostname, .help = "name of this host" },
	{ "int", ARGS(1, ARG_INT), SMP_INT, FROM_PROCESS, fetch_const, .help = "the number given" },
	{ "ipv4", ARGS(1, ARG_IPV4), SMP_IPV4, FROM_PROCESS, fetch_const,
	  .help = "the address given" },
	{ "ipv6", ARGS(1, ARG_IPV6), SMP_IPV6, FROM_PROCESS, fetch_const,
	  .help = "the address given" },
	{ "meth", ARGS(1, ARG_STR), SMP_METH, FROM_PROCESS, fetch_const,
	  .help = "the method given" },
	{ "nbproc", { 0 }, SMP_INT, FROM_PROCESS, fetch_process, .data = PROCESS_COUNT,
	  .help = "number of processes" },
	{ "proc", { 0 }, SMP_INT, FROM_PROCESS, fetch_process, .data = PROCESS_NUMBER,
	  .help = "number of this process, from 1" },
	{ "rand", ARGS(0, ARG_INT), SMP_INT, FROM_PROCESS, fetch_rand,
	  .help = "a random number below the one given, or below 2^32" },
	{ "stopping", { 0 }, SMP_BOOL, FROM_PROCESS, fetch_process, .data = PROCESS_STOPPING,
	  .help = "is the process finishing?" },
	{ "str", ARGS(1, ARG_STR), SMP_STR, FROM_PROCESS, fetch_const, .help = "the text given" },
	{ "thread", { 0 }, SMP_INT, FROM_PROCESS, fetch_process, .data = PROCESS_THREAD,
	  .help = "always 0: a process has one thread" },
	{ "uuid", ARGS(0, ARG_INT), SMP_STR, FROM_PROCESS, fetch_uuid, check_uuid,
	  .help = "a random UUID (version 4)" },
	{ 0 },
};
