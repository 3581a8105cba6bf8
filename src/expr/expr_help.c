/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints the tables for people and tools. Called by main() and by -dK. */
#include "expr/expr_help.h"

#include "base/tables.h"
#include "expr/acl.h"
#include "expr/arg.h"
#include "expr/logformat_alias.h"
#include "expr/names.h"

#include <string.h>

static void print_args(FILE *out, const struct arg_spec *spec)
{
	unsigned i;

	if (!spec->types[0])
		return;
	fputs(spec->need ? "(" : "[(", out);
	for (i = 0; i < ARG_MAX && spec->types[i]; i++)
		fprintf(out, "%s%s%s", i && i == spec->need ? "[" : "", i ? "," : "",
			arg_type_name(spec->types[i]));
	if (spec->need && i > spec->need)
		fputc(']', out);
	fputs(spec->need ? ")" : ")]", out);
}

static void print_fetch(FILE *out, const struct fetch *row)
{
	fputs(row->name, out);
	print_args(out, &row->args);
	fprintf(out, ": %s", sample_type_name(row->type));
}

static void print_converter(FILE *out, const struct converter *row)
{
	fputs(row->name, out);
	print_args(out, &row->args);
	fprintf(out, ": %s to %s", sample_type_name(row->in), sample_type_name(row->out));
}

void expr_dump_fetches(FILE *out)
{
	const struct fetch *row;
	struct tables_walk walk = { 0 };

	while ((row = expr_fetch_next(&walk))) {
		fputc('\t', out);
		print_fetch(out, row);
		fputc('\n', out);
	}
}

void expr_dump_converters(FILE *out)
{
	const struct converter *row;
	struct tables_walk walk = { 0 };

	while ((row = expr_converter_next(&walk))) {
		fputc('\t', out);
		print_converter(out, row);
		fputc('\n', out);
	}
}

void expr_dump_acls(FILE *out)
{
	const struct acl_predefined *p;
	const struct acl_word *w;

	for (w = acl_words; w->name; w++) {
		if (w->match == MATCH_VERSION)
			fprintf(out, "\t%s = %s, compared as major.minor\n", w->name, w->fetch);
		else
			fprintf(out, "\t%s = %s -m %s\n", w->name, w->fetch, match_name(w->match));
	}
	for (p = acl_predefined; p->name; p++)
		fprintf(out, "\t%s = %s\n", p->name, p->words);
}

/* Where a fetch finds something. */
static void print_places(FILE *out, unsigned where)
{
	static const struct {
		unsigned place;
		const char *name;
	} places[] = {
		{ AT_CONFIG, "configuration" }, { AT_CONN, "connection" },
		{ AT_SESSION, "session" },      { AT_REQUEST, "request" },
		{ AT_SERVER, "backend" },       { AT_RESPONSE, "response" },
		{ AT_LOG, "log" },              { AT_CHECK, "check" },
	};
	const char *comma = "";
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (where & places[i].place) {
			fprintf(out, "%s%s", comma, places[i].name);
			comma = ", ";
		}
	}
}

/* Words that stand in ACLs alone. */
static bool help_acl(FILE *out, const char *word, bool any)
{
	const struct acl_predefined *p;
	const struct acl_word *w;

	for (w = acl_words; w->name; w++)
		if (!strcmp(w->name, word) && !expr_fetch_find(span_of(word))) {
			fprintf(out, "%sACL criterion %s\n  the same as: %s -m %s\n",
				any ? "\n" : "", w->name, w->fetch, match_name(w->match));
			return true;
		}
	for (p = acl_predefined; p->name; p++)
		if (!strcmp(p->name, word)) {
			fprintf(out, "%sACL %s, which needs no line 'acl'\n  the same as: %s\n",
				any ? "\n" : "", p->name, p->words);
			return true;
		}
	return false;
}

/* "%TR", with or without the sign. */
static bool help_alias(FILE *out, const char *word, bool any)
{
	bool sign = *word == '%';
	const struct alias *row = alias_find(span_of(word + sign));

	/* Short ones are words of other kinds, too: those want the sign. */
	if (!row || (!sign && any))
		return false;
	fprintf(out, "%salias %%%s of log formats\n  %s%s\n", any ? "\n" : "", row->name, row->help,
		row->traits & ALIAS_HTTP ? " (mode http)" : "");
	return true;
}

bool expr_help_word(FILE *out, const char *word, bool any)
{
	const struct fetch *fetch = expr_fetch_find(span_of(word));
	const struct converter *converter = expr_converter_find(span_of(word));
	bool known;

	if ((fetch || converter) && any)
		fputc('\n', out);
	if (fetch) {
		fputs("fetch ", out);
		print_fetch(out, fetch);
		fputs("\n  at:      ", out);
		print_places(out, fetch->where);
		fprintf(out, "\n  %s\n", fetch->help);
	}
	if (converter) {
		fputs(fetch ? "\nconverter " : "converter ", out);
		print_converter(out, converter);
		fprintf(out, "\n  %s\n", converter->help);
	}
	known = fetch || converter;
	known = help_acl(out, word, any || known) || known;
	return help_alias(out, word, any || known) || known;
}

void expr_help_nearest(FILE *out, const char *word)
{
	const char *fetch = fetch_nearest(span_of(word));
	const char *converter = converter_nearest(span_of(word));

	if (fetch)
		fprintf(out, "did you mean the fetch '%s'?\n", fetch);
	if (converter)
		fprintf(out, "did you mean the converter '%s'?\n", converter);
}
