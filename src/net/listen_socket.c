/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening of listening sockets, for net/accept.c. Each step that the system refuses ends it
 * with a sentence that says which address, what was refused and, where we know, what helps.
 * A Unix socket is bound under a temporary name and renamed, so that connecting to its path
 * works at every moment of a change of processes; its file is left in place at the end for
 * the same reason.
 */
#include "net/listen_socket.h"

#include "base/err.h"
#include "net/inherit.h"
#include "net/listener.h"
#include "net/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct listen_socket_conf listen_socket_conf = { .owner = -1, .reuseport = true };

/* A socket being opened. */
struct opener {
	struct listener *l;
	const struct bind_conf *bind;
	const struct listen_options *opt;
	struct err *err;
	int fd;
};

static int refused(struct opener *o, const char *what, const char *hint)
{
	char name[160];
	int error = errno;

	return err_set(o->err, "cannot listen on %s: %s: %s%s%s",
		       listener_name(o->l, name, sizeof(name)), what, strerror(error),
		       hint ? ". " : "", hint ? hint : "");
}

static int set_int_option(struct opener *o, int level, int option, int value, const char *what)
{
	if (!setsockopt(o->fd, level, option, &value, sizeof(value)))
		return 0;
	return refused(o, what, errno == EPERM ? "It needs root or CAP_NET_ADMIN" : NULL);
}

static bool is_ip(const struct addr *addr)
{
	return addr->family == AF_INET || addr->family == AF_INET6;
}

static bool given(const struct opener *o, uint64_t bit)
{
	return o->bind->options.on & bit;
}

/* Without the right to intercept, the address can at least be bound. */
static int set_transparent(struct opener *o)
{
	bool v6 = o->l->addr.family == AF_INET6;
	int one = 1;

	if (!setsockopt(o->fd, v6 ? SOL_IPV6 : SOL_IP, v6 ? IPV6_TRANSPARENT : IP_TRANSPARENT,
			&one, sizeof(one)))
		return 0;
	if (!setsockopt(o->fd, v6 ? SOL_IPV6 : SOL_IP, v6 ? IPV6_FREEBIND : IP_FREEBIND, &one,
			sizeof(one)))
		return 0;
	return refused(o, "transparent", "It needs root or CAP_NET_ADMIN");
}

static int set_interface(struct opener *o)
{
	const char *name = o->bind->interface;

	if (!setsockopt(o->fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name) + 1))
		return 0;
	return refused(o, name, errno == ENODEV ? "There is no such interface" :
				errno == EPERM ? "It needs root or CAP_NET_RAW" : NULL);
}

