/* SPDX-License-Identifier: BSD-2-Clause */
/* The sections of the running generation, and lines of the log about one. */
#include "peers/section.h"

#include "log/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct peers_conf none = { .sections = LIST_INIT(none.sections) };
const struct peers_conf *peers_running = &none;

struct peers_section *peers_section_find(const struct peers_conf *conf, const char *name)
{
	struct peers_section *s;

	list_for_each(s, &conf->sections, node)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

void peers_log(const struct peers_section *s, int level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (s->log)
		log_printf(s->log, (enum log_level)level, "%s", line);
	else
		log_process((enum log_level)level, "%s", line);
}
