/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Signals through a signalfd: blocked for the process, read by the loop. Of signals that wait
 * together the kernel does not tell which came first: it gives them by number. Only for the pair
 * that undoes each other does the order matter, SIGTTOU (stop listening) and SIGTTIN (listen
 * again): there SIGTTIN, which has the lower number, is carried out last. "Pause, resume" sent at
 * once ends resumed, and so does the opposite, which nobody sends.
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

void signals_reset(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

const struct profile_name signals_profile = PROFILE_NAME(signals_ready);
