/* SPDX-License-Identifier: BSD-2-Clause */
/* Questions by c-ares, whose sockets the loop watches, and whose time-outs are a timer of ours. It
 * draws random numbers when it begins, and opens no file after that. Numbers of questions and their
 * ports are random for each process. */
#include "dns/ask.h"

#include "base/clock.h"
#include "base/err.h"
#include "dns/files.h"
#include "event/loop.h"
#include "event/timer.h"

#include <ares.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/time.h>

enum { TRY_MS = 1000, TRIES = 3 }; /* c-ares doubles the time from one round to the next */

struct ask_socket {
	struct source src;
	struct list node;
	struct reap reap;
};

struct question {
	void *whose;
	int family;
};

void (*dns_asked)(void *whose, int family, const struct ask_answer *answer);

static ares_channel channel;
static bool running;
static struct list sockets = LIST_INIT(sockets);
static struct timer timer;

const char *dns_library(void)
{
	static char text[40];

	snprintf(text, sizeof(text), "c-ares %s", ares_version(NULL));
	return text;
}

/* ---- sockets -------------------------------------------------------------------------------- */

static void set_timer(void)
{
	struct timeval memory, *tv = running ? ares_timeout(channel, NULL, &memory) : NULL;

	if (!tv)
		timer_cancel(&timer);
	else
		timer_set(&timer, clock_now_ms + (uint64_t)tv->tv_sec * 1000 +
					  (uint64_t)tv->tv_usec / 1000 + 1);
}

