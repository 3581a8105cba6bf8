/* SPDX-License-Identifier: BSD-2-Clause */
/* Converters that concern HTTP (manual 7.3.1): choosing a language, keeping a value in a
 * capture. */
#include "base/err.h"
#include "expr/capture.h"
#include "expr/tables.h"

#include <ctype.h>

/* -- language --------------------------------------------------------------------------- */

enum { QUALITY_ONE = 1000 };

static void skip_blanks(const char **p, const char *end)
{
	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
}

/* "0.5" as 500 (RFC 9110 12.4.2); what is no number counts as 1. */
static int quality_number(const char *p, const char *end)
{
	int q = 0, unit = QUALITY_ONE;

	if (p == end || !isdigit((unsigned char)*p))
		return QUALITY_ONE;
	if (*p++ != '0')
		return QUALITY_ONE;
	if (p < end && *p == '.')
		for (p++; p < end && isdigit((unsigned char)*p) && unit > 1; p++)
			q += (*p - '0') * (unit /= 10);
	return q;
}

/* Of "en-gb;q=0.8": the parameters behind the name. */
static int quality_of(const char *p, const char *end)
{
	while (p < end) {
		p++; /* ';' */
		skip_blanks(&p, end);
		if (end - p >= 2 && (*p == 'q' || *p == 'Q') && p[1] == '=')
			return quality_number(p + 2, end);
		while (p < end && *p != ';')
			p++;
	}
	return QUALITY_ONE;
}

/* The element of "en;fr;de" that is the word; ptr NULL: none is. */
static struct span list_find(struct span list, struct span word)
{
	const char *p = list.ptr, *end = p + list.len, *from;

	while (p < end) {
		from = p;
		while (p < end && *p != ';')
			p++;
		if (span_equal((struct span){ from, (size_t)(p - from) }, word))
			return (struct span){ from, word.len };
		if (p < end)
			p++;
	}
	return (struct span){ NULL, 0 };
}

/* The language, or without its variant: "en-gb", "en". */
static struct span language_find(struct span list, struct span language)
{
	struct span found = list_find(list, language);
	const char *dash = memchr(language.ptr, '-', language.len);

	if (found.ptr || !dash)
		return found;
	language.len = (size_t)(dash - language.ptr);
	return list_find(list, language);
}

static bool convert_language(const struct expr_arg *args, struct sample *smp,
			     const struct view *view, const struct converter *row)
{
	const char *p = smp->str.ptr, *end = p + smp->str.len, *from, *name, *stop;
	struct span best = { NULL, 0 }, found;
	int best_quality = 0, quality;

	(void)view;
	(void)row;
	while (p < end) {
		skip_blanks(&p, end);
		for (from = p; p < end && *p != ','; p++)
			;
		stop = p;
		for (name = from; name < stop && *name != ';' && *name != ' '; name++)
			;
		found = language_find(args[0].str, (struct span){ from, (size_t)(name - from) });
		while (name < stop && *name == ' ')
			name++;
		quality = quality_of(name, stop);
		if (found.ptr && found.len && quality > best_quality) {
			best = found;
			best_quality = quality;
		}
		if (p < end)
			p++;
	}
	if (!best.ptr && args[1].type == ARG_STR)
		best = args[1].str;
	smp->str = best;
	smp->flags |= SMP_CONST;
	return best.ptr != NULL;
}

/* -- captures --------------------------------------------------------------------------- */

enum { TO_REQUEST, TO_RESPONSE };

static int check_index(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	return args[0].num < 0 ? err_set(err, "the index of a capture is 0 or more") : 0;
}

/* The value stays as it is; without the slot there is none. */
static bool convert_capture(const struct expr_arg *args, struct sample *smp,
			    const struct view *view, const struct converter *row)
{
	return capture_store(view, row->data == TO_RESPONSE, (uint64_t)args[0].num, smp->str);
}

#define CAPTURE(name, whose, text)                                                            \
	{ name, ARGS(1, ARG_INT), SMP_STR, SMP_STR, convert_capture, check_index,              \
	  .data = whose, .help = text }

const struct converter converter_http[] = {
	CAPTURE("capture-req", TO_REQUEST, "keeps the value in a capture of the request"),
	CAPTURE("capture-res", TO_RESPONSE, "keeps the value in a capture of the response"),
	{ "language", ARGS(1, ARG_STR, ARG_STR), SMP_STR, SMP_STR, convert_language,
	  .help = "the best of some languages for an Accept-Language field" },
	{ 0 },
};