static int set_before_bind(struct opener *o)
{
	bool dgram = o->bind->dgram;

	/* Of datagrams it would let anybody take the port. */
	if (!dgram && set_int_option(o, SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR"))
		return -1;
	if ((listen_socket_conf.reuseport || dgram) &&
	    set_int_option(o, SOL_SOCKET, SO_REUSEPORT, 1, "SO_REUSEPORT"))
		return -1;
	if (given(o, BIND_TRANSPARENT) && set_transparent(o))
		return -1;
	if (o->bind->interface && set_interface(o))
		return -1;
	if (o->l->addr.family == AF_INET6 && given(o, BIND_V6ONLY | BIND_V4V6) &&
	    set_int_option(o, SOL_IPV6, IPV6_V6ONLY, given(o, BIND_V6ONLY), "v6only"))
		return -1;
	return 0;
}

static const char *bind_hint(const struct opener *o, int error)
{
	switch (error) {
	case EADDRINUSE:
		return o->bind->dgram ? "Another process uses this address (ss -lunp shows which)" :
					"Another process uses this address (ss -ltnp shows which)";
	case EACCES:
		return is_ip(&o->l->addr) ?
			       "Ports below 1024 need root or CAP_NET_BIND_SERVICE" :
			       "The process may not write to this folder";
	case EADDRNOTAVAIL:
		return "No interface of this machine has this address (see 'transparent')";
	case ENOENT:
		return "The folder of the socket does not exist";
	default:
		return NULL;
	}
}

static int do_bind(struct opener *o, const struct addr *addr)
{
	struct sockaddr_storage ss;
	socklen_t len = addr_to_sockaddr(addr, &ss);

	if (!bind(o->fd, (struct sockaddr *)&ss, len))
		return 0;
	return refused(o, "bind", bind_hint(o, errno));
}

/* tune.rcvbuf.client, tune.sndbuf.client */
static int set_sizes(struct opener *o)
{
	if (o->opt->rcvbuf &&
	    set_int_option(o, SOL_SOCKET, SO_RCVBUF, (int)o->opt->rcvbuf, "tune.rcvbuf.client"))
		return -1;
	if (o->opt->sndbuf &&
	    set_int_option(o, SOL_SOCKET, SO_SNDBUF, (int)o->opt->sndbuf, "tune.sndbuf.client"))
		return -1;
	return 0;
}

/* What connections inherit, whatever the address family. */
static int set_buffers(struct opener *o)
{
	static const struct linger at_once = { .l_onoff = 1 };

	if (o->opt->nolinger &&
	    setsockopt(o->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)))
		return refused(o, "option nolinger", NULL);
	return set_sizes(o);
}

static int set_keepalive(struct opener *o)
{
	const struct listen_options *opt = o->opt;

	if (set_int_option(o, SOL_SOCKET, SO_KEEPALIVE, opt->keepalive, "option clitcpka"))
		return -1;
	if (!opt->keepalive)
		return 0;
	if (opt->keepalive_cnt && set_int_option(o, SOL_TCP, TCP_KEEPCNT, opt->keepalive_cnt,
						 "clitcpka-cnt"))
		return -1;
	if (opt->keepalive_idle_s && set_int_option(o, SOL_TCP, TCP_KEEPIDLE,
						    (int)opt->keepalive_idle_s, "clitcpka-idle"))
		return -1;
	if (opt->keepalive_intvl_s &&
	    set_int_option(o, SOL_TCP, TCP_KEEPINTVL, (int)opt->keepalive_intvl_s,
			   "clitcpka-intvl"))
		return -1;
	return 0;
}

/* A negative mss lowers what the kernel advertises by that much: it tells through the
 * option itself what that would be. */
static int set_mss(struct opener *o)
{
	int mss = o->bind->mss;

	if (mss < 0) {
		socklen_t len = sizeof(mss);
		int value;

		if (getsockopt(o->fd, SOL_TCP, TCP_MAXSEG, &value, &len))
			return refused(o, "mss", NULL);
		mss = value + mss;
	}
	return set_int_option(o, SOL_TCP, TCP_MAXSEG, mss, "mss");
}

static int set_tcp(struct opener *o)
{
	if (o->opt->tcp_nodelay && set_int_option(o, SOL_TCP, TCP_NODELAY, 1, "TCP_NODELAY"))
		return -1;
	if (set_keepalive(o))
		return -1;
	if (o->bind->mss && set_mss(o))
		return -1;
	if (set_int_option(o, SOL_TCP, TCP_USER_TIMEOUT, (int)o->bind->tcp_ut, "tcp-ut"))
		return -1;
	if (set_int_option(o, SOL_TCP, TCP_DEFER_ACCEPT, given(o, BIND_DEFER_ACCEPT),
			   "defer-accept"))
		return -1;
	if (given(o, BIND_TFO) &&
	    set_int_option(o, SOL_TCP, TCP_FASTOPEN, o->l->backlog, "tfo"))
		return -1;
	return 0;
}

static int start_listening(struct opener *o)
{
	if (listen(o->fd, o->l->backlog))
		return refused(o, "listen", errno == EADDRINUSE ?
			       "Another process listens on this address" : NULL);
	if (is_ip(&o->l->addr) && o->opt->smart_accept &&
	    set_int_option(o, SOL_TCP, TCP_QUICKACK, 0, "option tcp-smart-accept"))
		return -1;
	return 0;
}

/* Sockets of one port must have one owner; those that a worker opens at its end are its user's. */
static void set_dgram_owner(int fd)
{
	if (listen_socket_conf.owner >= 0 && geteuid() != (uid_t)listen_socket_conf.owner &&
	    fchown(fd, (uid_t)listen_socket_conf.owner, (gid_t)-1) < 0)
		return; /* it is ours then, as those of this process will be */
}

/* What else they need is set by whoever takes the datagrams. */
static int tell_bound(struct opener *o)
{
	const char *what;

	if (set_sizes(o))
		return -1;
	what = o->bind->bound(o->l, o->fd);
	return what ? refused(o, what, NULL) : 0;
}

static int open_dgram(struct opener *o)
{
	set_dgram_owner(o->fd);
	if (set_before_bind(o) || do_bind(o, &o->l->addr))
		return -1;
	return tell_bound(o);
}

int listen_socket_further(const struct listener *l, const struct addr *own)
{
	struct opener o = { .l = (struct listener *)(uintptr_t)l, .bind = l->bind,
			    .opt = &l->bind->opt };
	int saved;

	o.fd = sock_open_datagrams(l->addr.family, l->bind->namespace);
	if (o.fd < 0)
		return -1;
	set_dgram_owner(o.fd);
	if (set_before_bind(&o) == 0 && do_bind(&o, own) == 0 && set_sizes(&o) == 0)
		return o.fd;
	saved = errno;
	close(o.fd);
	errno = saved;
	return -1;
}

static int open_ip(struct opener *o)
{
	if (set_before_bind(o) || do_bind(o, &o->l->addr) || set_buffers(o) || set_tcp(o))
		return -1;
	return start_listening(o);
}

static int set_owner(struct opener *o, const char *path)
{
	if (o->bind->mode >= 0 && chmod(path, (mode_t)o->bind->mode))
		return refused(o, "mode", NULL);
	if ((o->bind->uid >= 0 || o->bind->gid >= 0) &&
	    chown(path, (uid_t)o->bind->uid, (gid_t)o->bind->gid))
		return refused(o, "owner", "Only root may give a socket away");
	return 0;
}

/* Bound and listening under another name first. Nobody who connects finds the path missing
 * or nobody listening behind it. */
static int open_path(struct opener *o)
{
	char temporary[sizeof(((struct sockaddr_un *)0)->sun_path)];
	struct addr addr = { .family = AF_UNIX, .path = temporary };
	size_t room = sizeof(temporary);
	int result;

	if ((size_t)snprintf(temporary, room, "%s.%d.tmp", o->l->addr.path, (int)getpid()) >= room)
		return err_set(o->err, "cannot listen on %s: the path is too long by %zu characters",
			       o->l->addr.path,
			       strlen(o->l->addr.path) - (room - sizeof(".1234567.tmp")));
	if (unlink(temporary) && errno != ENOENT)
		return refused(o, temporary, NULL);
	if (do_bind(o, &addr) || set_buffers(o))
		return -1;
	if (set_owner(o, temporary) || start_listening(o)) {
		unlink(temporary);
		return -1;
	}
	if (!rename(temporary, o->l->addr.path))
		return 0;
	result = refused(o, "rename", NULL);
	unlink(temporary);
	return result;
}

static int open_unix(struct opener *o)
{
	if (*o->l->addr.path != '@')
		return open_path(o);
	if (do_bind(o, &o->l->addr) || set_buffers(o))
		return -1;
	return start_listening(o);
}

/* The poller takes a descriptor once: a further line that names it gets a copy, and so do all whose
 * numbers are beyond those that are noted. -1: there is none. */
static int inherited_once(int fd)
{
	static bool taken[8192];

	if ((unsigned)fd >= sizeof(taken) || taken[fd])
		return fcntl(fd, F_DUPFD_CLOEXEC, 3);
	taken[fd] = true;
	return fd;
}

/* A descriptor from the parent: bound, and perhaps listening already. */
static int open_inherited(struct opener *o)
{
	struct addr *addr = &o->l->addr;
	bool pair = addr->family == AF_SOCKPAIR;
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int fd = inherited_once(addr->fd);

	if (fd < 0 || getsockname(fd, (struct sockaddr *)&ss, &len))
		return refused(o, "inherited descriptor",
			       errno == EBADF ? "The parent did not pass it on" : NULL);
	if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) ||
	    fcntl(fd, F_SETFD, FD_CLOEXEC))
		return refused(o, "inherited descriptor", NULL);
	o->l->inherited = true;
	o->fd = fd;
	if (pair)
		return 0;
	addr_from_sockaddr(addr, &ss, len);
	if (set_buffers(o) || (is_ip(addr) && set_tcp(o)))
		return -1;
	return start_listening(o);
}

