/* SPDX-License-Identifier: BSD-2-Clause */
/* Maps: converters that look a sample up in a file of keys and values (manual 7.3.1 "map").
 * Files are read, and their values converted, while the configuration is read. */
#include "base/arena.h"
#include "base/err.h"
#include "config/config.h"
#include "expr/pattern.h"
#include "expr/pattern_ref.h"
#include "expr/regex.h"
#include "expr/tables.h"

#include <arpa/inet.h>

/* A value or default that is no string. */
struct map_value {
	enum sample_type type;
	union {
		int64_t num;
		struct in_addr v4;
		struct in6_addr v6;
	};
};

/* row->data. */
enum { OUT_VALUE, OUT_GROUPS };

/* -- values ----------------------------------------------------------------------------- */

static bool map_to_int(const char *text, struct map_value *value)
{
	value->type = SMP_INT;
	return str_to_int(text, INT64_MIN, INT64_MAX, &value->num);
}

static bool map_to_ip(const char *text, struct map_value *value)
{
	value->type = SMP_IPV4;
	if (inet_pton(AF_INET, text, &value->v4) == 1)
		return true;
	value->type = SMP_IPV6;
	return inet_pton(AF_INET6, text, &value->v6) == 1;
}

static int map_convert_int(const char *text, const char *value, void **data, struct arena *arena,
			   struct err *err)
{
	*data = arena_alloc(arena, sizeof(struct map_value));
	if (*data && map_to_int(value, *data))
		return 0;
	return err_set(err, "the value '%s' of '%s' is no number", value, text);
}

static int map_convert_ip(const char *text, const char *value, void **data, struct arena *arena,
			   struct err *err)
{
	*data = arena_alloc(arena, sizeof(struct map_value));
	if (*data && map_to_ip(value, *data))
		return 0;
	return err_set(err, "the value '%s' of '%s' is no address", value, text);
}

/* The default that argument 1 gives, where it must be an address. */
static int map_default_ip(struct expr_arg *arg, const struct expr_context *ctx, struct err *err)
{
	struct map_value *value = arena_alloc(ctx->arena, sizeof(*value));

	if (!value)
		return err_set(err, "out of memory");
	if (arg->type == ARG_NONE)
		return 0;
	if (!map_to_ip(arg->str.ptr, value))
		return err_set(err, "the default '%s' is no address", arg->str.ptr);
	*arg = (struct expr_arg){ .type = ARG_PTR, .ptr = value };
	return 0;
}

/* -- loading ---------------------------------------------------------------------------- */

static int map_load_flagged(struct expr_arg *args, const struct expr_context *ctx, enum match match,
			    pattern_convert *convert, unsigned flags, struct err *err)
{
	struct pattern_set *set;

	if (ctx->no_files)
		return err_set(err, "maps are read with the configuration: a script uses the class Map");
	set = pattern_set_new(match, ctx->arena);
	if (ctx->cfg && ctx->cfg->check_only)
		flags |= PATTERN_TRUST_NAMES;
	set->convert = convert;
	if (pattern_ref_load(ctx->cfg, &ctx->loc, set, args[0].str.ptr, flags, false, err))
		return -1;
	if (ctx->cfg)
		pattern_warn_unresolved(ctx->cfg, &ctx->loc, set);
	args[0] = (struct expr_arg){ .type = ARG_PTR, .ptr = set };
	return 0;
}

static int map_load(struct expr_arg *args, const struct expr_context *ctx, enum match match,
		    pattern_convert *convert, struct err *err)
{
	return map_load_flagged(args, ctx, match, convert, PATTERN_MAP, err);
}

/* A check for each method and result: the row itself is not known to it. */
#define CHECK(name, match)                                                                    \
	static int check_##name(struct expr_arg *args, const struct expr_context *ctx,         \
				struct err *err)                                               \
	{                                                                                     \
		return map_load(args, ctx, match, NULL, err);                                  \
	}                                                                                     \
	static int check_##name##_int(struct expr_arg *args, const struct expr_context *ctx,   \
				      struct err *err)                                         \
	{                                                                                     \
		return map_load(args, ctx, match, map_convert_int, err);                       \
	}                                                                                     \
	static int check_##name##_ip(struct expr_arg *args, const struct expr_context *ctx,    \
				     struct err *err)                                          \
	{                                                                                     \
		if (map_default_ip(&args[1], ctx, err))                                        \
			return -1;                                                             \
		return map_load(args, ctx, match, map_convert_ip, err);                        \
	}

