/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The global section, which gathers the words of all modules, and those that change the
 * environment. They take effect at once, so that the lines below them see it.
 */
#include "config/environment.h"

#include "base/arena.h"
#include "config/config.h"
#include "config/default_path.h"
#include "config/keyword.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

static void *global_begin(struct statement *st)
{
	return config_data(st->cfg, &environment_module);
}

static int parse_setenv(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "name of a variable");
	const char *value = name ? stmt_need(st, "value of the variable") : NULL;

	(void)object;
	if (!value && name && strchr(name, '='))
		stmt_hint(st, "a blank stands between them: write '%s %.*s ...'", kw->name,
			  (int)strcspn(name, "="), name);
	if (!value)
		return -1;
	if (!*name || strchr(name, '='))
		return stmt_error(st, st->at - 2, "'%s' cannot be the name of a variable", name);
	setenv(name, value, kw->name[0] == 's');
	return 0;
}

static int parse_unsetenv(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "name of a variable");

	(void)kw;
	(void)object;
	if (!name)
		return -1;
	do {
		if (!*name || strchr(name, '='))
			return stmt_error(st, st->at - 1,
					  "'%s' cannot be the name of a variable", name);
		unsetenv(name);
		name = stmt_next(st);
	} while (name);
	return 0;
}

static bool name_listed(const struct statement *st, const char *entry)
{
	int i;

	for (i = st->at; i < st->count; i++) {
		size_t len = strlen(st->words[i].text);

		if (!strncmp(entry, st->words[i].text, len) && entry[len] == '=')
			return true;
	}
	return false;
}

static int parse_resetenv(struct statement *st, const struct keyword *kw, void *object)
{
	char **entry = environ, *name;

	(void)kw;
	(void)object;
	while (entry && *entry) {
		if (name_listed(st, *entry)) {
			entry++;
			continue;
		}
		name = arena_strndup(st->cfg->arena, *entry, strcspn(*entry, "="));
		if (!*name || unsetenv(name) < 0)
			entry++;
	}
	st->at = st->count;
	return 0;
}

static int parse_experimental(struct statement *st, const struct keyword *kw, void *object)
{
	(void)kw;
	(void)object;
	st->cfg->experimental = true;
	return 0;
}

static const struct keyword environment_keywords[] = {
	{ .name = "setenv", .scope = SCOPE_GLOBAL, .args = "<name> <value>",
	  .parse = parse_setenv,
	  .help = "sets a variable of the environment, for the lines below" },
	{ .name = "presetenv", .scope = SCOPE_GLOBAL, .args = "<name> <value>",
	  .parse = parse_setenv, .help = "sets a variable unless the environment has it" },
	{ .name = "unsetenv", .scope = SCOPE_GLOBAL, .args = "<name>...",
	  .parse = parse_unsetenv, .help = "removes variables from the environment" },
	{ .name = "resetenv", .scope = SCOPE_GLOBAL, .args = "[<name>...]",
	  .parse = parse_resetenv,
	  .help = "removes all variables from the environment but those named" },
	{ .name = "default-path", .scope = SCOPE_GLOBAL,
	  .args = "{ current | config | parent | origin <path> }", .parse = default_path_parse,
	  .dflt = "current", .help = "where relative names of files begin" },
	{ .name = "expose-experimental-directives", .scope = SCOPE_GLOBAL, .args = "",
	  .parse = parse_experimental,
	  .help = "words of the manual that are experimental may be used below" },
	{ .name = "quiet", .scope = SCOPE_GLOBAL, .args = "", .parse = set_flag,
	  .offset = offsetof(struct environment, quiet), .dflt = "off",
	  .help = "warnings and notices are not shown at the start, as with -q" },
	{ .name = "zero-warning", .scope = SCOPE_GLOBAL, .parse = set_flag,
	  .offset = offsetof(struct environment, zero_warning), .dflt = "off",
	  .help = "a configuration with warnings is refused, as with -dW" },
	{ .name = NULL },
};

static const struct section environment_sections[] = {
	{ .name = "global", .scope = SCOPE_GLOBAL, .begin = global_begin,
	  .help = "settings of the process; may be given several times" },
	{ .name = NULL },
};

const struct module environment_module = {
	.name = "environment",
	.keywords = environment_keywords,
	.sections = environment_sections,
	.data_size = sizeof(struct environment),
};
