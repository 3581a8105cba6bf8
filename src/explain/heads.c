/* SPDX-License-Identifier: BSD-2-Clause */
/* Heads before and after (explain/heads.h). Called by record.c; pure. */
#include "explain/heads.h"

#include "base/arena.h"
#include "http/message.h"

#include <strings.h>

struct line {
	const char *name, *value;
};

struct head {
	const char *method, *target; /* requests; else NULL */
	const char *status;          /* responses; else NULL */
	unsigned count;
	struct line lines[];
};

typedef void teller(void *of, const char *name, const char *before, const char *after,
		    bool response);

static const char *copy(struct arena *arena, struct span s)
{
	return arena_strndup(arena, s.len ? s.ptr : "", s.len);
}

struct head *head_copy(struct arena *arena, const struct message *msg)
{
	struct head *h = arena_alloc(arena, sizeof(*h) + msg->count * sizeof(h->lines[0]));
	unsigned i;

	if (!h)
		return NULL;
	if (msg->is_response) {
		h->status = arena_printf(arena, "%u", msg->status);
	} else {
		h->method = copy(arena, msg->method_text);
		h->target = copy(arena, msg->target);
	}
	for (i = 0; i < msg->count; i++)
		if (msg->fields[i].name.ptr)
			h->lines[h->count++] = (struct line){ copy(arena, msg->fields[i].name),
							      copy(arena, msg->fields[i].value) };
	return arena->failed ? NULL : h;
}

static bool differ(const char *a, const char *b)
{
	return a && b && strcmp(a, b) != 0;
}

static bool line_is(const struct line *a, const struct line *b)
{
	return !strcasecmp(a->name, b->name) && !strcmp(a->value, b->value);
}

bool head_differs(const struct head *a, const struct head *b)
{
	unsigned i;

	if (differ(a->method, b->method) || differ(a->target, b->target) ||
	    differ(a->status, b->status) || a->count != b->count)
		return true;
	for (i = 0; i < a->count; i++)
		if (!line_is(&a->lines[i], &b->lines[i]))
			return true;
	return false;
}

/* How often the line stands in the head, up to the line of that number. */
static unsigned times(const struct head *h, const struct line *line, unsigned upto)
{
	unsigned i, n = 0;

	for (i = 0; i < upto; i++)
		n += line_is(&h->lines[i], line);
	return n;
}

/* Is the i-th line of a one that b does not have? */
static bool is_new(const struct head *a, unsigned i, const struct head *b)
{
	return times(a, &a->lines[i], i) >= times(b, &a->lines[i], b->count);
}

/* The n-th line of that name, from 0, that the other head does not have. */
static const struct line *missing(const struct head *a, const struct head *b, const char *name,
				  unsigned n)
{
	unsigned i;

	for (i = 0; i < a->count; i++)
		if (!strcasecmp(a->lines[i].name, name) && is_new(a, i, b) && !n--)
			return &a->lines[i];
	return NULL;
}

/* How many lines before the i-th have its name and are new. */
static unsigned rank(const struct head *a, unsigned i, const struct head *b)
{
	unsigned k, n = 0;

	for (k = 0; k < i; k++)
		n += !strcasecmp(a->lines[k].name, a->lines[i].name) && is_new(a, k, b);
	return n;
}

static void compare_lines(const struct head *a, const struct head *b, teller *tell, void *of,
			  bool response)
{
	const struct line *other;
	unsigned i;

	for (i = 0; i < a->count; i++) {
		if (!is_new(a, i, b))
			continue;
		other = missing(b, a, a->lines[i].name, rank(a, i, b));
		tell(of, a->lines[i].name, a->lines[i].value, other ? other->value : NULL,
		     response);
	}
	for (i = 0; i < b->count; i++)
		if (is_new(b, i, a) && !missing(a, b, b->lines[i].name, rank(b, i, a)))
			tell(of, b->lines[i].name, NULL, b->lines[i].value, response);
}

void head_compare(const struct head *before, const struct head *after, teller *tell, void *of,
		  bool response)
{
	if (differ(before->method, after->method))
		tell(of, "method", before->method, after->method, response);
	if (differ(before->target, after->target))
		tell(of, "target", before->target, after->target, response);
	if (differ(before->status, after->status))
		tell(of, "status", before->status, after->status, response);
	compare_lines(before, after, tell, of, response);
}