static int open_socket(struct opener *o)
{
	struct addr *addr = &o->l->addr;

	o->fd = o->bind->dgram ? sock_open_datagrams(addr->family, o->bind->namespace) :
				 sock_open(addr->family, o->bind->namespace);
	if (o->fd < 0)
		return refused(o, o->bind->namespace ? "namespace" : "socket", NULL);
	if (o->bind->dgram)
		return open_dgram(o);
	return is_ip(addr) ? open_ip(o) : open_unix(o);
}

/* One that the previous process handed over is bound and listens; what is set on it may have
 * changed. */
static int open_handed_over(struct opener *o)
{
	const struct addr *addr = &o->l->addr;

	if (o->bind->dgram)
		return tell_bound(o);
	if (addr->family == AF_UNIX && *addr->path != '@' && set_owner(o, addr->path))
		return -1;
	if (set_buffers(o) || (is_ip(addr) && set_tcp(o)))
		return -1;
	return start_listening(o);
}

int listen_socket_open(struct listener *l, const struct listen_options *opt, struct err *err)
{
	struct opener o = { l, l->bind, opt, err, -1 };
	int rc;

	o.fd = inherit_take(l);
	l->handed = o.fd >= 0;
	if (l->handed)
		rc = open_handed_over(&o);
	else if (l->addr.family == AF_FD || l->addr.family == AF_SOCKPAIR)
		rc = open_inherited(&o);
	else
		rc = open_socket(&o);
	if (!rc)
		return o.fd;
	if (o.fd >= 0)
		close(o.fd);
	return -1;
}

