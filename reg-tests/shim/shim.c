/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shim.so: an LD_PRELOAD library under which system calls behave as older or failing kernels do.
 * The tests in this folder run penstock with it. It never invents what no kernel does: what is
 * sent short is followed by EAGAIN and, later, by a fresh edge from epoll.
 *
 *   SHIM="RULE RULE..."    SHIM_LOG=FILE: each rule is written there when it first acts
 *   SHIM_WHILE=FILE: rules apply (and calls count) only while this file exists
 *
 * RULE is CALL=ACTION[@FROM[-TO]][%EVERY]; calls are counted from 1, FROM..TO bounds those that are
 * touched (default: all), %EVERY takes each EVERY-th of them.
 *
 *   pull=  splice from a socket into a pipe: limit:N (at most N bytes a call, as kernels that
 *          return one segment do), full:N (the pipe takes no more than N bytes in all),
 *          zero, EAGAIN (only where data are there; with the edge that their arrival
 *          brings: so sees it who looks at a socket in a sockmap), EINVAL, ENOSYS...
 *   push=  splice from a pipe into a socket: short:N, EINVAL...
 *   send=  send, sendmsg: short:N, ENOBUFS...
 *   segments=  sendmsg, sendmmsg whose first message the kernel is to cut up (UDP_SEGMENT): EINVAL...
 *   spread=  the program of a port that names one of its sockets (not one that always names the
 *          same): ENOMEM...
 *   pipe2= setpipe= (F_SETPIPE_SZ) accept4= socket= connect= epoll_ctl=: an error by name
 *   any of those with an error: ptrace (makes that system call first, which serving never does),
 *          spin (never comes back, and is busy all the time)
 *   memory=  malloc, calloc, realloc, posix_memalign: ENOMEM (not with a sanitizer, which brings
 *          its own). SHIM_OWN=1: of the program and of libc alone, not of other libraries
 *   mmap=  of memory without a file: ENOMEM (nor that)
 *
 * SHIM_CLOCK=FILE: its first 8 bytes are a number of seconds by which the clock of the system seems
 * to be ahead (mapped, so it can be changed while the program runs); the monotonic one is as it is.
 *
 * SHIM_OPTIONS=FILE: options of IP sockets that were set are written there, a line each: the local
 * port (0: not bound), the name, and the value that the kernel then has; and "PORT listen BACKLOG".
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MAX_RULES 16
#define MAX_FD 65536

enum call {
	PULL, PUSH, SEND, PIPE2, SETPIPE, ACCEPT4, SOCKET, CONNECT, EPOLL_CTL, MEMORY, MMAP, SEGMENTS,
	SPREAD, CALLS
};
enum action { ERROR, LIMIT, FULL, ZERO, SHORT, PTRACE, SPIN };

static const char *const call_names[CALLS] = { "pull", "push", "send", "pipe2", "setpipe", "accept4",
					       "socket", "connect", "epoll_ctl", "memory",
					       "mmap", "segments", "spread" };

static const struct {
	const char *name;
	int value;
} errors[] = { { "EAGAIN", EAGAIN },   { "EINVAL", EINVAL },   { "ENOSYS", ENOSYS },
	       { "EMFILE", EMFILE },   { "ENFILE", ENFILE },   { "EPERM", EPERM },
	       { "ENOMEM", ENOMEM },   { "ENOBUFS", ENOBUFS }, { "EADDRNOTAVAIL", EADDRNOTAVAIL },
	       { "ENOSPC", ENOSPC },   { "EBUSY", EBUSY },     { "ECONNABORTED", ECONNABORTED },
	       { "EACCES", EACCES },   { "EINTR", EINTR } };

struct rule {
	char text[64];
	enum call call;
	enum action action;
	int error;
	size_t bytes;
	unsigned long from, to, every;
	bool acted;
};

static struct rule rules[MAX_RULES];
static int n_rules = -1;
static unsigned long counts[CALLS];
static const char *while_file;

/* What a program registered with epoll, to raise an edge again after a short send. */
static struct watch {
	int epfd;
	struct epoll_event event;
	unsigned long blocked; /* the turn in which a send was cut short; 0: none */
} watches[MAX_FD];
static unsigned long turn_number = 1;

