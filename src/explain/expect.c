/* SPDX-License-Identifier: BSD-2-Clause */
/* Expectations (explain/expect.h): a table of what a request comes to. Called by run.c. */
#include "explain/expect.h"

#include "base/bug.h"
#include "base/err.h"
#include "explain/record.h"

#include <stdlib.h>
#include <strings.h>

struct expected {
	struct span what, name; /* "header x-a": name is x-a */
	char how;               /* '=', '!', '~' */
	const char *value;
};

struct facts {
	const struct record *r;
	struct span answer, request;
	char memory[4096];
};

struct kind {
	const char *what;
	bool named;
	const char *(*find)(struct facts *f, struct span name); /* NULL: there is none */
};

/* ---- what it came to ----------------------------------------------------------------------- */

static const char *find_frontend(struct facts *f, struct span name)
{
	(void)name;
	return f->r->outcome.frontend;
}

static const char *find_backend(struct facts *f, struct span name)
{
	(void)name;
	return f->r->outcome.backend;
}

static const char *find_server(struct facts *f, struct span name)
{
	(void)name;
	return f->r->outcome.server;
}

static const char *find_status(struct facts *f, struct span name)
{
	(void)name;
	if (!f->r->outcome.status)
		return NULL;
	snprintf(f->memory, sizeof(f->memory), "%u", f->r->outcome.status);
	return f->memory;
}

static const char *find_end(struct facts *f, struct span name)
{
	(void)name;
	return f->r->outcome.code;
}

static const char *find_log(struct facts *f, struct span name)
{
	(void)name;
	return f->r->log;
}

/* The first line of that name in a head. */
static const char *find_line(struct facts *f, struct span head, struct span name)
{
	const char *line = head.len ? head.ptr : "", *end;
	size_t len;

	for (; *line; line = end + (*end != 0)) {
		end = line + strcspn(line, "\n");
		if ((size_t)(end - line) <= name.len || line[name.len] != ':' ||
		    strncasecmp(line, name.ptr, name.len) != 0)
			continue;
		line += name.len + 1;
		line += strspn(line, " ");
		len = (size_t)(end - line) < sizeof(f->memory) - 1 ? (size_t)(end - line) :
								     sizeof(f->memory) - 1;
		memcpy(f->memory, line, len);
		f->memory[len] = 0;
		return f->memory;
	}
	return NULL;
}

static const char *find_header(struct facts *f, struct span name)
{
	return find_line(f, f->answer, name);
}

static const char *find_request_header(struct facts *f, struct span name)
{
	return find_line(f, f->request, name);
}

/* As it was set last. */
static const char *find_variable_in(const struct entry *t, struct span name, const char *found)
{
	for (; t; t = t->next) {
		if (t->kind == ENTRY_VARIABLE && span_equal(span_of(t->name), name))
			found = t->text;
		found = find_variable_in(t->children, name, found);
	}
	return found;
}

static const char *find_variable(struct facts *f, struct span name)
{
	return find_variable_in(f->r->root, name, NULL);
}

static const struct kind kinds[] = {
	{ "frontend", false, find_frontend }, { "backend", false, find_backend },
	{ "server", false, find_server },     { "status", false, find_status },
	{ "end", false, find_end },           { "log", false, find_log },
	{ "header", true, find_header },      { "request-header", true, find_request_header },
	{ "var", true, find_variable },
};

/* ---- what is wanted ------------------------------------------------------------------------ */

static const struct kind *parse(const char *text, struct expected *e, struct err *err)
{
	size_t what = strcspn(text, " =!~"), blanks = strspn(text + what, " "), at, i;

	at = what + blanks + (blanks ? strcspn(text + what + blanks, "=!~") : 0);
	*e = (struct expected){ .what = { text, what },
				.name = { text + what + blanks, at - what - blanks },
				.how = text[at] };
	if (!e->how || (e->how == '!' && text[at + 1] != '=')) {
		err_set(err, "--expect %s: WHAT=VALUE, WHAT!=VALUE or WHAT~PART is expected", text);
		return NULL;
	}
	e->value = text + at + (e->how == '!' ? 2 : 1);
	for (i = 0; i < ARRAY_LEN(kinds); i++)
		if (span_equal(e->what, span_of(kinds[i].what)) &&
		    kinds[i].named == (e->name.len > 0))
			return &kinds[i];
	err_set(err, "--expect %s: frontend, backend, server, status, end, log, 'header NAME', "
		"'request-header NAME' and 'var NAME' can be expected", text);
	return NULL;
}

int expect_check(const char *expectation, struct err *err)
{
	struct expected e;

	return parse(expectation, &e, err) ? 0 : -1;
}

static bool holds(const struct expected *e, const char *value)
{
	switch (e->how) {
	case '!':
		return !value || strcmp(value, e->value) != 0;
	case '~':
		return value && strstr(value, e->value);
	default:
		return value ? !strcmp(value, e->value) : !*e->value;
	}
}

bool expect_holds(const char *expectation, const struct record *r, struct span answer,
		  struct span request, FILE *out)
{
	struct facts f = { .r = r, .answer = answer, .request = request };
	struct expected e;
	const struct kind *kind = parse(expectation, &e, NULL);
	const char *value = kind ? kind->find(&f, e.name) : NULL;

	if (kind && holds(&e, value))
		return true;
	if (value)
		fprintf(out, "expected %s, but it is '%s'\n", expectation, value);
	else
		fprintf(out, "expected %s, but there is none\n", expectation);
	return false;
}
