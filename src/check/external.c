/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks that run a command: its exit code is the result. The command gets the addresses as
 * arguments and facts in its environment, and is watched by a descriptor of the process, so nobody
 * waits for it. Called by ask.c. One process at a time for each server; it is killed when the check
 * ends before it.
 */
#include "check/external.h"

#include "check/ask.h"
#include "check/check_conf.h"
#include "event/loop.h"
#include "event/signals.h"
#include "net/bind_conf.h"
#include "net/listener.h"
#include "proxy/sums.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXTERNAL_VARIABLES = 16, EXTERNAL_MEMORY = 4096 };

struct external {
	struct source src; /* src.fd: of the process */
	struct check *check;
	pid_t pid;
	struct external *next; /* in dying */
	struct reap reap;
};

struct external_conf external_conf;

static struct external *dying; /* killed, and not collected yet */

/* -- what the command is told ---------------------------------------------------------------- */

/* Strings one behind the other in memory. */
struct strings {
	char memory[EXTERNAL_MEMORY];
	struct text text;
	char *list[EXTERNAL_VARIABLES];
	unsigned count;
};

static char *strings_end(struct strings *s, size_t start)
{
	text_char(&s->text, 0);
	return s->text.ptr + start;
}

static char *string_number(struct strings *s, unsigned n)
{
	size_t start = s->text.len;

	text_num(&s->text, n);
	return strings_end(s, start);
}

static char *string_addr(struct strings *s, const struct addr *addr)
{
	size_t start = s->text.len;

	if (addr->family == AF_UNIX)
		text_str(&s->text, addr->path ? addr->path : "");
	else
		addr_print(addr, &s->text);
	return strings_end(s, start);
}

static void variable(struct strings *s, const char *name, const char *value)
{
	size_t start = s->text.len;

	text_printf(&s->text, "%s=%s", name, value);
	s->list[s->count++] = strings_end(s, start);
}

/* The first listener; NULL: a backend has none. */
static const struct addr *proxy_address(const struct proxy *px)
{
	const struct bind_conf *bind;
	const struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (l->addr.family == AF_INET || l->addr.family == AF_INET6 ||
			    l->addr.family == AF_UNIX)
				return &l->addr;
	return NULL;
}

static bool has_port(const struct addr *addr)
{
	return addr && (addr->family == AF_INET || addr->family == AF_INET6);
}

/* argv[0] to argv[4], and the environment. */
static void describe(struct strings *s, const struct server *server, char *argv[6])
{
	static char not_used[] = "NOT_USED";
	const struct check_conf *conf = check_conf_of(server->proxy);
	const struct addr *front = proxy_address(server->proxy), *addr = &server->state->addr;
	char *front_addr = front ? string_addr(s, front) : NULL;
	char *front_port = has_port(front) ? string_number(s, front->port) : NULL;
	char *server_addr = string_addr(s, addr);
	char *server_port = has_port(addr) ? string_number(s, addr->port) : NULL;

	argv[0] = (char *)conf->command;
	argv[1] = front_addr ? front_addr : not_used;
	argv[2] = front_port ? front_port : not_used;
	argv[3] = server_addr;
	argv[4] = server_port ? server_port : not_used;
	argv[5] = NULL;
	variable(s, "HAPROXY_PROXY_ADDR", front_addr ? front_addr : "");
	variable(s, "HAPROXY_PROXY_ID", string_number(s, (unsigned)server->proxy->uuid));
	variable(s, "HAPROXY_PROXY_NAME", server->proxy->name);
	variable(s, "HAPROXY_PROXY_PORT", front_port ? front_port : "");
	variable(s, "HAPROXY_SERVER_ADDR", server_addr);
	variable(s, "HAPROXY_SERVER_CURCONN", string_number(s, server_sessions(server)));
	variable(s, "HAPROXY_SERVER_ID", string_number(s, (unsigned)server->puid));
	variable(s, "HAPROXY_SERVER_MAXCONN", string_number(s, server->state->maxconn));
	variable(s, "HAPROXY_SERVER_NAME", server->id);
	variable(s, "HAPROXY_SERVER_PORT", server_port ? server_port : "");
	variable(s, "HAPROXY_SERVER_PROTO", server->proxy->set.mode == MODE_HTTP ? "h1" : "tcp");
	variable(s, "HAPROXY_SERVER_SSL", server->tls ? "1" : "0");
	variable(s, "PATH", conf->path ? conf->path : "");
}

/* -- the process ----------------------------------------------------------------------------- */

/* In the child: never returns. A group of its own, so that what it starts ends with it. */
static void become(char **argv, char **env)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	if (null >= 0)
		dup2(null, STDIN_FILENO);
	signals_reset();
	close_range(3, ~0U, 0);
	if (!external_conf.setuid_wanted)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	execve(argv[0], argv, env);
	_exit(255);
}

static void external_free(struct reap *reap)
{
	free(container_of(reap, struct external, reap));
}

/* Forgets the process, which has ended. Its exit code; -1: a signal has ended it. */
static int external_reap(struct external *ext)
{
	struct external **at;
	int status;

	if (waitpid(ext->pid, &status, 0) != ext->pid || !WIFEXITED(status))
		status = -1;
	else
		status = WEXITSTATUS(status);
	for (at = &dying; *at && *at != ext; at = &(*at)->next)
		;
	if (*at)
		*at = ext->next;
	loop_remove(&ext->src);
	close(ext->src.fd);
	ext->src.fd = -1;
	loop_reap(&ext->reap, external_free);
	return status;
}

/* It is collected when it has ended, which may take a while. */
void external_stop(struct check *check)
{
	if (!check->external)
		return;
	kill(-check->external->pid, SIGKILL);
	kill(check->external->pid, SIGKILL);
	check->external->check = NULL;
	check->external->next = dying;
	dying = check->external;
	check->external = NULL;
}

static void external_ready(struct source *src, uint32_t events)
{
	struct external *ext = container_of(src, struct external, src);
	struct check *check = ext->check;
	int status = external_reap(ext);

	(void)events;
	if (!check)
		return; /* stopped */
	check->external = NULL;
	check_state(check)->code = status;
	ask_report(check, status ? CHECK_PROCERR : CHECK_PROCOK);
}

/* False: errno; nothing runs. */
static bool external_start(struct external *ext)
{
	struct strings s = { .count = 0 };
	char *argv[6];

	text_init(&s.text, s.memory, sizeof(s.memory));
	describe(&s, ext->check->server, argv);
	if (s.text.cut) {
		errno = E2BIG;
		return false;
	}
	ext->pid = fork();
	if (ext->pid < 0)
		return false;
	if (!ext->pid)
		become(argv, s.list);
	setpgid(ext->pid, ext->pid);
	ext->src.fd = (int)syscall(SYS_pidfd_open, ext->pid, 0);
	ext->src.ready = external_ready;
	if (ext->src.fd >= 0 && loop_add(&ext->src, EPOLLIN) == 0)
		return true;
	kill(ext->pid, SIGKILL);
	waitpid(ext->pid, NULL, 0);
	if (ext->src.fd >= 0)
		close(ext->src.fd);
	return false;
}

void external_begin(struct check *check)
{
	struct external *ext = calloc(1, sizeof(*ext));

	check->connected = true;
	if (ext) {
		ext->check = check;
		if (external_start(ext)) {
			check->external = ext;
			return;
		}
	}
	check_state(check)->error = (uint16_t)errno;
	check_state(check)->cause = CAUSE_SOCKET;
	free(ext);
	ask_report(check, CHECK_SOCKERR);
}
