/* SPDX-License-Identifier: BSD-2-Clause */
/* A record as JSON (explain/say.h): one object for each thing that was told, with what belongs to
 * it in "children". Fields that have no value are left out. */
#include "explain/say.h"

#include "base/encode.h"
#include "explain/record.h"
#include "explain/source.h"

static const char *const kinds[] = {
	[ENTRY_ROOT] = "root",       [ENTRY_SECTION] = "section",   [ENTRY_RULE] = "rule",
	[ENTRY_CHOICE] = "choice",   [ENTRY_ACL] = "acl",           [ENTRY_SAMPLE] = "sample",
	[ENTRY_PATTERN] = "pattern", [ENTRY_VARIABLE] = "variable", [ENTRY_FIELD] = "field",
	[ENTRY_CAPTURE] = "capture", [ENTRY_BACKEND] = "backend",   [ENTRY_SERVERS] = "servers",
	[ENTRY_SERVER] = "server",   [ENTRY_MESSAGE] = "message",   [ENTRY_NOTE] = "note",
};

void say_json_string(FILE *out, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t n;

	if (!text) {
		fputs("null", out);
		return;
	}
	fputc('"', out);
	while (*s) {
		n = utf8_len((const char *)s, 4); /* none goes on behind the final NUL */
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s < 32 || *s == 127 || !n)
			fprintf(out, "\\u%04x", *s);
		else
			fwrite(s, 1, n, out);
		s += n ? n : 1;
	}
	fputc('"', out);
}

static void field(FILE *out, const char *name, const char *value)
{
	if (!value)
		return;
	fprintf(out, ",\"%s\":", name);
	say_json_string(out, value);
}

static void place(FILE *out, const struct entry *t)
{
	if (!t->loc.file || !t->loc.line)
		return;
	field(out, "file", t->loc.file);
	fprintf(out, ",\"line\":%u", t->loc.line);
	field(out, "source", source_line(&t->loc));
}

static void one(FILE *out, const struct entry *t)
{
	static const char *const helds[] = { [HELD_NO] = "no",
					     [HELD_YES] = "yes",
					     [HELD_WAITS] = "waits",
					     [HELD_UNKNOWN] = "unknown" };
	bool holds = t->kind == ENTRY_RULE || t->kind == ENTRY_CHOICE || t->kind == ENTRY_ACL;

	fprintf(out, "{\"type\":\"%s\"", kinds[t->kind]);
	field(out, t->kind == ENTRY_SERVERS ? "by" : "name", t->name);
	place(out, t);
	if (holds)
		field(out, "held", helds[t->held]);
	if (t->kind == ENTRY_SERVER)
		fprintf(out, ",\"weight\":%u,\"backup\":%s,\"chosen\":%s", t->weight,
			t->taken ? "true" : "false", t->held == HELD_YES ? "true" : "false");
	if (t->kind == ENTRY_CHOICE)
		fprintf(out, ",\"taken\":%s", t->taken ? "true" : "false");
	field(out, "result", t->result);
	if (t->kind == ENTRY_FIELD)
		fprintf(out, ",\"of\":\"%s\"", t->response ? "response" : "request");
	field(out,
	      t->kind == ENTRY_SERVER    ? "state"
	      : t->kind == ENTRY_PATTERN ? "gives"
					 : "before",
	      t->before);
	field(out, t->kind == ENTRY_SERVER ? "address" : t->kind == ENTRY_SECTION ? "about" :
	      t->kind == ENTRY_BACKEND ? "by" : "value", t->text);
	if (t->children) {
		fputs(",\"children\":", out);
		say_json_entries(out, t->children);
	}
	fputc('}', out);
}

void say_json_entries(FILE *out, const struct entry *t)
{
	fputc('[', out);
	for (; t; t = t->next) {
		one(out, t);
		if (t->next)
			fputc(',', out);
	}
	fputc(']', out);
}
