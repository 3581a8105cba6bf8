/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as text for people, and as JSON (doc/internals/explain.md has its schema). */
#ifndef EXPLAIN_SAY_H
#define EXPLAIN_SAY_H

#include <stdbool.h>
#include <stdio.h>

struct record;
struct entry;

struct say {
	FILE *out;
	bool colour;
	bool words;           /* there are words for more: -v */
	const char *file;     /* that of the section; NULL: none was shown */
	bool all;             /* rules that did not hold, values of all samples */
	unsigned passed_over; /* rules that did not hold and were not shown, since the last shown */
};

enum said_as { SAY_TITLE, SAY_GOOD, SAY_BAD, SAY_DIM, SAY_PLAIN };
/* Colour from here on; SAY_PLAIN: no more. */
void say_as(const struct say *say, enum said_as how);
/* From that one on, which may be NULL, and its siblings. */
void say_entries(struct say *say, const struct entry *t);
/* The lines of a log, each on a line of its own. */
void say_log(const struct say *say, const char *log);
/* How many rules were not shown, if there were some. */
void say_passed_over(struct say *say);

/* The same as an array. */
void say_json_entries(FILE *out, const struct entry *t);
/* A string of JSON, or null. */
void say_json_string(FILE *out, const char *text);

#endif
