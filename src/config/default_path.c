/* SPDX-License-Identifier: BSD-2-Clause */
/* The word default-path: where relative names of files begin while a configuration file is read.
 * The process changes its directory for that time and comes back behind each file (manual 3.1);
 * names of configuration files themselves are relative to where it was started. */
#include "config/default_path.h"

#include "base/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum policy { CURRENT, CONFIG, PARENT, ORIGIN };

/* The directory that the policy names for this file, relative to the start. */
static const char *path_wanted(const struct config *cfg, const char *file)
{
	const char *slash = strrchr(file, '/');
	const char *directory = slash == file ? "/" :
				slash ? arena_strndup(cfg->arena, file, (size_t)(slash - file)) : ".";

	switch (cfg->path.policy) {
	case CONFIG:
		return directory;
	case PARENT:
		return arena_printf(cfg->arena, "%s/..", directory);
	case ORIGIN:
		return cfg->path.origin;
	default:
		return ".";
	}
}

int default_path_enter(struct config *cfg, const char *file, const char **directory)
{
	*directory = path_wanted(cfg, file);
	if (cfg->path.policy == CURRENT && cfg->path.home <= 0)
		return 0;
	if (cfg->path.home <= 0) {
		cfg->path.home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (cfg->path.home < 0)
			return -1;
	}
	return fchdir(cfg->path.home) || chdir(*directory) ? -1 : 0;
}

void default_path_leave(struct config *cfg)
{
	int home = cfg->path.home;

	if (home <= 0)
		return;
	cfg->path.home = 0;
	(void)!fchdir(home); /* it was there when we came */
	close(home);
}

int default_path_parse(struct statement *st, const struct keyword *kw, void *object)
{
	static const char *const policies[] = { [CURRENT] = "current", [CONFIG] = "config",
						[PARENT] = "parent", [ORIGIN] = "origin", NULL };
	const char *word = stmt_need(st, "'current', 'config', 'parent' or 'origin'"), *directory;
	int i;

	(void)kw;
	(void)object;
	if (!word)
		return -1;
	for (i = 0; policies[i] && strcmp(policies[i], word); i++)
		;
	if (!policies[i])
		return stmt_unknown(st, st->at - 1, "policy", policies);
	if (i == ORIGIN && !(st->cfg->path.origin = stmt_need(st, "a directory")))
		return -1;
	st->cfg->path.policy = i;
	if (default_path_enter(st->cfg, st->loc.file, &directory))
		return stmt_error(st, st->at - 1, "cannot go to '%s': %s", directory,
				  strerror(errno));
	return 0;
}
