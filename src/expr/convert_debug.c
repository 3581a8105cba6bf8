/* SPDX-License-Identifier: BSD-2-Clause */
/* The converter debug (manual 7.3.1): tells type and value of what passes it, which stays as it
 * is. */
#include "base/err.h"
#include "expr/tables.h"
#include "log/log.h"

static const char *const type_names[SMP_TYPES] = {
	[SMP_BOOL] = "bool", [SMP_INT] = "sint", [SMP_IPV4] = "ipv4", [SMP_IPV6] = "ipv6",
	[SMP_STR] = "str",   [SMP_BIN] = "bin",	 [SMP_METH] = "meth",
};

/* Numbers and addresses are made text in scratch memory, where none of their bytes lie. */
static bool convert_debug(const struct expr_arg *args, struct sample *smp, const struct view *view,
			  const struct converter *row)
{
	char memory[LOG_SINK_LEN + 1];
	struct sample shown = *smp;
	struct text t;
	size_t i;

	(void)view;
	(void)row;
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "[debug] %.*s: type=%s <", (int)args[0].str.len, args[0].str.ptr, type_names[smp->type]);
	if (!sample_cast(&shown, SMP_STR))
		shown.str.len = 0;
	for (i = 0; i < shown.str.len && !t.cut; i++)
		text_char(&t, shown.str.ptr[i] >= ' ' && shown.str.ptr[i] < 127 ? shown.str.ptr[i] : '.');
	text_char(&t, '>');
	log_sink_write(args[1].ptr, (struct span){ t.ptr, t.len });
	return true;
}

static int check_debug(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	void *sink;

	if (!ctx->cfg)
		return err_set(err, "debug is for the configuration alone");
	if (args[0].type == ARG_NONE)
		args[0] = (struct expr_arg){ .type = ARG_STR, .str = { "", 0 } };
	sink = log_sink(ctx->cfg, &ctx->loc, args[1].type == ARG_NONE ? "buf0" : args[1].str.ptr, err);
	args[1] = (struct expr_arg){ .type = ARG_PTR, .ptr = sink };
	return sink ? 0 : -1;
}

const struct converter converter_debug[] = {
	{ "debug", ARGS(0, ARG_STR, ARG_STR), SMP_ANY, SMP_SAME, convert_debug, check_debug,
	  .help = "tells type and value: in the ring buf0, another one, on stdout or stderr" },
	{ 0 },
};
