/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * show fd: the open descriptors of the process and who owns them. The list is made at once
 * and said line by line; owners are kept as numbers and names that cannot go away.
 */
#include "base/kind.h"
#include "cli/tables.h"
#include "net/conn.h"
#include "net/listener.h"
#include "proxy/proxy.h"
#include "relay/message_end.h"
#include "stream/stream.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum fd_kind { FD_NONE, FD_OTHER, FD_LISTENER, FD_CLIENT, FD_SERVER };

struct fd_row {
	enum fd_kind kind;
	unsigned flags;              /* CONN_* of a connection */
	const struct listener *listener; /* NULL: it is none */
	const char *frontend;
	const char *backend;         /* of a server's connection; NULL: none */
	uint64_t stream;
	const char *protocol;        /* of a connection */
	struct end_share share;      /* of one that ends share */
};

struct fd_state {
	struct fd_row *rows; /* by descriptor */
	int count, at, last;
};

/* Which descriptors there are. 0, or -1: no memory or no /proc. */
static int fd_collect(struct fd_state *state)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	struct fd_row *rows;
	int fd, own;

	if (!dir)
		return -1;
	own = dirfd(dir);
	while ((entry = readdir(dir))) {
		fd = atoi(entry->d_name);
		if (entry->d_name[0] == '.' || fd == own)
			continue;
		if (fd >= state->count) {
			rows = realloc(state->rows, ((size_t)fd * 2 + 16) * sizeof(*rows));
			if (!rows)
				break;
			memset(rows + state->count, 0,
			       ((size_t)fd * 2 + 16 - (size_t)state->count) * sizeof(*rows));
			state->rows = rows;
			state->count = fd * 2 + 16;
		}
		state->rows[fd].kind = FD_OTHER;
	}
	closedir(dir);
	return entry ? -1 : 0;
}

static struct fd_row *fd_row(struct fd_state *state, int fd)
{
	return fd >= 0 && fd < state->count && state->rows[fd].kind == FD_OTHER ? &state->rows[fd]
										 : NULL;
}

static void fd_note_listeners(struct fd_state *state, const struct list *proxies)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct proxy *px;
	struct fd_row *row;

	list_for_each(px, proxies, node) {
		list_for_each(bind, &px->binds, node) {
			list_for_each(l, &bind->listeners, node) {
				row = fd_row(state, l->src.fd);
				if (!row)
					continue;
				row->kind = FD_LISTENER;
				row->listener = l;
				row->frontend = KIND_OF(const struct proxy, bind->owner)->name;
			}
		}
	}
}

static void fd_note_end(struct fd_state *state, const struct stream *s, const struct end *end,
			enum fd_kind kind)
{
	struct link_shown shown = link_show(end_link(end));
	struct fd_row *row = fd_row(state, shown.number);

	if (!row)
		return;
	row->kind = kind;
	row->flags = shown.flags;
	row->protocol = end->ops ? end->ops->name : "none";
	if (!end_shares(end, &row->share))
		row->share.opened = 0;
	row->frontend = s->origin->frontend->name;
	row->backend = s->backend ? s->backend->name : NULL;
	row->stream = s->id;
}

static void fd_end(struct cli_call *call)
{
	struct fd_state *state = CLI_STATE_OF(struct fd_state, call);

	if (state)
		free(state->rows);
}

static int fd_start(struct cli_call *call, struct err *err)
{
	struct fd_state *state = CLI_STATE_OF(struct fd_state, call);
	const struct stream *s;
	int64_t only = -1;

	if (*cli_arg(call, 0) && !str_to_int(cli_arg(call, 0), 0, INT32_MAX, &only))
		return err_set(err, "The number of a descriptor is expected.");
	if (fd_collect(state))
		return err_set(err, "The descriptors cannot be listed.");
	fd_note_listeners(state, &proxies_running->list);
	fd_note_listeners(state, &proxies_running->stats_frontends);
	fd_note_listeners(state, &proxies_running->peers);
	list_for_each(s, &streams_all, node) {
		fd_note_end(state, s, &s->relay.client, FD_CLIENT);
		fd_note_end(state, s, &s->relay.server, FD_SERVER);
	}
	state->at = only >= 0 ? (int)only : 0;
	state->last = only >= 0 ? (int)only : state->count - 1;
	return 0;
}

