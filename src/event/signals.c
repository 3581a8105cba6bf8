/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals through a signalfd: blocked for the process, read by the loop. Of signals that wait
 * together the kernel does not tell which came first: it gives them by number. Only for the pair
 * that undoes each other does the order matter, SIGTTOU (stop listening) and SIGTTIN (listen
 * again): there SIGTTIN, which has the lower number, is carried out last. "Pause, resume" sent at
 * once ends resumed, and so does the opposite, which nobody sends.
 *
 * What is blocked is inherited by programs that are executed, and would make them deaf. Children
 * that this program forks call signals_reset; where the C library forks, signals_around opens the
 * mask and puts handlers in place, which no program inherits.
 */
#include "event/signals.h"

#include "event/loop.h"
#include "event/profile.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void (*handlers[NSIG])(int);
static sigset_t watched;
static sigset_t held; /* by signals_hold, and not before */
static void (*pipe_before)(int); /* what SIGPIPE did */
static volatile sig_atomic_t noted[NSIG];

static void signal_run(uint32_t signo)
{
	if (handlers[signo])
		handlers[signo]((int)signo);
}

static void signals_ready(struct source *src, uint32_t events)
{
	struct signalfd_siginfo info[16];
	bool resume;
	ssize_t n;
	size_t i;

	(void)events;
	while ((n = read(src->fd, info, sizeof(info))) > 0) {
		resume = false;
		for (i = 0; i < (size_t)n / sizeof(info[0]); i++) {
			if (info[i].ssi_signo == SIGTTIN)
				resume = true;
			else
				signal_run(info[i].ssi_signo);
		}
		if (resume)
			signal_run(SIGTTIN);
	}
}

static struct source source = { .fd = -1, .ready = signals_ready };

static int signals_update(void)
{
	int fd = signalfd(source.fd, &watched, SFD_NONBLOCK | SFD_CLOEXEC);

	if (fd < 0 || source.fd >= 0)
		return fd < 0 ? -1 : 0;
	source.fd = fd;
	return loop_add(&source, EPOLLIN);
}

int signal_watch(int signo, void (*handler)(int signo))
{
	static bool started;

	if (signo < 1 || signo >= NSIG) {
		errno = EINVAL;
		return -1;
	}
	if (!started)
		sigemptyset(&watched);
	started = true;
	handlers[signo] = handler;
	if (!handler) {
		signal(signo, SIG_IGN);
		return 0;
	}
	sigaddset(&watched, signo);
	if (sigprocmask(SIG_BLOCK, &watched, NULL) < 0)
		return -1;
	return signals_update();
}

void signals_forget(void)
{
	if (source.fd >= 0)
		close(source.fd);
	source.fd = -1;
	source.registered = false;
	memset(handlers, 0, sizeof(handlers));
}

/* ---- before the handlers ----------------------------------------------------------------- */

/* What the caller has set of signals is inherited. Where SIGCHLD is ignored nobody hears of the end
 * of a child. A peer that has gone (-x) and a limit of file sizes (ulimit -f) are to be errors of
 * the call that meets them. */
static void signals_inherit(void)
{
	pipe_before = signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGXFSZ, SIG_IGN);
}

void signals_hold(void)
{
	static const int all[] = { SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTTIN, SIGTTOU };
	sigset_t before;
	size_t i;

	signals_inherit();
	sigemptyset(&held);
	sigprocmask(SIG_SETMASK, NULL, &before);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!sigismember(&before, all[i]))
			sigaddset(&held, all[i]);
	sigprocmask(SIG_BLOCK, &held, NULL);
}

void signals_release(void)
{
	signal(SIGPIPE, pipe_before);
	sigprocmask(SIG_UNBLOCK, &held, NULL);
	sigemptyset(&held);
}

/* ---- other programs ---------------------------------------------------------------------- */

void signals_reset(void)
{
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void note(int signo)
{
	noted[signo] = 1;
}

/* Does it have a handler? Handlers go with the program that is executed. */
static bool has_handler(const struct sigaction *action)
{
	return action->sa_flags & SA_SIGINFO ||
	       (action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN);
}

/* Of those that are blocked, and of those that this program ignores. */
static void note_instead(const sigset_t *blocked, struct sigaction before[NSIG], sigset_t *replaced)
{
	const struct sigaction action = { .sa_handler = note, .sa_flags = SA_RESTART };
	int signo;

	sigemptyset(replaced);
	for (signo = 1; signo < NSIG; signo++)
		if ((signo == SIGPIPE || signo == SIGXFSZ || sigismember(blocked, signo) == 1) &&
		    sigaction(signo, NULL, &before[signo]) == 0 && !has_handler(&before[signo]) &&
		    sigaction(signo, &action, NULL) == 0)
			sigaddset(replaced, signo);
}

/* Blocked again, they wait for the loop. */
static void hear_noted(const sigset_t *blocked, const struct sigaction before[NSIG],
		       const sigset_t *replaced)
{
	int signo;

	for (signo = 1; signo < NSIG; signo++) {
		if (sigismember(replaced, signo) != 1)
			continue;
		sigaction(signo, &before[signo], NULL);
		if (noted[signo] && sigismember(blocked, signo) == 1)
			raise(signo);
		noted[signo] = 0;
	}
}

void signals_around(void (*run)(void *arg), void *arg)
{
	struct sigaction before[NSIG];
	sigset_t none, blocked, replaced;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	note_instead(&blocked, before, &replaced);
	sigprocmask(SIG_SETMASK, &none, NULL);
	run(arg);
	sigprocmask(SIG_SETMASK, &blocked, NULL);
	hear_noted(&blocked, before, &replaced);
}

const struct profile_name signals_profile = PROFILE_NAME(signals_ready);
