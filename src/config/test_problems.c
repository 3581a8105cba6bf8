/* SPDX-License-Identifier: BSD-2-Clause */
/* What is said of configurations, for unit tests (config/test_problems.h). */
#include "config/test_problems.h"

#include "config/config.h"
#include "config/diag.h"
#include "config/load.h"
#include "config/module.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char before[] = "defaults\n mode http\n timeout client 5s\n timeout server 5s\n"
			     " timeout connect 5s\n";
enum { LINES_BEFORE = 5 };

/* Does the caret stand under that word? A word may have quotes. */
static bool is_at(const char *caret, const char *word, size_t len)
{
	return !strncmp(caret + (*caret == '"'), word, len);
}

/* Where the caret stands instead, if the message begins with another word of the line. */
static void print_odd_place(const struct problem *p, FILE *out)
{
	const char *word = p->message + 1, *end, *caret;
	const struct place *place = &p->place;

	end = *p->message == '\'' ? strchr(word, '\'') : NULL;
	if (!end || !place->text || !place->column ||
	    !memmem(place->text, strlen(place->text), word, (size_t)(end - word)))
		return;
	caret = place->text + place->column - 1;
	if (!is_at(caret, word, (size_t)(end - word)))
		fprintf(out, " at %.*s", (int)strcspn(caret, " "), caret);
}

static char *problems_of(const struct diag *diag)
{
	const struct problem *p;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	for (p = diag->first; p; p = p->next) {
		if (!strcmp(p->place.file, "test"))
			fprintf(out, "%u", p->place.line - LINES_BEFORE);
		else
			fprintf(out, "%s:%u", p->place.file, p->place.line);
		fprintf(out, " %s", diag_severity_name(p->severity));
		print_odd_place(p, out);
		fprintf(out, ": %s\n", p->message);
	}
	fclose(out);
	return text;
}

struct config *config_said(const char *text, const char *expected)
{
	struct config *cfg = config_new(modules, true);
	size_t len = strlen(before) + strlen(text);
	char *whole = malloc(len + 1), *said;
	int rc;

	assert_non_null(cfg);
	assert_non_null(whole);
	cfg->diag->verbose = true;
	snprintf(whole, len + 1, "%s%s", before, text);
	config_read_text(cfg, "test", whole, len);
	rc = config_finish(cfg);
	assert_int_equal(rc, cfg->diag->count[DIAG_ERROR] ? -1 : 0);
	diag_sort(cfg->diag);
	said = problems_of(cfg->diag);
	assert_string_equal(said, expected);
	free(said);
	free(whole);
	return cfg;
}

void config_says(const char *text, const char *expected)
{
	struct config *cfg = config_said(text, expected);

	config_free(&cfg);
}
