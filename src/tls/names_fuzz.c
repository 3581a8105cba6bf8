/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines as names in an index and questions to it: "+name" adds one, "-n" takes the one away that
 * stands at place n, "?name" looks it up. What is found is compared with what a list finds that is
 * gone through from its start.
 */
#include "tls/names.h"

#include "base/bug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MOST = 64 };

static struct tls_name entries[MOST];
static char texts[MOST][TLS_NAME_MAX + 1];
static size_t lengths[MOST];
static bool present[MOST];
static struct tls_names names;

/* Is the name what this entry stands for? dot: where the first one of the name is, or its end. All
 * entries are asked for each name, so lengths come first. */
static bool stands_for(unsigned i, const char *text, size_t len, size_t dot, bool wild)
{
	const char *of = texts[i];
	size_t of_len = lengths[i];

	if (!present[i] || (of_len > 2 && of[0] == '*' && of[1] == '.') != wild)
		return false;
	if (!wild)
		return of_len == len && !memcmp(of, text, len);
	return dot && dot < len && of_len - 1 == len - dot && !memcmp(of + 1, text + dot, len - dot);
}

/* Each of them is found once, in the order of rank; nothing else is. */
static void check_found(const char *text, size_t len, bool wild)
{
	const char *point = memchr(text, '.', len);
	size_t dot = point ? (size_t)(point - text) : len;
	bool seen[MOST] = { false };
	unsigned rank = 0, i;
	struct tls_name *n;

	for (n = tls_names_first(&names, text, len, wild); n; n = tls_names_next(n)) {
		i = (unsigned)(n - entries);
		BUG_ON(i >= MOST || seen[i] || !stands_for(i, text, len, dot, wild));
		BUG_ON(n->rank < rank || n->object != texts[i]);
		rank = n->rank;
		seen[i] = true;
	}
	for (i = 0; i < MOST; i++)
		if (present[i])
			BUG_ON(seen[i] != stands_for(i, text, len, dot, wild));
}

static void add(struct span name)
{
	size_t len;
	unsigned i;

	for (i = 0; i < MOST && present[i]; i++)
		;
	if (i == MOST)
		return;
	len = tls_name_normalise(name, texts[i]);
	if (!len)
		return;
	BUG_ON(len > TLS_NAME_MAX || strlen(texts[i]) != len);
	tls_name_init(&entries[i], texts[i], len, texts[i], (unsigned)(name.ptr[0] & 3));
	BUG_ON(tls_names_add(&names, &entries[i]));
	lengths[i] = len;
	present[i] = true;
}

static void take_away(unsigned i)
{
	tls_names_remove(&names, &entries[i]);
	tls_names_remove(&names, &entries[i]); /* which may be said twice */
	present[i] = false;
}

static void ask(struct span name)
{
	char text[TLS_NAME_MAX + 1];
	size_t len = tls_name_normalise(name, text);

	if (!len)
		return;
	check_found(text, len, false);
	check_found(text, len, true);
}

static void obey(struct span line)
{
	struct span rest = { line.ptr + 1, line.len - 1 };

	if (line.ptr[0] == '+' && rest.len)
		add(rest);
	else if (line.ptr[0] == '-' && rest.len && present[rest.ptr[0] & (MOST - 1)])
		take_away(rest.ptr[0] & (MOST - 1));
	else
		ask(line.ptr[0] == '?' ? rest : line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *at = (const char *)data, *end = at + len, *line;
	unsigned i, left = 0;

	while (at < end) {
		for (line = at; at < end && *at != '\n'; at++)
			;
		if (at > line)
			obey((struct span){ line, (size_t)(at - line) });
		at += at < end;
	}
	for (i = 0; i < MOST; i++)
		left += present[i];
	BUG_ON(names.count != left);
	for (i = 0; i < MOST; i++)
		if (present[i])
			take_away(i);
	tls_names_free(&names);
	memset(entries, 0, sizeof(entries));
	return 0;
}
