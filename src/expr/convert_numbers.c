/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters of numbers and truth values (manual 7.3.1). Sums and products stop at the limits
 * of the type. */
#include "base/err.h"
#include "expr/tables.h"
#include "expr/vars.h"

/* An operand is a number, or a variable that is read when it is needed. */
static int check_operand(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct span text = args[0].str;
	int64_t num = 0;

	(void)ctx;
	if (text.len && !str_to_int(text.ptr + (*text.ptr == '+'), INT64_MIN, INT64_MAX, &num)) {
		const struct var_name *var = var_name(text, NULL);

		if (!var)
			return err_set(err, "a number or the name of a variable is expected, not "
					    "'%s'", text.ptr);
		args[0] = (struct expr_arg){ .type = ARG_VAR, .var = var };
		return 0;
	}
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = num };
	return 0;
}

static bool operand(const struct expr_arg *arg, const struct view *view, int64_t *num)
{
	struct sample value = { .flags = 0 };

	if (arg->type == ARG_INT) {
		*num = arg->num;
		return true;
	}
	if (!var_get(arg->var, view, &value) || !sample_cast(&value, SMP_INT))
		return false;
	*num = value.num;
	return true;
}

static int64_t saturate_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

static int64_t saturate_sub(int64_t a, int64_t b)
{
	int64_t difference;

	if (__builtin_sub_overflow(a, b, &difference))
		return a < 0 ? INT64_MIN : INT64_MAX;
	return difference;
}

static int64_t saturate_mul(int64_t a, int64_t b)
{
	int64_t product;

	if (__builtin_mul_overflow(a, b, &product))
		return (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
	return product;
}

static int64_t divide(int64_t a, int64_t b)
{
	if (!b || (a == INT64_MIN && b == -1))
		return INT64_MAX;
	return a / b;
}

static int64_t remainder_of(int64_t a, int64_t b)
{
	if (!b || b == -1)
		return 0;
	return a % b;
}

enum { OP_ADD, OP_AND, OP_DIV, OP_MOD, OP_MUL, OP_OR, OP_SUB, OP_XOR };

static bool convert_arithmetic(const struct expr_arg *args, struct sample *smp,
			       const struct view *view, const struct converter *row)
{
	int64_t b;

	if (!operand(&args[0], view, &b))
		return false;
	switch (row->data) {
	case OP_ADD:
		smp->num = saturate_add(smp->num, b);
		break;
	case OP_AND:
		smp->num &= b;
		break;
	case OP_DIV:
		smp->num = divide(smp->num, b);
		break;
	case OP_MOD:
		smp->num = remainder_of(smp->num, b);
		break;
	case OP_MUL:
		smp->num = saturate_mul(smp->num, b);
		break;
	case OP_OR:
		smp->num |= b;
		break;
	case OP_SUB:
		smp->num = saturate_sub(smp->num, b);
		break;
	case OP_XOR:
		smp->num ^= b;
		break;
	}
	return true;
}

enum { OP_BOOL, OP_CPL, OP_EVEN, OP_NEG, OP_NOT, OP_ODD };

static bool convert_unary(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	(void)args;
	(void)view;
	switch (row->data) {
	case OP_BOOL:
		smp->num = smp->num != 0;
		break;
	case OP_CPL:
		smp->num = ~smp->num;
		break;
	case OP_EVEN:
		smp->num = !(smp->num & 1);
		break;
	case OP_NEG:
		smp->num = saturate_sub(0, smp->num);
		break;
	case OP_NOT:
		smp->num = !smp->num;
		break;
	case OP_ODD:
		smp->num &= 1;
		break;
	}
	smp->type = row->out;
	return true;
}

static bool convert_iif(const struct expr_arg *args, struct sample *smp, const struct view *view,
			const struct converter *row)
{
	(void)view;
	(void)row;
	smp->str = args[smp->num ? 0 : 1].str;
	smp->type = SMP_STR;
	smp->flags |= SMP_CONST;
	return true;
}

#define ARITHMETIC(name, op, text)                                                            \
	{ name, ARGS(1, ARG_STR), SMP_INT, SMP_INT, convert_arithmetic, check_operand,         \
	  .data = op, .help = text }
#define UNARY(name, to, op, text)                                                             \
	{ name, { 0 }, SMP_INT, to, convert_unary, .data = op, .help = text }

const struct converter converter_numbers[] = {
	ARITHMETIC("add", OP_ADD, "adds a number or variable"),
	ARITHMETIC("and", OP_AND, "bits set in both"),
	UNARY("bool", SMP_BOOL, OP_BOOL, "is it not zero?"),
	UNARY("cpl", SMP_INT, OP_CPL, "flips all bits"),
	ARITHMETIC("div", OP_DIV, "divides by a number or variable"),
	UNARY("even", SMP_BOOL, OP_EVEN, "is it even?"),
	{ "iif", ARGS(2, ARG_STR, ARG_STR), SMP_BOOL, SMP_STR, convert_iif,
	  .help = "the first text if it is true, else the second" },
	ARITHMETIC("mod", OP_MOD, "remainder of the division by a number or variable"),
	ARITHMETIC("mul", OP_MUL, "multiplies by a number or variable"),
	UNARY("neg", SMP_INT, OP_NEG, "changes the sign"),
	UNARY("not", SMP_BOOL, OP_NOT, "is it zero?"),
	UNARY("odd", SMP_BOOL, OP_ODD, "is it odd?"),
	ARITHMETIC("or", OP_OR, "bits set in either"),
	ARITHMETIC("sub", OP_SUB, "subtracts a number or variable"),
	ARITHMETIC("xor", OP_XOR, "bits set in one of both"),
	{ 0 },
};
