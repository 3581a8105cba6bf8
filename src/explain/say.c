/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as text for people (explain/say.h): sections and their lines as they stand in the file,
 * with the number of the line in front; below a line what it looked at and what it did. Shows what
 * mattered, unless all is wanted: rules that held. Called by ask.c and by the stats socket. */
#include "explain/say.h"

#include "explain/record.h"
#include "explain/source.h"

#include <string.h>

void say_as(const struct say *say, enum said_as how)
{
	static const char *const codes[] = { [SAY_TITLE] = "1", [SAY_GOOD] = "32", [SAY_BAD] = "31",
					     [SAY_DIM] = "2", [SAY_PLAIN] = "0" };

	if (say->colour)
		fprintf(say->out, "\033[%sm", codes[how]);
}

__attribute__((format(printf, 3, 4)))
static void said(const struct say *say, enum said_as how, const char *format, ...)
{
	va_list ap;

	if (how != SAY_PLAIN)
		say_as(say, how);
	va_start(ap, format);
	vfprintf(say->out, format, ap);
	va_end(ap);
	if (how != SAY_PLAIN)
		say_as(say, SAY_PLAIN);
}

void say_passed_over(struct say *say)
{
	if (say->passed_over)
		said(say, SAY_DIM, "         (%u rule%s did not hold%s)\n", say->passed_over,
		     say->passed_over == 1 ? "" : "s", say->words ? ": see -v" : "");
	say->passed_over = 0;
}

/* "  12 + text": the mark says whether it held. */
static void say_line(const struct say *say, const struct entry *t)
{
	static const char marks[] = { [HELD_NO] = '-', [HELD_YES] = '+', [HELD_WAITS] = '.',
				      [HELD_UNKNOWN] = '?' };
	const char *text = source_line(&t->loc);

	said(say, SAY_DIM, "%6u", t->loc.line);
	said(say, t->held == HELD_YES ? SAY_GOOD : SAY_DIM, " %c ", marks[t->held]);
	said(say, t->held == HELD_YES ? SAY_PLAIN : SAY_DIM, "%s", text ? text : t->name);
	if (!text && t->kind == ENTRY_CHOICE && t->text)
		fprintf(say->out, " %s", t->text);
	if (t->loc.file && (!say->file || strcmp(say->file, t->loc.file) != 0))
		said(say, SAY_DIM, "   %s", source_name(t->loc.file));
}

static const char *held_word(enum entry_held held)
{
	static const char *const words[] = { [HELD_NO] = "no",
					     [HELD_YES] = "yes",
					     [HELD_WAITS] = "not known yet",
					     [HELD_UNKNOWN] = "unknown" };

	return words[held];
}

enum { INDENT = 9 };

static void say_inside(const struct say *say, const struct entry *t, unsigned depth)
{
	fprintf(say->out, "%*s", (int)(INDENT + 2 * depth), "");
	switch (t->kind) {
	case ENTRY_ACL:
		if (t->name)
			said(say, SAY_DIM, "acl %s: ", t->name);
		else
			said(say, SAY_DIM, "{ }: ");
		said(say, t->held == HELD_YES ? SAY_GOOD : SAY_DIM, "%s\n", held_word(t->held));
		break;
	case ENTRY_SAMPLE:
		said(say, SAY_DIM, "%s", t->name);
		if (t->text)
			said(say, SAY_PLAIN, " = %s\n", t->text);
		else
			said(say, SAY_DIM,
			     t->held == HELD_WAITS ? " is not known yet\n" : " finds nothing\n");
		break;
	case ENTRY_PATTERN:
		if (!t->text)
			said(say, SAY_DIM, "no entry matches\n");
		else if (t->before)
			said(say, SAY_PLAIN, "matches '%s', which gives '%s'\n", t->text,
			     t->before);
		else
			said(say, SAY_PLAIN, "matches '%s'\n", t->text);
		break;
	case ENTRY_VARIABLE:
		if (t->text)
			said(say, SAY_PLAIN, "%s := %s\n", t->name, t->text);
		else
			said(say, SAY_PLAIN, "%s is unset\n", t->name);
		break;
	case ENTRY_FIELD:
		if (t->before && t->text)
			said(say, SAY_GOOD, "%s: %s", t->name, t->text);
		else
			said(say, t->text ? SAY_GOOD : SAY_BAD, "%c %s: %s", t->text ? '+' : '-',
			     t->name, t->text ? t->text : t->before);
		if (t->before && t->text)
			said(say, SAY_DIM, "   (was: %s)", t->before);
		fputc('\n', say->out);
		break;
	case ENTRY_CAPTURE:
		said(say, SAY_PLAIN, "capture %s: %s\n", t->name, t->text);
		break;
	default:
		said(say, SAY_PLAIN, "%s%s%s\n", t->name ? t->name : "",
		     t->name && t->text ? ": " : "", t->text ? t->text : "");
	}
}

