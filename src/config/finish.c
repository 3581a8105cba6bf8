/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a configuration generation: made empty, read (parse.c), finished, freed. Called by
 * main(). Everything but the text of the files lives in its arena.
 */
#include "config/load.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/memory.h"
#include "base/version.h"
#include "config/default_path.h"
#include "config/diag.h"
#include "config/lookup.h"
#include "config/reader.h"

#include <stdlib.h>
#include <string.h>

static size_t module_count(const struct module *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static void new_data(struct config *cfg)
{
	size_t n = module_count(cfg->modules), i;

	cfg->data = arena_alloc(cfg->arena, (n + 1) * sizeof(*cfg->data));
	for (i = 0; i < n; i++) {
		cfg->data[i] = arena_alloc(cfg->arena, cfg->modules[i]->data_size);
		if (cfg->modules[i]->init)
			cfg->modules[i]->init(cfg, cfg->data[i]);
	}
}

struct config *config_new(const struct module *const *list, bool check_only)
{
	struct arena *arena = arena_new(64 * 1024);
	struct config *cfg;

	if (!arena)
		return NULL;
	cfg = arena_alloc(arena, sizeof(*cfg));
	cfg->arena = arena;
	cfg->modules = list;
	cfg->check_only = check_only;
	cfg->diag = diag_new(arena);
	cfg->reader = arena_alloc(arena, sizeof(*cfg->reader));
	cfg->reader->cfg = cfg;
	cfg->reader->index = cfg->index = lookup_new(arena, list);
	cfg->reader->title = "";
	cfg->reader->label = "";
	new_data(cfg);
	return cfg;
}

void *config_data(const struct config *cfg, const struct module *module)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i] == module)
			return cfg->data[i];
	BUG_ON(true);
	return NULL;
}

static void reader_end(struct config *cfg)
{
	if (!cfg->reader)
		return;
	reader_files_free(cfg->reader);
	cfg->reader = NULL;
}

int config_finish(struct config *cfg)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++) {
		if (cfg->modules[i]->finish && cfg->modules[i]->finish(cfg, cfg->data[i]) < 0 &&
		    !cfg->diag->errors_heard)
			config_error(cfg, NULL, "module %s cannot be set up",
				     cfg->modules[i]->name);
	}
	if (cfg->reader)
		reader_lines_keep(cfg);
	reader_end(cfg);
	return config_failed(cfg) ? -1 : 0;
}

/* HAPROXY_CFGFILES: names separated by semicolons. */
static void name_files(const struct config_files *files)
{
	size_t size = 1, i;
	char *list;

	for (i = 0; i < files->count; i++)
		size += strlen(files->names[i]) + 1;
	list = memory_need(calloc(1, size));
	for (i = 0; i < files->count; i++) {
		strcat(list, i ? ";" : "");
		strcat(list, files->names[i]);
	}
	setenv("HAPROXY_CFGFILES", list, 1);
	free(list);
}

int config_read_files(struct config *cfg, const struct config_files *files)
{
	size_t i;
	int rc = 0;

	name_files(files);
	setenv("HAPROXY_STARTUP_VERSION", version_for_tools, 1);
	setenv("HAPROXY_BRANCH", version_language, 1);
	for (i = 0; i < files->count; i++)
		if (config_read_file(cfg, files->names[i]) < 0)
			rc = -1;
	return rc;
}

static void release_data(const struct config *cfg)
{
	size_t i;

	for (i = 0; cfg->modules[i]; i++)
		if (cfg->modules[i]->release)
			cfg->modules[i]->release(cfg->data[i]);
}

void config_free(struct config **cfg)
{
	struct arena *arena;

	if (!*cfg)
		return;
	reader_end(*cfg);
	default_path_leave(*cfg);
	reader_lines_forget(*cfg);
	release_data(*cfg);
	arena = (*cfg)->arena;
	*cfg = NULL;
	arena_free(&arena);
}