CHECK(beg, MATCH_BEG)
CHECK(dir, MATCH_DIR)
CHECK(dom, MATCH_DOM)
CHECK(end, MATCH_END)
CHECK(int, MATCH_INT)
CHECK(ip, MATCH_IP)
CHECK(reg, MATCH_REG)
CHECK(str, MATCH_STR)
CHECK(sub, MATCH_SUB)

static int check_regm(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	return map_load_flagged(args, ctx, MATCH_REG, NULL, PATTERN_MAP | PATTERN_GROUPS, err);
}

/* -- looking up ------------------------------------------------------------------------- */

static bool map_give(struct sample *smp, const struct map_value *value)
{
	smp->type = value->type;
	if (value->type == SMP_INT)
		smp->num = value->num;
	else if (value->type == SMP_IPV4)
		smp->v4 = value->v4;
	else
		smp->v6 = value->v6;
	return true;
}

static bool map_give_default(struct sample *smp, const struct expr_arg *arg)
{
	switch (arg->type) {
	case ARG_STR:
		smp->type = SMP_STR;
		smp->str = arg->str;
		smp->flags |= SMP_CONST;
		return true;
	case ARG_INT:
		smp->type = SMP_INT;
		smp->num = arg->num;
		return true;
	case ARG_PTR:
		return map_give(smp, arg->ptr);
	default:
		return false;
	}
}

/* The value with "\1" and the like replaced by what the expression matched. */
static bool map_give_groups(struct sample *smp, const struct pattern *p)
{
	struct regex_match match;
	struct text t;

	if (!regex_find(p->regex, smp->str, 0, &match))
		return false;
	text_init(&t, expr_scratch(), expr_scratch_size);
	regex_expand(&t, span_of(p->value), &match);
	smp->str = (struct span){ t.ptr, t.len };
	smp->flags &= ~(unsigned)SMP_CONST;
	return !t.cut;
}

static bool convert_map(const struct expr_arg *args, struct sample *smp, const struct view *view,
			const struct converter *row)
{
	uint64_t given_up = regex_given_up;
	const struct pattern *p = pattern_match(args[0].ptr, smp);

	(void)view;
	if (regex_given_up != given_up) /* an earlier one may have matched, too */
		return false;
	if (!p)
		return map_give_default(smp, &args[1]);
	if (row->data == OUT_GROUPS)
		return map_give_groups(smp, p);
	if (p->data)
		return map_give(smp, p->data);
	smp->type = SMP_STR;
	smp->str = span_of(p->value);
	smp->flags |= SMP_CONST;
	return true;
}

#define MAP(method, in)                                                                       \
	{ "map_" #method, ARGS(1, ARG_STR, ARG_STR), in, SMP_STR, convert_map,                 \
	  check_##method, .help = "looks up in a file: text" },                                \
	{ "map_" #method "_int", ARGS(1, ARG_STR, ARG_INT), in, SMP_INT, convert_map,          \
	  check_##method##_int, .help = "looks up in a file: number" },                        \
	{ "map_" #method "_ip", ARGS(1, ARG_STR, ARG_STR), in, SMP_ADDR, convert_map,          \
	  check_##method##_ip, .help = "looks up in a file: address" }

const struct converter converter_maps[] = {
	{ "map", ARGS(1, ARG_STR, ARG_STR), SMP_STR, SMP_STR, convert_map, check_str,
	  .help = "as map_str" },
	MAP(beg, SMP_STR),
	MAP(dir, SMP_STR),
	MAP(dom, SMP_STR),
	MAP(end, SMP_STR),
	MAP(int, SMP_INT),
	MAP(ip, SMP_ADDR),
	MAP(reg, SMP_STR),
	{ "map_regm", ARGS(1, ARG_STR, ARG_STR), SMP_STR, SMP_STR, convert_map, check_regm,
	  .data = OUT_GROUPS, .help = "looks up in a file: text with \\1 ... replaced" },
	MAP(str, SMP_STR),
	MAP(sub, SMP_STR),
	{ 0 },
};
