/* SPDX-License-Identifier: BSD-2-Clause */
/* Which of the names that there are is meant by a word that is none of them: a slip of the finger,
 * a short form, how it begins, a part of it. Called for messages, never for what is right. */
#include "config/suggest.h"

#include "base/arena.h"
#include "base/str.h"
#include "config/diag.h"
#include "config/lookup.h"
#include "config/reader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { PROBLEMS_MOST = 300, NEAR_MOST = 3, FILES_MOST = 10000 };

/* -- which of the names is meant ---------------------------------------------------------- */

/* A third of the letters may differ; of two letters none. */
struct suggestion suggest_begin(const char *word)
{
	size_t near = strlen(word) / 3;

	return (struct suggestion){
		.word = word, .distance = near > NEAR_MOST ? NEAR_MOST + 1 : (unsigned)near + 1
	};
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

bool suggest_begins(const char *word, const char *name)
{
	size_t len = strlen(word), size = strlen(name), shorter = len < size ? len : size;

	return shorter >= 4 && !strncasecmp(word, name, shorter);
}

/* "adm" for "admin": how it begins. */
static bool is_begun(const char *word, const char *name)
{
	size_t len = strlen(word);

	return suggest_begins(word, name) || (len > 1 && !strncasecmp(word, name, len));
}

/* "header" in "set-header". */
static bool is_part(const char *word, const char *name)
{
	size_t len = strlen(word);
	const char *p;

	for (p = name; len > 2 && (p = strcasestr(p, word)); p++)
		if ((p == name || !isalnum((unsigned char)p[-1])) &&
		    !isalnum((unsigned char)p[len]))
			return true;
	return false;
}

static void suggested_add(struct suggested *found, const char *name)
{
	unsigned i;

	for (i = 0; i < found->count && i < SUGGEST_MOST; i++)
		if (!strcmp(found->names[i], name))
			return;
	if (found->count < SUGGEST_MOST)
		found->names[found->count] = name;
	found->count++;
}

void suggest_name(struct suggestion *s, const char *name)
{
	unsigned distance;

	if (!s->distance || !name)
		return;
	distance = strcasecmp(s->word, name) ? str_distance(s->word, name, s->distance) : 0;
	if (distance < s->distance) {
		s->distance = distance;
		s->nearest = name;
	}
	if (s->nearest)
		return; /* nothing else will be said */
	if (is_short_for(s->word, name) && (!s->brief || strlen(name) < strlen(s->brief)))
		s->brief = name;
	if (is_begun(s->word, name))
		suggested_add(&s->begun, name);
	if (is_part(s->word, name))
		suggested_add(&s->parts, name);
}

bool suggest_put(const struct suggestion *s, struct text *t)
{
	const char *one = s->nearest ? s->nearest : s->brief;
	const struct suggested *found = s->begun.count ? &s->begun : &s->parts;
	unsigned i;

	if (one) {
		text_printf(t, "'%s'", one);
		return true;
	}
	if (found->count > SUGGEST_MOST)
		return false;
	for (i = 0; i < found->count; i++)
		text_printf(t, "%s'%s'", !i ? "" : i + 1 < found->count ? ", " : " or ",
			    found->names[i]);
	return found->count;
}

bool suggest_of(struct text *t, const char *word, const char *const *names)
{
	struct suggestion s = suggest_begin(word);

	for (; *names; names++)
		suggest_name(&s, *names);
	return suggest_put(&s, t);
}

/* -- behind a problem --------------------------------------------------------------------- */

struct suggestion suggest_for(struct config *cfg, const char *word)
{
	struct suggestion s = suggest_begin(word);

	s.cfg = cfg;
	if (cfg->diag->errors_heard > PROBLEMS_MOST)
		s.distance = 0;
	return s;
}

bool suggest_end(const struct suggestion *s)
{
	char memory[SUGGEST_TEXT];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	if (!suggest_put(s, &t))
		return false;
	diag_hintf(s->cfg->diag, "did you mean %s?", memory);
	return true;
}

static void suggest_in(struct config *cfg, DIR *dir, const char *folder, const char *name)
{
	struct suggestion s = suggest_for(cfg, name);
	const struct dirent *e;
	unsigned files = 0;

	while ((e = readdir(dir)) && files++ < FILES_MOST)
		if (e->d_name[0] != '.' && strlen(e->d_name) <= strlen(name) + NEAR_MOST)
			suggest_name(&s, arena_strdup(cfg->arena, e->d_name));
	if (s.nearest && strcmp(s.nearest, name) != 0)
		diag_hintf(cfg->diag, "did you mean '%s%s'?", folder, s.nearest);
}

void suggest_file(struct config *cfg, const char *path, int error)
{
	const char *slash = strrchr(path, '/');
	char folder[4096];
	DIR *dir;

	if (error != ENOENT || strlen(path) >= sizeof(folder) || !strncmp(path, "virt@", 5))
		return;
	snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
	dir = opendir(*folder ? folder : ".");
	if (dir) {
		suggest_in(cfg, dir, folder, slash ? slash + 1 : path);
		closedir(dir);
	} else if (errno == ENOENT) {
		diag_hintf(cfg->diag, "there is no directory '%s'", folder);
	}
}

const char *suggest_row(struct config *cfg, unsigned scope, const char *word)
{
	const struct word given = { .text = word };

	return cfg->reader ? lookup_nearest(cfg->reader->index, scope, &given, 1) : NULL;
}

static bool parts_words(char c)
{
	return !isalnum((unsigned char)c) && !strchr("_-.", c);
}

struct location config_locate(struct config *cfg, const struct location *loc, const char *word)
{
	struct location found = *loc;
	size_t size = strlen(word), len, i;
	const char *line = cfg->reader && loc->file ? reader_line(cfg->reader, loc, &len) : NULL;

	if (!line || !size || loc->column)
		return found;
	for (i = 0; i + size <= len; i++) {
		if ((i && !parts_words(line[i - 1])) || memcmp(line + i, word, size) != 0 ||
		    (i + size < len && !parts_words(line[i + size])))
			continue;
		if (i >= UINT16_MAX || size > UINT16_MAX)
			break;
		found.column = (uint16_t)(i + 1); /* the last one: names stand behind words */
		found.length = (uint16_t)size;
	}
	return found;
}