/* -- saying ---------------------------------------------------------------------------------- */

/* Capital letters for bits that are set, as in "polled, ready": in the order of CONN_*. */
static void fd_say_flags(struct text *out, unsigned flags)
{
	static const char set[] = "RWDHEPCSFB", clear[] = "rwdhepcsfb";

	text_str(out, " st=");
	for (int i = 0; set[i]; i++)
		text_char(out, flags & 1u << i ? set[i] : clear[i]);
}

static void fd_say_socket(struct text *out, int fd)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	struct addr addr;

	if (getsockname(fd, (struct sockaddr *)&ss, &len))
		return;
	addr_from_sockaddr(&addr, &ss, len);
	text_printf(out, " fam=%s", addr.family == AF_INET ? "ipv4" : addr.family == AF_INET6 ?
			    "ipv6" : addr.family == AF_UNIX ? "unix" : "?");
	if (addr.family == AF_INET || addr.family == AF_INET6)
		text_printf(out, " lport=%u", addr.port);
	len = sizeof(ss);
	if (getpeername(fd, (struct sockaddr *)&ss, &len))
		return;
	addr_from_sockaddr(&addr, &ss, len);
	if (addr.family == AF_INET || addr.family == AF_INET6)
		text_printf(out, " rport=%u", addr.port);
}

static void fd_say_other(struct text *out, int fd)
{
	char path[64], name[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, name, sizeof(name) - 1);
	if (n < 0)
		n = 0; /* closed meanwhile */
	name[n] = 0;
	text_printf(out, " name=%s", name);
}

static const char *fd_listener_state(const struct listener *l)
{
	static const char *const names[] = { "NEW", "RDY", "FUL", "LIM", "PAU", "CLO" };

	return names[l->state];
}

static enum cli_step fd_next(struct cli_call *call)
{
	static const char *const kinds[] = { "", "other", "listener", "client", "server" };
	struct fd_state *state = CLI_STATE_OF(struct fd_state, call);
	struct text *out = call->out;
	const struct fd_row *row;

	if (state->at > state->last || state->at >= state->count)
		return CLI_END;
	row = &state->rows[state->at];
	if (row->kind != FD_NONE) {
		text_printf(out, "%7d : kind=%s", state->at, kinds[row->kind]);
		if (row->kind == FD_LISTENER)
			text_printf(out, " l.st=%s fe=%s", fd_listener_state(row->listener),
				    row->frontend);
		if (row->kind == FD_CLIENT || row->kind == FD_SERVER) {
			fd_say_flags(out, row->flags);
			text_printf(out, " stream=0x%llx fe=%s", (unsigned long long)row->stream,
				    row->frontend);
		}
		if (row->protocol)
			text_printf(out, " proto=%s", row->protocol);
		if (row->share.opened)
			text_printf(out, " streams=%u glitches=%llu", row->share.now,
				    (unsigned long long)row->share.glitches);
		if (row->kind == FD_SERVER && row->backend)
			text_printf(out, " be=%s", row->backend);
		if (row->kind == FD_OTHER)
			fd_say_other(out, state->at);
		fd_say_socket(out, state->at);
		text_char(out, '\n');
	}
	state->at++;
	return CLI_MORE;
}

const struct cli_command cli_fd_commands[] = {
	{ .words = "show fd", .args = "[num]", .level = LEVEL_OPERATOR,
	  .flags = CLI_GATHER | CLI_NAMED, .start = fd_start,
	  .next = fd_next, .end = fd_end, CLI_STATE(struct fd_state),
	  .help = "dump list of file descriptors in use or a specific one" },
	{ .words = NULL },
};
