/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The filter of system calls (seccomp): an allow-list, loaded by libseccomp, for the process that
 * serves, after everything was opened. Called by confine.c alone.
 *
 * What is called for each exchange is allowed without a look at its arguments: the kernel then
 * answers from a bitmap and runs no program. Arguments are looked at where a call could do more
 * than serving needs (open for writing, sockets of other families, signals, code in fresh memory).
 *
 * A refused call raises SIGSYS in its place (SECCOMP_RET_TRAP). The handler runs where our own code
 * made the call, so the data of the log are whole, unless the log made it; what may be held are
 * locks of libc. So it writes the name with write(2) first, also for the parent, which logs it;
 * then it logs by itself, and an alarm ends it if that should wait for a lock. Names were
 * collected before: resolving them allocates.
 */
#include "process/sandbox.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "log/log.h"
#include "process/obituary.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef SYS_SECCOMP /* si_code; older headers of libc lack it */
#define SYS_SECCOMP 1
#endif
#define CALL(name) SCMP_SYS(name)

/* Those of each exchange first, in the order of how often they are called. */
static const int sandbox_calls[] = {
	/* bytes */
	CALL(epoll_wait), CALL(recvfrom), CALL(sendto), CALL(sendmsg), CALL(splice), CALL(recvmsg),
	CALL(read), CALL(write), CALL(writev), CALL(readv), CALL(epoll_pwait),
	/* connections */
	CALL(epoll_ctl), CALL(accept4), CALL(close), CALL(connect), CALL(setsockopt),
	CALL(getsockopt), CALL(shutdown), CALL(getsockname), CALL(getpeername), CALL(bind),
	CALL(listen), CALL(accept), CALL(pipe2), CALL(fcntl), CALL(socketpair),
	/* time */
	CALL(clock_gettime), CALL(gettimeofday), CALL(time), CALL(clock_getres),
	CALL(clock_nanosleep), CALL(nanosleep), CALL(timerfd_create), CALL(timerfd_settime),
	CALL(timerfd_gettime), CALL(setitimer), CALL(getitimer), CALL(alarm),
	/* memory */
	CALL(munmap), CALL(mremap), CALL(madvise), CALL(brk), CALL(futex), CALL(membarrier),
	/* events and signals */
	CALL(epoll_create1), CALL(epoll_pwait2), CALL(eventfd2), CALL(signalfd4), CALL(poll),
	CALL(ppoll), CALL(select), CALL(pselect6), CALL(rt_sigprocmask), CALL(rt_sigreturn),
	CALL(rt_sigaction), CALL(rt_sigpending), CALL(rt_sigtimedwait), CALL(sigaltstack),
	CALL(restart_syscall),
	/* the resolver of libc */
	CALL(sendmmsg), CALL(recvmmsg), CALL(fstat), CALL(newfstatat), CALL(stat), CALL(lstat),
	CALL(statx), CALL(access), CALL(faccessat), CALL(faccessat2), CALL(readlink),
	CALL(readlinkat), CALL(lseek), CALL(pread64), CALL(getcwd), CALL(getdents64),
	/* the process itself */
	CALL(getpid), CALL(gettid), CALL(getppid), CALL(getuid), CALL(geteuid), CALL(getgid),
	CALL(getegid), CALL(getrandom), CALL(getrusage), CALL(getrlimit), CALL(times),
	CALL(uname), CALL(sysinfo), CALL(getcpu), CALL(sched_yield), CALL(sched_getaffinity),
	CALL(dup), CALL(dup2), CALL(dup3), CALL(exit), CALL(exit_group),
};

/* ---- a refused call ---------------------------------------------------------------------- */

enum { NAMES = 512, NAMES_SIZE = 8192, HANDLER_SECONDS = 5 };

static char names_memory[NAMES_SIZE];
static struct text names_text;
static const char *names[NAMES]; /* by number; NULL: none */

static void names_collect(void)
{
	int n;

	text_init(&names_text, names_memory, sizeof(names_memory));
	for (n = 0; n < NAMES; n++) {
		char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, n);

		if (name && strlen(name) + 2 < NAMES_SIZE - names_text.len) {
			names[n] = names_text.ptr + names_text.len;
			text_add(&names_text, name, strlen(name) + 1);
		}
		free(name);
	}
}