static bool matters(const struct entry *t)
{
	return t->kind != ENTRY_PATTERN || t->text;
}

static void say_children(const struct say *say, const struct entry *t, unsigned depth)
{
	for (t = t->children; t; t = t->next) {
		if (!say->all && !matters(t))
			continue;
		say_inside(say, t, depth);
		say_children(say, t, depth + 1);
	}
}

static void say_rule(struct say *say, const struct entry *t)
{
	if (t->held == HELD_NO && !say->all) {
		say->passed_over++;
		return;
	}
	say_passed_over(say);
	say_line(say, t);
	if (t->kind == ENTRY_CHOICE && t->text && !t->taken)
		said(say, SAY_BAD, "   (there is no '%s' to take)", t->text);
	if (t->result && strcmp(t->result, "next") != 0)
		said(say, SAY_BAD, "   -> %s", t->result);
	fputc('\n', say->out);
	say_children(say, t, 0);
}

static void say_server(const struct say *say, const struct entry *t)
{
	said(say, t->held == HELD_YES ? SAY_GOOD : SAY_PLAIN, "       %s %s",
	     t->held == HELD_YES ? "->" : "  ", t->name);
	fprintf(say->out, "  %s  weight %u", t->text, t->weight);
	said(say, strcmp(t->before, "up") ? SAY_BAD : SAY_PLAIN, "  %s%s\n", t->before,
	     t->taken ? ", backup" : "");
}

static void say_place(struct say *say, const struct entry *t)
{
	if (t->loc.file) {
		say->file = t->loc.file;
		said(say, SAY_DIM, "   %s:%u", source_name(t->loc.file), t->loc.line);
	}
	fputc('\n', say->out);
}

static void say_message(const struct say *say, const char *text)
{
	size_t len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		fprintf(say->out, "%*s%.*s\n", INDENT, "", (int)len, text);
	}
}

void say_log(const struct say *say, const char *log)
{
	say_message(say, log);
}

static void say_one(struct say *say, const struct entry *t)
{
	const struct entry *child;

	switch (t->kind) {
	case ENTRY_SECTION:
		say_passed_over(say);
		said(say, SAY_TITLE, "\n%s", t->name);
		if (t->text)
			said(say, SAY_TITLE, ", rules about the %s", t->text);
		say_place(say, t);
		say_entries(say, t->children);
		break;
	case ENTRY_RULE:
	case ENTRY_CHOICE:
		say_rule(say, t);
		break;
	case ENTRY_BACKEND:
		say_passed_over(say);
		said(say, SAY_TITLE, "\nbackend %s", t->name);
		fprintf(say->out, ", by %s", t->text);
		say_place(say, t);
		say_entries(say, t->children);
		break;
	case ENTRY_SERVERS:
		say_passed_over(say);
		said(say, SAY_TITLE, "\nserver");
		fprintf(say->out, ", by %s", t->name);
		say_place(say, t);
		for (child = t->children; child; child = child->next)
			if (child->kind == ENTRY_SERVER)
				say_server(say, child);
			else
				say_inside(say, child, 0);
		break;
	case ENTRY_MESSAGE:
		say_passed_over(say);
		said(say, SAY_TITLE, "\n%s\n", t->name);
		say_message(say, t->text);
		break;
	default:
		say_inside(say, t, 0);
		say_children(say, t, 1);
	}
}

void say_entries(struct say *say, const struct entry *t)
{
	for (; t; t = t->next)
		say_one(say, t);
	say_passed_over(say);
}