static void bad_rule(const char *text)
{
	fprintf(stderr, "shim: bad rule '%s'\n", text);
	_exit(99);
}

static bool parse_action(struct rule *r, const char *name, const char *bytes)
{
	static const char *const names[] = { "", "limit", "full", "zero", "short", "ptrace",
					     "spin" };

	r->bytes = bytes ? strtoul(bytes, NULL, 10) : 1448;
	for (unsigned i = 1; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], name)) {
			r->action = (enum action)i;
			return true;
		}
	for (unsigned i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (!strcmp(errors[i].name, name)) {
			r->error = errors[i].value;
			return true;
		}
	return false;
}

static void parse_rule(const char *text)
{
	struct rule *r = &rules[n_rules];
	char copy[64], *action, *range, *every, *bytes, *dash;
	int call = 0;

	snprintf(copy, sizeof(copy), "%s", text);
	snprintf(r->text, sizeof(r->text), "%s", text);
	action = strchr(copy, '=');
	if (!action || n_rules == MAX_RULES)
		bad_rule(text);
	*action++ = '\0';
	while (call < CALLS && strcmp(call_names[call], copy))
		call++;
	if ((every = strchr(action, '%')))
		*every++ = '\0';
	if ((range = strchr(action, '@')))
		*range++ = '\0';
	if ((bytes = strchr(action, ':')))
		*bytes++ = '\0';
	if (call == CALLS || !parse_action(r, action, bytes))
		bad_rule(text);
	dash = range ? strchr(range, '-') : NULL;
	r->call = (enum call)call;
	r->from = range ? strtoul(range, NULL, 10) : 1;
	r->to = dash ? strtoul(dash + 1, NULL, 10) : (unsigned long)-1;
	r->every = every ? strtoul(every, NULL, 10) : 1;
	n_rules++;
}

static int log_fd = -1;
static bool started; /* the environment may be looked at: a sanitizer maps memory earlier */

/* What is called from there is counted: the program, libc. */
static struct range {
	uintptr_t from, to;
} own[2];
static bool own_alone;

static int note_range(struct dl_phdr_info *info, size_t size, void *arg)
{
	bool program = !*info->dlpi_name, libc = strstr(info->dlpi_name, "/libc.so") != NULL;

	(void)size;
	(void)arg;
	for (int i = 0; (program || libc) && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];

		if (h->p_type == PT_LOAD && h->p_flags & PF_X)
			own[libc] = (struct range){ info->dlpi_addr + h->p_vaddr,
						    info->dlpi_addr + h->p_vaddr + h->p_memsz };
	}
	return 0;
}

static bool is_own(const void *caller)
{
	uintptr_t at = (uintptr_t)caller;

	return !own_alone || (at >= own[0].from && at < own[0].to) ||
	       (at >= own[1].from && at < own[1].to);
}

/* Early: a process that has given up rights may not be able to open it. */
__attribute__((constructor)) static void open_log(void)
{
	const char *path = getenv("SHIM_LOG");

	started = true;
	log_fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
	own_alone = getenv("SHIM_OWN") != NULL;
	if (own_alone)
		dl_iterate_phdr(note_range, NULL);
}

static void parse_rules(void)
{
	const char *env = getenv("SHIM");
	char copy[1024], *save = NULL;

	n_rules = 0;
	while_file = getenv("SHIM_WHILE");
	snprintf(copy, sizeof(copy), "%s", env ? env : "");
	for (char *p = strtok_r(copy, " ", &save); p; p = strtok_r(NULL, " ", &save))
		parse_rule(p);
}

static void log_rule(struct rule *r)
{
	char line[80];
	int n;

	r->acted = true;
	if (log_fd < 0)
		return;
	n = snprintf(line, sizeof(line), "%s\n", r->text);
	if (write(log_fd, line, (size_t)n) != n)
		r->acted = false;
}

static struct rule *rule_find(enum call call)
{
	unsigned long n;

	if (n_rules < 0)
		parse_rules();
	if (while_file && access(while_file, F_OK))
		return NULL;
	n = ++counts[call];
	for (struct rule *r = rules; r < rules + n_rules; r++) {
		if (r->call != call || n < r->from || n > r->to || (n - r->from) % r->every)
			continue;
		if (!r->acted)
			log_rule(r);
		return r;
	}
	return NULL;
}

