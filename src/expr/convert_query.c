/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters that pick a value out of JSON (RFC 8259) or out of a JSON Web Token (RFC 7519), by a
 * path such as "$.user.roles[0]" (manual 7.3.1). The text is walked, not stored; what is
 * malformed on the way there is no value. Signatures are not verified here. */
#include "base/arena.h"
#include "base/err.h"
#include "base/json.h"
#include "expr/tables.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { NUMBER_LONGEST = 64 };

/* -- paths ------------------------------------------------------------------------------ */

/* A path, parsed. */
struct step {
	struct step *next;
	struct span name; /* ptr NULL: of an array */
	uint64_t index;
};

/* Behind the name at p. */
static const char *name_end(const char *p)
{
	for (; *p && *p != '.' && *p != '['; p++)
		if (*p == '\\' && p[1])
			p++;
	return p;
}

static const char *parse_name(struct arena *arena, const char *p, struct step *step)
{
	const char *end = name_end(p);
	char *name = arena_alloc(arena, (size_t)(end - p) + 1);
	size_t n = 0;

	if (!name)
		return NULL;
	while (p < end) {
		if (*p == '\\' && p[1])
			p++;
		name[n++] = *p++;
	}
	step->name = (struct span){ name, n };
	return n ? end : NULL;
}

static const char *parse_index(const char *p, struct step *step)
{
	if (!isdigit((unsigned char)*p))
		return NULL;
	for (; isdigit((unsigned char)*p); p++)
		step->index = step->index < 1000000 ? step->index * 10 + (uint64_t)(*p - '0')
						    : step->index;
	return *p == ']' ? p + 1 : NULL;
}

static int parse_path(const char *text, struct arena *arena, struct step **first, struct err *err)
{
	struct step **tail = first, *step;
	const char *p = text;

	if (*p == '$')
		p++;
	else
		p = NULL;
	while (p && *p) {
		step = *tail = arena_alloc(arena, sizeof(*step));
		if (!step)
			return err_set(err, "out of memory");
		tail = &step->next;
		if (*p == '.')
			p = parse_name(arena, p + 1, step);
		else
			p = *p == '[' ? parse_index(p + 1, step) : NULL;
	}
	if (!p)
		return err_set(err, "'%s' is no path in JSON, such as $.name or $.list[0].name", text);
	return 0;
}

/* Argument 0 becomes the path, argument 1 whether an integer is wanted. */
static int check_path(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	struct step *first = NULL;

	if (args[1].type == ARG_STR && strcmp(args[1].str.ptr, "int"))
		return err_set(err, "the type of the result can only be 'int', not '%s'",
			       args[1].str.ptr);
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = args[1].type == ARG_STR };
	if (args[0].type == ARG_NONE)
		return 0;
	if (parse_path(args[0].str.ptr, ctx->arena, &first, err))
		return -1;
	args[0] = (struct expr_arg){ .type = ARG_PTR, .ptr = first };
	return 0;
}

/* -- values ----------------------------------------------------------------------------- */

static bool string_value(struct span raw, struct sample *smp)
{
	struct text t;

	text_init(&t, expr_scratch(), expr_scratch_size);
	if (!json_unescape(raw, &t) || t.cut)
		return false;
	smp->type = SMP_STR;
	smp->str = (struct span){ t.ptr, t.len };
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

static bool number_value(struct span raw, bool integer, struct sample *smp)
{
	char text[NUMBER_LONGEST], *end;
	int64_t num;
	double real;

	if (raw.len >= sizeof(text))
		return false;
	memcpy(text, raw.ptr, raw.len);
	text[raw.len] = 0;
	real = strtod(text, &end);
	if (*end)
		return false;
	if (str_to_int(text, INT64_MIN, INT64_MAX, &num) || integer) {
		if (!str_to_int(text, INT64_MIN, INT64_MAX, &num)) {
			if (!(real > -9.2e18 && real < 9.2e18))
				return false;
			num = (int64_t)real;
		}
		smp->type = SMP_INT;
		smp->num = num;
		return integer || sample_cast(smp, SMP_STR);
	}
	smp->type = SMP_STR;
	smp->str.ptr = expr_scratch();
	smp->str.len = (size_t)snprintf((char *)smp->str.ptr, expr_scratch_size, "%.15g", real);
	return true;
}

static bool json_value(struct json *j, bool integer, struct sample *smp)
{
	struct span raw;

	json_blanks(j);
	raw.ptr = j->p;
	if (j->p == j->end || *j->p == '{' || *j->p == '[')
		return false;
	if (*j->p == '"')
		return json_string(j, &raw) && string_value(raw, smp);
	if (!json_skip(j))
		return false;
	raw.len = (size_t)(j->p - raw.ptr);
	if (*raw.ptr == '-' || isdigit((unsigned char)*raw.ptr))
		return number_value(raw, integer, smp);
	smp->type = SMP_BOOL;
	smp->num = span_equal(raw, span_of("true"));
	return smp->num || span_equal(raw, span_of("false"));
}

static bool convert_json_query(const struct expr_arg *args, struct sample *smp,
			       const struct view *view, const struct converter *row)
{
	struct json j = { smp->str.ptr, smp->str.ptr + smp->str.len };
	const struct step *step;

	(void)view;
	(void)row;
	for (step = args[0].ptr; step; step = step->next)
		if (!(step->name.ptr ? json_member(&j, step->name) : json_element(&j, step->index)))
			return false;
	return json_value(&j, args[1].num, smp);
}

/* -- tokens ----------------------------------------------------------------------------- */

enum { JWT_HEADER, JWT_PAYLOAD };

/* The part number n between dots, decoded; without a path as it is. */
static bool convert_jwt(const struct expr_arg *args, struct sample *smp, const struct view *view,
			const struct converter *row)
{
	const struct converter *decode = expr_converter_find(span_of("ub64dec"));
	const char *p = smp->str.ptr, *end = p + smp->str.len, *dot[2];
	int part;

	for (part = 0; part < 2; part++) {
		dot[part] = p < end ? memchr(p, '.', (size_t)(end - p)) : NULL;
		if (!dot[part])
			return false;
		p = dot[part] + 1;
	}
	if (row->data == JWT_HEADER)
		smp->str.len = (size_t)(dot[0] - smp->str.ptr);
	else
		smp->str = (struct span){ dot[0] + 1, (size_t)(dot[1] - dot[0] - 1) };
	if (!decode->run(NULL, smp, view, decode))
		return false;
	if (args[0].type == ARG_PTR)
		return convert_json_query(args, smp, view, row);
	smp->type = SMP_STR;
	return true;
}

#define QUERY(name, need, run, what, text)                                                    \
	{ name, ARGS(need, ARG_STR, ARG_STR), SMP_STR, SMP_ANY, run, check_path,               \
	  .data = what, .help = text }

const struct converter converter_query[] = {
	QUERY("json_query", 1, convert_json_query, 0, "value in JSON by its path"),
	QUERY("jwt_header_query", 0, convert_jwt, JWT_HEADER,
	      "value in the header of a JSON Web Token, or all of it"),
	QUERY("jwt_payload_query", 0, convert_jwt, JWT_PAYLOAD,
	      "value in the payload of a JSON Web Token, or all of it"),
	{ 0 },
};
