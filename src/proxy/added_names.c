/* SPDX-License-Identifier: BSD-2-Clause */
/* Writing: called in a child of the parent, by process/handover.c. Reading: by suggest.c. Each name
 * ("backend", "backend/server") has its NUL. */
#include "proxy/added_names.h"

#include "config/diag.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void write_names(FILE *out)
{
	const struct proxy *px;
	const struct server *s;

	list_for_each(px, &proxies_running->list, node) {
		if (px->added)
			fprintf(out, "%s%c", px->name, 0);
		for (s = px->servers; s; s = s->next)
			if (s->added)
				fprintf(out, "%s/%s%c", px->name, s->id, 0);
	}
}

int added_names_write(void)
{
	int fd = proxies_running ? memfd_create("penstock-added", 0) : -1;
	int copy = fd < 0 ? -1 : dup(fd);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out)
		return -1;
	write_names(out);
	if (fclose(out) == 0 && lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	close(fd);
	return -1;
}

static bool is_among(FILE *in, const char *name)
{
	char *line = NULL;
	size_t room = 0;
	bool found = false;

	while (!found && getdelim(&line, &room, 0, in) > 0)
		found = !strcmp(line, name);
	free(line);
	return found;
}

static bool was_added(const char *backend, const char *server)
{
	const char *fd = getenv(ADDED_NAMES);
	char path[64], name[600];
	bool found;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd ? atoi(fd) : -1);
	in = fd ? fopen(path, "re") : NULL;
	if (!in)
		return false;
	snprintf(name, sizeof(name), "%s%s%s", backend, server ? "/" : "", server ? server : "");
	found = is_among(in, name);
	fclose(in);
	return found;
}

bool added_names_hint(struct config *cfg, const char *backend, const char *server)
{
	if (!cfg->check_only || !was_added(backend, server))
		return false;
	if (server)
		diag_hintf(cfg->diag, "a command has added this server, and files can only name what "
			   "stands in them: write 'server %s' into '%s', or take its name out here",
			   server, backend);
	else
		diag_hintf(cfg->diag, "a command has added this backend, and files can only name what "
			   "stands in them: write 'backend %s', or take its name out here", backend);
	return true;
}
