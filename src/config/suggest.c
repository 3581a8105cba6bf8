/* SPDX-License-Identifier: BSD-2-Clause */
/* Names that are near to one that is not there. Called by modules behind a problem that they have
 * reported. */
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

/* A third of the letters may differ; of two letters none. */
struct suggestion suggest_for(struct config *cfg, const char *word)
{
	size_t len = strlen(word), near = len / 3;

	return (struct suggestion){ .cfg = cfg,
				    .word = word,
				    .distance = cfg->diag->errors_heard > PROBLEMS_MOST ? 0
						: near > NEAR_MOST ? NEAR_MOST + 1
								   : (unsigned)near + 1 };
}

void suggest_name(struct suggestion *s, const char *name)
{
	size_t len = strlen(s->word);
	unsigned distance;

	if (!s->distance || !name)
		return;
	if (len > 1 && !strncasecmp(s->word, name, len)) {
		s->begun = name;
		s->begins++;
	}
	distance = strcasecmp(s->word, name) ? str_distance(s->word, name, s->distance) : 0;
	if (distance < s->distance) {
		s->distance = distance;
		s->best = name;
	}
}

void suggest_end(const struct suggestion *s)
{
	const char *meant = s->best ? s->best : s->begins == 1 ? s->begun : NULL;

	if (meant)
		diag_hintf(s->cfg->diag, "did you mean '%s'?", meant);
}

static void suggest_in(struct config *cfg, DIR *dir, const char *folder, const char *name)
{
	struct suggestion s = suggest_for(cfg, name);
	const struct dirent *e;
	unsigned files = 0;

	s.best = NULL;
	while ((e = readdir(dir)) && files++ < FILES_MOST)
		if (e->d_name[0] != '.' && strlen(e->d_name) <= strlen(name) + NEAR_MOST)
			suggest_name(&s, arena_strdup(cfg->arena, e->d_name));
	if (s.best && strcmp(s.best, name) != 0)
		diag_hintf(cfg->diag, "did you mean '%s%s'?", folder, s.best);
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