static void put_name(const char *name)
{
	char memory[128];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "penstock: refused system call ");
	text_str(&t, name);
	text_char(&t, '\n');
	obituary_say(t.ptr, t.len);
}

/* In the place of the call; SIGSYS is blocked, so that another refused call kills at once. */
static void sandbox_refused(int signo, siginfo_t *info, void *context)
{
	int number = info->si_syscall;
	const char *name = number >= 0 && number < NAMES ? names[number] : NULL;

	(void)context;
	if (info->si_code != SYS_SECCOMP) { /* somebody sent it */
		signal(signo, SIG_DFL);
		raise(signo);
		return;
	}
	name = name ? name : "of an unknown number";
	put_name(name);
	signal(SIGALRM, SIG_DFL);
	alarm(HANDLER_SECONDS);
	obituary_write(signo);
	log_process(LOG_L_ALERT, "Refused system call %s (number %d): the process ends. "
		    "insecure-syscalls-wanted in the global section allows all.", name, number);
	signal(signo, SIG_DFL);
	raise(signo); /* pending until we return */
}

static int sandbox_watch(void)
{
	struct sigaction action = { .sa_sigaction = sandbox_refused, .sa_flags = SA_SIGINFO };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGSYS);
	return sigaction(SIGSYS, &action, NULL) | sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* ---- the list ---------------------------------------------------------------------------- */

/* Calls that another architecture has in another form are none there. */
static int rule(scmp_filter_ctx ctx, uint32_t action, int call, unsigned count,
		const struct scmp_arg_cmp *args)
{
	int rc = seccomp_rule_add_array(ctx, action, call, count, args);

	return call < 0 ? 0 : rc;
}

/* Of an argument, numbered from 0: its value; those bits of it that are in the mask. */
#define IS(n, value) { (n), SCMP_CMP_EQ, (value), 0 }
#define BITS(n, mask, value) { (n), SCMP_CMP_MASKED_EQ, (mask), (value) }
#define RULE(ctx, action, call, ...)                                                       \
	rule(ctx, action, CALL(call), ARRAY_LEN(((struct scmp_arg_cmp[]){ __VA_ARGS__ })), \
	     (struct scmp_arg_cmp[]){ __VA_ARGS__ })
#define ALLOW(ctx, call, ...) RULE(ctx, SCMP_ACT_ALLOW, call, __VA_ARGS__)

static int allow_calls(scmp_filter_ctx ctx)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < ARRAY_LEN(sandbox_calls) && !rc; i++)
		rc = rule(ctx, SCMP_ACT_ALLOW, sandbox_calls[i], 0, NULL);
	for (i = 0; i < 16; i++)
		seccomp_syscall_priority(ctx, sandbox_calls[i], (uint8_t)(255 - i));
	return rc;
}

static int allow_sockets(scmp_filter_ctx ctx)
{
	return ALLOW(ctx, socket, IS(0, AF_INET)) |
	       ALLOW(ctx, socket, IS(0, AF_INET6)) |
	       ALLOW(ctx, socket, IS(0, AF_UNIX)) |
	       /* the resolver asks for our addresses */
	       ALLOW(ctx, socket, IS(0, AF_NETLINK),
		     IS(2, NETLINK_ROUTE));
}

/* Reading only: what is written to was opened before. */
static int allow_files(scmp_filter_ctx ctx)
{
	const scmp_datum_t writes = O_ACCMODE | O_CREAT | O_TRUNC;

	return ALLOW(ctx, openat, BITS(2, writes, O_RDONLY)) |
	       ALLOW(ctx, open, BITS(1, writes, O_RDONLY)) |
	       ALLOW(ctx, prlimit64, IS(2, 0)) |
	       ALLOW(ctx, ioctl, IS(1, FIONREAD)) |
	       ALLOW(ctx, ioctl, IS(1, TIOCOUTQ)) |
	       ALLOW(ctx, ioctl, IS(1, FIONBIO)) |
	       ALLOW(ctx, ioctl, IS(1, TCGETS)) |
	       ALLOW(ctx, ioctl, IS(1, SIOCGIFINDEX)); /* "fe80::1%eth0" */
}