/* A socket pair delivers connections as descriptors. */
static int receive_descriptor(int fd)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char byte[16];
	struct iovec iov = { byte, sizeof(byte) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control,
			      .msg_controllen = sizeof(control) };
	ssize_t n = recvmsg(fd, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *cmsg;
	int passed;

	if (n <= 0) {
		errno = n ? errno : EPIPE;
		return -1;
	}
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS) {
		/* Without room in the descriptor table the kernel drops what was passed. */
		errno = msg.msg_flags & MSG_CTRUNC ? EMFILE : EPROTO;
		return -1;
	}
	memcpy(&passed, CMSG_DATA(cmsg), sizeof(passed));
	if (!fcntl(passed, F_SETFL, fcntl(passed, F_GETFL) | O_NONBLOCK))
		return passed;
	close(passed);
	errno = EPROTO;
	return -1;
}

int listen_socket_accept(struct listener *l, struct addr *from)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int fd;

	if (l->addr.family == AF_SOCKPAIR) {
		fd = receive_descriptor(l->src.fd);
		memset(from, 0, sizeof(*from));
		if (fd >= 0 && !getpeername(fd, (struct sockaddr *)&ss, &len))
			addr_from_sockaddr(from, &ss, len);
		return fd;
	}
	fd = accept4(l->src.fd, (struct sockaddr *)&ss, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0)
		addr_from_sockaddr(from, &ss, len);
	return fd;
}

/* A descriptor that the parent shares with us goes on listening for the others, and a Unix
 * socket could not be taken up again. */
static bool can_unlisten(const struct listener *l)
{
	return is_ip(&l->addr) && !l->inherited && !l->bind->dgram;
}

/* Other workers share the socket, and may have been faster. */
static bool listens(const struct listener *l)
{
	socklen_t len = sizeof(int);
	int on = 0;

	return getsockopt(l->src.fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) == 0 && on;
}

void listen_socket_unlisten(struct listener *l)
{
	if (can_unlisten(l) && listens(l))
		shutdown(l->src.fd, SHUT_RD);
}

/* The kernel numbers the sockets of an address in the order of their binding; a number that
 * does not exist leaves its own choice. After a socket has gone the last one takes its number,
 * so that between an old process and its successor 1 is always the successor. */
void listen_socket_steer_away(struct listener *l, bool on)
{
	struct sock_filter second[] = { BPF_STMT(BPF_RET | BPF_K, 1) };
	struct sock_fprog program = { 1, second };
	int unused = 0;

	if (!is_ip(&l->addr) || l->inherited)
		return;
	if (on)
		setsockopt(l->src.fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program,
			   sizeof(program));
	else
		setsockopt(l->src.fd, SOL_SOCKET, SO_DETACH_REUSEPORT_BPF, &unused,
			   sizeof(unused));
}

int listen_socket_hear(struct listener *l)
{
	const struct sockaddr none = { .sa_family = AF_UNSPEC };

	if (!can_unlisten(l) || listens(l))
		return 0;
	/* Two that shut it at the same moment have left a mark on it that accepted sockets would
	 * inherit: they would be at their end from the start. This wipes it off. */
	connect(l->src.fd, &none, sizeof(none));
	return listen(l->src.fd, l->backlog);
}