static void fire(struct timer *t)
{
	(void)t;
	ares_process_fd(channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	set_timer();
}

static void socket_ready(struct source *src, uint32_t events)
{
	int fd = src->fd;

	if (fd < 0 || !running)
		return;
	ares_process_fd(channel, events & (EPOLLIN | EPOLLHUP | EPOLLERR) ? fd : ARES_SOCKET_BAD,
			events & EPOLLOUT ? fd : ARES_SOCKET_BAD);
	set_timer();
}

static void free_socket(struct reap *reap)
{
	free(container_of(reap, struct ask_socket, reap));
}

static struct ask_socket *socket_find(int fd)
{
	struct ask_socket *s;

	list_for_each(s, &sockets, node)
		if (s->src.fd == fd)
			return s;
	return NULL;
}

static void socket_drop(struct ask_socket *s)
{
	list_remove(&s->node);
	if (s->src.registered)
		loop_remove(&s->src);
	s->src.fd = -1;
	loop_reap(&s->reap, free_socket);
}

/* One that the loop cannot watch hears nothing: its questions time out. */
static void socket_watch(int fd, uint32_t events)
{
	struct ask_socket *s = calloc(1, sizeof(*s));

	if (!s)
		return;
	s->src = (struct source){ .fd = fd, .ready = socket_ready };
	if (loop_add(&s->src, events) < 0) {
		free(s);
		return;
	}
	list_append(&sockets, &s->node);
}

/* What c-ares wants to know of a socket; nothing: it closes it next. */
static void socket_state(void *data, ares_socket_t fd, int readable, int writable)
{
	struct ask_socket *s = socket_find(fd);
	uint32_t events = (readable ? EPOLLIN : 0) | (writable ? EPOLLOUT : 0);

	(void)data;
	if (!events && s)
		socket_drop(s);
	else if (events && s)
		loop_modify(&s->src, events);
	else if (events)
		socket_watch(fd, events);
}

/* ---- questions ------------------------------------------------------------------------------ */

static enum dns_result result_of(int status)
{
	switch (status) {
	case ARES_SUCCESS:
		return DNS_FOUND;
	case ARES_ENOTFOUND:
	case ARES_ENODATA:
		return DNS_UNKNOWN;
	case ARES_ETIMEOUT:
		return DNS_SILENT;
	default:
		return DNS_FAILED;
	}
}

static void lower(unsigned *ttl, int seconds)
{
	if (seconds >= 0 && (unsigned)seconds < *ttl)
		*ttl = (unsigned)seconds;
}

static void take(struct ask_answer *answer, struct addr *addr, const struct ares_addrinfo *found)
{
	const struct ares_addrinfo_cname *cname;
	const struct ares_addrinfo_node *node;

	for (node = found->nodes; node; node = node->ai_next) {
		struct sockaddr_storage ss = { 0 };

		if (answer->count == DNS_ADDRS || node->ai_addrlen > sizeof(ss))
			break;
		memcpy(&ss, node->ai_addr, node->ai_addrlen);
		addr_from_sockaddr(&addr[answer->count], &ss, node->ai_addrlen);
		addr[answer->count++].port = 0;
		lower(&answer->ttl, node->ai_ttl);
	}
	for (cname = found->cnames; cname; cname = cname->next)
		lower(&answer->ttl, cname->ttl);
}

static void answered(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	static struct addr addr[DNS_ADDRS];
	struct question *q = arg;
	struct ask_answer answer = { .result = result_of(status), .ttl = UINT32_MAX, .addr = addr };

	(void)timeouts;
	if (status == ARES_SUCCESS && found)
		take(&answer, addr, found);
	if (answer.result == DNS_FOUND && !answer.count)
		answer.result = DNS_UNKNOWN;
	if (found)
		ares_freeaddrinfo(found);
	if (status != ARES_EDESTRUCTION)
		dns_asked(q->whose, q->family, &answer);
	free(q);
}

void dns_ask(const char *name, int family, void *whose)
{
	static const struct ask_answer failed = { .result = DNS_FAILED };
	const struct ares_addrinfo_hints hints = { .ai_flags = ARES_AI_NOSORT, .ai_family = family };
	struct question *q = malloc(sizeof(*q));

	if (!q) {
		dns_asked(whose, family, &failed);
		return;
	}
	*q = (struct question){ whose, family };
	ares_getaddrinfo(channel, name, NULL, &hints, answered, q);
	set_timer();
}

/* ---- begin and end -------------------------------------------------------------------------- */

static int give_servers(const struct dns_servers *servers)
{
	struct ares_addr_port_node nodes[DNS_SERVERS] = { 0 };
	unsigned i;

	for (i = 0; i < servers->count; i++) {
		const struct addr *addr = &servers->addr[i];

		nodes[i].next = i + 1 < servers->count ? &nodes[i + 1] : NULL;
		nodes[i].family = addr->family;
		nodes[i].udp_port = nodes[i].tcp_port = addr->port;
		if (addr->family == AF_INET)
			nodes[i].addr.addr4 = addr->v4;
		else
			memcpy(&nodes[i].addr.addr6, &addr->v6, sizeof(addr->v6));
	}
	return ares_set_servers_ports(channel, nodes);
}

int dns_ask_begin(const struct dns_servers *servers, struct err *err)
{
	/* All that resolv.conf and the environment could say is said here. */
	char nobody[] = "/dev/null", lookups[] = "b";
	struct ares_options options = {
		.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES, .timeout = TRY_MS, .tries = TRIES,
		.ndots = 1, .lookups = lookups, .resolvconf_path = nobody,
		.sock_state_cb = socket_state,
	};
	int status = ares_library_init(ARES_LIB_INIT_ALL);

	if (!status)
		status = ares_init_options(&channel, &options,
					   ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
						   ARES_OPT_NDOTS | ARES_OPT_LOOKUPS |
						   ARES_OPT_RESOLVCONF | ARES_OPT_SOCK_STATE_CB);
	if (status)
		return err_set(err, "c-ares does not begin: %s", ares_strerror(status));
	running = true;
	timer_init(&timer, fire);
	status = give_servers(servers);
	if (status)
		return err_set(err, "c-ares does not take the name servers: %s", ares_strerror(status));
	return 0;
}

void dns_ask_end(void)
{
	struct ask_socket *s, *next;

	if (!running)
		return;
	running = false;
	timer_cancel(&timer);
	ares_destroy(channel);
	list_for_each_safe(s, next, &sockets, node)
		socket_drop(s);
	ares_library_cleanup();
}