/* Libraries of the resolver may be mapped; memory that can be written never holds code: regular
 * expressions that are compiled from now on are interpreted. */
static int allow_memory(scmp_filter_ctx ctx)
{
	int rc = ALLOW(ctx, mmap, BITS(2, PROT_EXEC, 0)) |
		 ALLOW(ctx, mmap, BITS(2, PROT_EXEC | PROT_WRITE, PROT_EXEC),
		       BITS(3, MAP_ANONYMOUS, 0)) |
		 ALLOW(ctx, mprotect, BITS(2, PROT_EXEC, 0));

	if (rc)
		return rc;
	return RULE(ctx, SCMP_ACT_ERRNO(EACCES), mmap, BITS(2, PROT_EXEC, PROT_EXEC),
		    BITS(3, MAP_ANONYMOUS, MAP_ANONYMOUS)) |
	       RULE(ctx, SCMP_ACT_ERRNO(EACCES), mprotect, BITS(2, PROT_EXEC, PROT_EXEC));
}

/* Signals to ourselves: abort(), raise(). */
static int allow_signals(scmp_filter_ctx ctx)
{
	const scmp_datum_t self = (scmp_datum_t)getpid();

	return ALLOW(ctx, kill, IS(0, self)) |
	       ALLOW(ctx, tgkill, IS(0, self));
}

/* What functions of Lua's libraries ask for. The names are those of io and os. */
static int fail_scripts(scmp_filter_ctx ctx)
{
	static const int calls[] = {
		CALL(clone), CALL(clone3), CALL(fork), CALL(vfork), CALL(execve), CALL(execveat),
		CALL(wait4), CALL(waitid), CALL(unlink), CALL(unlinkat), CALL(rmdir), CALL(rename),
		CALL(renameat), CALL(renameat2), CALL(mkdir), CALL(mkdirat), CALL(creat),
	};
	static const scmp_datum_t writes[] = { O_WRONLY, O_RDWR, O_CREAT, O_TRUNC };
	const uint32_t fails = SCMP_ACT_ERRNO(EPERM);
	size_t i;
	int rc = 0;

	for (i = 0; i < ARRAY_LEN(calls) && !rc; i++)
		rc = rule(ctx, fails, calls[i], 0, NULL);
	for (i = 0; i < ARRAY_LEN(writes) && !rc; i++)
		rc = RULE(ctx, fails, openat, BITS(2, writes[i], writes[i])) |
		     RULE(ctx, fails, open, BITS(1, writes[i], writes[i]));
	return rc;
}

/* Entries of maps; no program is loaded and no map is made. */
static int allow_maps(scmp_filter_ctx ctx)
{
	return ALLOW(ctx, bpf, IS(0, BPF_MAP_UPDATE_ELEM)) |
	       ALLOW(ctx, bpf, IS(0, BPF_MAP_DELETE_ELEM));
}

static int sandbox_fill(scmp_filter_ctx ctx, const struct sandbox_wants *wants)
{
	/* Without these an older libseccomp or kernel does the same a little slower. */
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	seccomp_attr_set(ctx, SCMP_FLTATR_CTL_SSB, 1);
	if (allow_calls(ctx) || allow_sockets(ctx) || allow_files(ctx) || allow_memory(ctx) ||
	    allow_signals(ctx))
		return -1;
	if ((wants->scripts && fail_scripts(ctx)) || (wants->maps && allow_maps(ctx)))
		return -1;
	return wants->namespaces ? ALLOW(ctx, setns, IS(1, CLONE_NEWNET)) : 0;
}

bool sandbox_available(void)
{
	return true;
}

int sandbox_enter(const struct sandbox_wants *wants, struct err *err)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_TRAP);
	int rc;

	if (!ctx)
		return err_set(err, "the filter of system calls: out of memory");
	names_collect();
	if (sandbox_fill(ctx, wants) || sandbox_watch()) {
		seccomp_release(ctx);
		return err_set(err, "the filter of system calls cannot be made");
	}
	rc = seccomp_load(ctx);
	seccomp_release(ctx);
	if (rc < 0)
		return err_set(err, "the kernel refuses the filter of system calls: %s",
			       strerror(-rc));
	return 0;
}