/* The rule that applies to this call, which it counts; NULL when none does. */
static struct rule *rule_for(enum call call)
{
	int error = errno;
	struct rule *r = rule_find(call);

	errno = error;
	return r;
}

/* Whether a call has to fail; errno is then set. */
static bool fails(enum call call)
{
	struct rule *r = rule_for(call);

	if (r && r->action == PTRACE)
		syscall(SYS_ptrace, PTRACE_DETACH, 0, 0, 0);
	while (r && r->action == SPIN)
		__asm__ volatile("" ::: "memory");
	if (!r || r->action != ERROR)
		return false;
	errno = r->error;
	return true;
}

/* real: the function of that name behind this library. */
#define REAL(name) \
	static __typeof__(&name) real; \
	if (!real) \
		real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int real_epoll_ctl(int epfd, int op, int fd, struct epoll_event *e)
{
	REAL(epoll_ctl);
	return real(epfd, op, fd, e);
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *e)
{
	int ret;

	if (op == EPOLL_CTL_ADD && fails(EPOLL_CTL))
		return -1;
	ret = real_epoll_ctl(epfd, op, fd, e);
	if (!ret && fd < MAX_FD) {
		watches[fd].epfd = op == EPOLL_CTL_DEL ? -1 : epfd;
		watches[fd].blocked = 0;
		if (e)
			watches[fd].event = *e;
	}
	return ret;
}

int epoll_wait(int epfd, struct epoll_event *events, int max, int timeout)
{
	REAL(epoll_wait);
	turn_number++;
	return real(epfd, events, max, timeout);
}

/* Whether fd was cut short in this turn, so that a kernel would now say EAGAIN. */
static bool still_blocked(int fd)
{
	return fd >= 0 && fd < MAX_FD && watches[fd].blocked == turn_number;
}

/* Makes the next wait report what fd is ready for. */
static bool raise_edge(int fd)
{
	struct watch *w = fd >= 0 && fd < MAX_FD ? &watches[fd] : NULL;
	int error = errno;
	bool done = w && w->epfd > 0 && !real_epoll_ctl(w->epfd, EPOLL_CTL_MOD, fd, &w->event);

	errno = error;
	return done;
}

/* After a short send: EAGAIN until the next wait, which reports the socket writable again. */
static void cut_short(int fd)
{
	if (raise_edge(fd))
		watches[fd].blocked = turn_number;
}

static bool has_data(int fd)
{
	int n = 0;

	return !ioctl(fd, FIONREAD, &n) && n > 0;
}

static bool is_fifo(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISFIFO(st.st_mode);
}

typedef __typeof__(splice) splice_fn;

static ssize_t pull(splice_fn *real, struct rule *r, int in, int out, size_t len, unsigned flags)
{
	int held = 0;

	switch (r->action) {
	case ERROR:
	case ZERO:
		if (r->action == ERROR && r->error != EAGAIN) {
			errno = r->error;
			return -1;
		}
		if (!has_data(in))
			break;
		raise_edge(in);
		errno = EAGAIN;
		return r->action == ZERO ? 0 : -1;
	case FULL:
		ioctl(out, FIONREAD, &held);
		if ((size_t)held >= r->bytes) {
			errno = EAGAIN;
			return -1;
		}
		if (len > r->bytes - (size_t)held)
			len = r->bytes - (size_t)held;
		break;
	case LIMIT:
	case SHORT:
	case PTRACE:
	case SPIN:
		len = len > r->bytes ? r->bytes : len;
	}
	return real(in, NULL, out, NULL, len, flags);
}

ssize_t splice(int in, off64_t *off_in, int out, off64_t *off_out, size_t len, unsigned flags)
{
	bool pulling = is_fifo(out);
	struct rule *r;
	bool cut;
	ssize_t n;

	REAL(splice);
	r = rule_for(pulling ? PULL : PUSH);
	if (!r && (pulling || !still_blocked(out)))
		return real(in, off_in, out, off_out, len, flags);
	if (pulling)
		return pull(real, r, in, out, len, flags);
	if (still_blocked(out) || r->action == ERROR) {
		errno = still_blocked(out) ? EAGAIN : r->error;
		return -1;
	}
	cut = len > r->bytes;
	n = real(in, off_in, out, off_out, cut ? r->bytes : len, flags);
	if (cut && n > 0)
		cut_short(out);
	return n;
}

