/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters for the field Forwarded (RFC 7239): of one element, of one node, and into the parts of
 * one. What is valid is said by http/rfc7239.h. */
#include "base/err.h"
#include "expr/rfc7239.h"
#include "expr/tables.h"
#include "http/rfc7239.h"

static bool convert_is_valid(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	struct rfc7239 parts;

	(void)args;
	(void)view;
	(void)row;
	smp->num = rfc7239_parse(smp->str, &parts);
	smp->type = SMP_BOOL;
	return true;
}

static int check_field(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	enum rfc7239_name name = rfc7239_name_find(args[0].str);

	(void)ctx;
	if (name == RFC7239_NAMES)
		return err_set(err,
			       "'%s' is no parameter of the field Forwarded: by, for, host and "
			       "proto are",
			       args[0].str.ptr);
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = name };
	return 0;
}

static bool convert_field(const struct expr_arg *args, struct sample *smp,
			  const struct view *view, const struct converter *row)
{
	struct rfc7239 parts;

	(void)view;
	(void)row;
	if (!rfc7239_parse(smp->str, &parts))
		return false;
	smp->str = parts.value[args[0].num];
	return smp->str.ptr != NULL;
}

static bool convert_node_name(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	struct rfc7239_node node;

	(void)args;
	(void)view;
	(void)row;
	if (!rfc7239_node_parse(smp->str, &node))
		return false;
	if (node.family == AF_INET) {
		smp->type = SMP_IPV4;
		smp->v4 = node.v4;
	} else if (node.family == AF_INET6) {
		smp->type = SMP_IPV6;
		smp->v6 = node.v6;
	} else {
		smp->str = node.name;
	}
	return true;
}

static bool convert_node_port(const struct expr_arg *args, struct sample *smp,
			      const struct view *view, const struct converter *row)
{
	struct rfc7239_node node;

	(void)args;
	(void)view;
	(void)row;
	if (!rfc7239_node_parse(smp->str, &node))
		return false;
	if (node.port) {
		smp->type = SMP_INT;
		smp->num = node.port;
		return true;
	}
	smp->str = node.port_name;
	return smp->str.ptr != NULL;
}

/* -- making them ------------------------------------------------------------------------ */

void rfc7239_put_sample_node(struct text *t, struct sample *smp)
{
	if (smp->type == SMP_IPV4)
		rfc7239_put_v4(t, smp->v4);
	else if (smp->type == SMP_IPV6)
		rfc7239_put_v6(t, &smp->v6);
	else
		rfc7239_put_node(t, sample_cast(smp, SMP_STR) ? smp->str : span_of(""));
}

bool rfc7239_put_sample_port(struct text *t, struct sample *smp)
{
	return sample_cast(smp, SMP_STR) && rfc7239_put_port(t, smp->str);
}

enum { TO_NAME, TO_PORT };

static bool convert_to(const struct expr_arg *args, struct sample *smp, const struct view *view,
		       const struct converter *row)
{
	struct text t;

	(void)args;
	(void)view;
	text_init(&t, expr_scratch(), expr_scratch_size);
	if (row->data == TO_NAME)
		rfc7239_put_sample_node(&t, smp);
	else if (!rfc7239_put_sample_port(&t, smp))
		return false;
	smp->type = SMP_STR;
	smp->str = (struct span){ t.ptr, t.len };
	smp->flags &= ~(unsigned)SMP_CONST;
	return !t.cut;
}

const struct converter converter_rfc7239[] = {
	{ "rfc7239_field", ARGS(1, ARG_STR), SMP_STR, SMP_STR, convert_field, check_field,
	  .help = "by, for, host or proto of an element of Forwarded (RFC 7239)" },
	{ "rfc7239_is_valid", { 0 }, SMP_STR, SMP_BOOL, convert_is_valid,
	  .help = "is it a valid element of Forwarded (RFC 7239)?" },
	{ "rfc7239_n2nn", { 0 }, SMP_STR, SMP_ANY, convert_node_name,
	  .help = "who is named by a node of Forwarded: an address, unknown or _name" },
	{ "rfc7239_n2np", { 0 }, SMP_STR, SMP_ANY, convert_node_port,
	  .help = "port in a node of Forwarded: a number or _name" },
	{ "rfc7239_nn", { 0 }, SMP_ANY, SMP_STR, convert_to, .data = TO_NAME,
	  .help = "an address or a name as a node for Forwarded" },
	{ "rfc7239_np", { 0 }, SMP_ANY, SMP_STR, convert_to, .data = TO_PORT,
	  .help = "a number or a name as a port for Forwarded" },
	{ 0 },
};
