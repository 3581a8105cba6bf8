/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the names is meant by a word that is none of them: a slip of the finger, a short form, a
 * part of the name. Called for messages, never for what is right. */
#include "config/alike.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum { ALIKE_MOST = 4 };

static const char *names_nearest(const char *const *names, const char *word)
{
	unsigned limit = (unsigned)strlen(word) / 3, best = 4, distance;
	const char *found = NULL;

	for (; *names; names++) {
		if (!strcasecmp(word, *names))
			return *names;
		distance = str_distance(word, *names, limit > 3 ? 3 : limit);
		if (distance <= limit && distance < best) {
			best = distance;
			found = *names;
		}
	}
	return found;
}

/* "set-hdr" for "set-header": it begins as the name does, and its letters come in the name in this
 * order, half of them at least. */
static bool is_short_for(const char *word, const char *name)
{
	size_t len = strlen(word);

	if (len < 3 || strncmp(word, name, 2) != 0 || strlen(name) > 2 * len)
		return false;
	for (; *word && *name; name++)
		word += *word == *name;
	return !*word;
}

static const char *names_short(const char *const *names, const char *word)
{
	const char *found = NULL;

	for (; *names; names++)
		if (is_short_for(word, *names) && (!found || strlen(*names) < strlen(found)))
			found = *names;
	return found;
}

/* "header" in "set-header". */
static bool is_part(const char *word, const char *name)
{
	size_t len = strlen(word);
	const char *p;

	for (p = name; len > 2 && (p = strstr(p, word)); p++)
		if ((p == name || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[len]))
			return true;
	return false;
}

bool alike_begins(const char *word, const char *name)
{
	size_t len = strlen(word), size = strlen(name), shorter = len < size ? len : size;

	return shorter >= 4 && !strncmp(word, name, shorter);
}

/* "adm" for "admin": how it begins. */
static bool is_begun(const char *word, const char *name)
{
	size_t len = strlen(word);

	return alike_begins(word, name) || (len > 1 && !strncmp(word, name, len));
}

static unsigned names_that(const char *const *names, const char *word,
			   bool (*is)(const char *word, const char *name), const char **found)
{
	unsigned n = 0, i;

	for (; *names; names++) {
		for (i = 0; i < n && i < ALIKE_MOST && strcmp(found[i], *names) != 0; i++)
			;
		if (!is(word, *names) || (i < n && i < ALIKE_MOST))
			continue;
		if (n < ALIKE_MOST)
			found[n] = *names;
		n++;
	}
	return n;
}

bool alike_names(struct text *t, const char *word, const char *const *names)
{
	const char *found[ALIKE_MOST] = { names_nearest(names, word) };
	unsigned n, i;

	if (!found[0])
		found[0] = names_short(names, word);
	n = found[0] ? 1 : names_that(names, word, is_begun, found);
	if (!n)
		n = names_that(names, word, is_part, found);
	if (n > ALIKE_MOST)
		return false;
	for (i = 0; i < n; i++)
		text_printf(t, "%s'%s'", !i ? "" : i + 1 < n ? ", " : " or ", found[i]);
	return n;
}