ssize_t send(int fd, const void *buf, size_t len, int flags)
{
	struct rule *r = rule_for(SEND);
	ssize_t n;

	REAL(send);
	if (still_blocked(fd) || (r && r->action == ERROR)) {
		errno = still_blocked(fd) ? EAGAIN : r->error;
		return -1;
	}
	if (!r || len <= r->bytes)
		return real(fd, buf, len, flags);
	n = real(fd, buf, r->bytes, flags);
	if (n > 0)
		cut_short(fd);
	return n;
}

/* The rule for messages that the kernel is to cut up, if this is one. */
static struct rule *rule_for_segments(const struct msghdr *msg)
{
	struct cmsghdr *c;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR((struct msghdr *)(uintptr_t)msg, c))
		if (c->cmsg_level == IPPROTO_UDP && c->cmsg_type == UDP_SEGMENT)
			return rule_for(SEGMENTS);
	return NULL;
}

int sendmmsg(int fd, struct mmsghdr *msgs, unsigned n, int flags)
{
	struct rule *r = n ? rule_for_segments(&msgs[0].msg_hdr) : NULL;

	REAL(sendmmsg);
	if (!r)
		return real(fd, msgs, n, flags);
	errno = r->error;
	return -1;
}

ssize_t sendmsg(int fd, const struct msghdr *msg, int flags)
{
	struct rule *s = rule_for_segments(msg), *r = s ? s : rule_for(SEND);
	struct msghdr one;
	struct iovec v;
	ssize_t n;

	REAL(sendmsg);
	if (still_blocked(fd) || (r && r->action == ERROR)) {
		errno = still_blocked(fd) ? EAGAIN : r->error;
		return -1;
	}
	if (!r || !msg->msg_iovlen)
		return real(fd, msg, flags);
	one = *msg;
	v = msg->msg_iov[0];
	v.iov_len = v.iov_len > r->bytes ? r->bytes : v.iov_len;
	one.msg_iov = &v;
	one.msg_iovlen = 1;
	n = real(fd, &one, flags);
	if (n > 0 && (msg->msg_iovlen > 1 || (size_t)n < msg->msg_iov[0].iov_len))
		cut_short(fd);
	return n;
}

int pipe2(int fds[2], int flags)
{
	REAL(pipe2);
	return fails(PIPE2) ? -1 : real(fds, flags);
}

static int fcntl_either(int fd, int cmd, void *arg)
{
	REAL(fcntl);
	if (cmd == F_SETPIPE_SZ && fails(SETPIPE))
		return -1;
	return real(fd, cmd, arg);
}

int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fcntl_either(fd, cmd, arg);
}

int fcntl64(int fd, int cmd, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, cmd);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fcntl_either(fd, cmd, arg);
}

int accept4(int fd, struct sockaddr *addr, socklen_t *len, int flags)
{
	REAL(accept4);
	return fails(ACCEPT4) ? -1 : real(fd, addr, len, flags);
}

int socket(int domain, int type, int protocol)
{
	REAL(socket);
	return fails(SOCKET) ? -1 : real(domain, type, protocol);
}

int connect(int fd, const struct sockaddr *addr, socklen_t len)
{
	REAL(connect);
	return fails(CONNECT) ? -1 : real(fd, addr, len);
}

/* ---- the clock of the system -------------------------------------------------------------- */

static const volatile int64_t *clock_ahead;

__attribute__((constructor)) static void map_clock(void)
{
	const char *path = getenv("SHIM_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *map = fd >= 0 ? mmap(NULL, sizeof(*clock_ahead), PROT_READ, MAP_SHARED, fd, 0) : MAP_FAILED;

	if (map != MAP_FAILED)
		clock_ahead = map;
	if (fd >= 0)
		close(fd);
}

int clock_gettime(clockid_t which, struct timespec *ts)
{
	REAL(clock_gettime);
	int rc = real(which, ts);

	if (rc == 0 && clock_ahead && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
		ts->tv_sec += *clock_ahead;
	return rc;
}

int gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
	REAL(gettimeofday);
	int rc = real(tv, zone);

	if (rc == 0 && clock_ahead)
		tv->tv_sec += *clock_ahead;
	return rc;
}

time_t time(time_t *at)
{
	REAL(time);
	time_t now = real(NULL);

	now += clock_ahead ? *clock_ahead : 0;
	if (at)
		*at = now;
	return now;
}

/* ---- what is asked of sockets ------------------------------------------------------------- */

static const struct {
	int level, option;
	const char *name;
} options[] = {
	{ SOL_SOCKET, SO_KEEPALIVE, "SO_KEEPALIVE" },
	{ SOL_IPV6, IPV6_V6ONLY, "IPV6_V6ONLY" },
	{ SOL_IP, IP_TRANSPARENT, "IP_TRANSPARENT" },
	{ SOL_IP, IP_FREEBIND, "IP_FREEBIND" },
	{ IPPROTO_TCP, TCP_KEEPCNT, "TCP_KEEPCNT" },
	{ IPPROTO_TCP, TCP_KEEPIDLE, "TCP_KEEPIDLE" },
	{ IPPROTO_TCP, TCP_KEEPINTVL, "TCP_KEEPINTVL" },
	{ IPPROTO_TCP, TCP_USER_TIMEOUT, "TCP_USER_TIMEOUT" },
	{ IPPROTO_TCP, TCP_DEFER_ACCEPT, "TCP_DEFER_ACCEPT" },
	{ IPPROTO_TCP, TCP_QUICKACK, "TCP_QUICKACK" },
	{ IPPROTO_TCP, TCP_FASTOPEN, "TCP_FASTOPEN" },
	{ IPPROTO_TCP, TCP_FASTOPEN_CONNECT, "TCP_FASTOPEN_CONNECT" },
};

static void note_option(int fd, const char *name, int value)
{
	static int out = -1; /* opened by the first one: later the sandbox would not allow it */
	const char *path = getenv("SHIM_OPTIONS");
	struct sockaddr_in6 addr = { .sin6_port = 0 }; /* the port is at the same place in both
						        * families */
	socklen_t len = sizeof(addr);
	char line[80];
	int n;

	if (!path || getsockname(fd, (struct sockaddr *)&addr, &len) || len < sizeof(struct sockaddr_in))
		return;
	if (out < 0)
		out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	n = snprintf(line, sizeof(line), "%d %s %d\n", ntohs(addr.sin6_port), name, value);
	if (out < 0 || write(out, line, (size_t)n) != n)
		fprintf(stderr, "shim: cannot write %s\n", path);
}

int setsockopt(int fd, int level, int option, const void *value, socklen_t len)
{
	int ret, now = 0;

	REAL(setsockopt);
	if (level == SOL_SOCKET && option == SO_ATTACH_REUSEPORT_CBPF &&
	    ((const struct sock_fprog *)value)->len > 1 && fails(SPREAD))
		return -1;
	ret = real(fd, level, option, value, len);
	for (unsigned i = 0; !ret && i < sizeof(options) / sizeof(*options); i++)
		if (options[i].level == level && options[i].option == option &&
		    !getsockopt(fd, level, option, &now, &(socklen_t){ sizeof(now) }))
			note_option(fd, options[i].name, now);
	return ret;
}

int listen(int fd, int backlog)
{
	int ret;

	REAL(listen);
	ret = real(fd, backlog);
	if (!ret)
		note_option(fd, "listen", backlog);
	return ret;
}

/* glibc's own names: dlsym would allocate memory itself. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t align, size_t size);

#define DENIED() (is_own(__builtin_return_address(0)) && fails(MEMORY))

void *malloc(size_t size)
{
	return DENIED() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return DENIED() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return DENIED() ? NULL : __libc_realloc(p, size);
}

int posix_memalign(void **p, size_t align, size_t size)
{
	void *memory = DENIED() ? NULL : __libc_memalign(align, size);

	if (memory)
		*p = memory;
	return memory ? 0 : ENOMEM;
}

void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
	if (flags & MAP_ANONYMOUS && started && fails(MMAP))
		return MAP_FAILED;
	return (void *)syscall(SYS_mmap, at, size, prot, flags, fd, offset);
}
