/* SPDX-License-Identifier: BSD-2-Clause */
/* Going to the background: the parent waits until the child says that it serves, so that the
 * exit code tells whether the start succeeded. Called by process_run, and by main first thing. */
#include "process/daemon.h"

#include "base/err.h"
#include "event/signals.h"
#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int ready_pipe = -1;

/* Where /dev/null cannot be opened, something that nobody can read or write takes its place. */
void standard_fill(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
		if (fd < 0)
			fd = open("/", O_PATH);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* The parent: its exit code is the child's first word, or failure when there is none. */
static void daemon_wait(int fd, pid_t child)
{
	char ok;
	int status;

	signals_reset(); /* it serves nobody */
	if (read(fd, &ok, 1) == 1)
		_exit(0);
	if (waitpid(child, &status, 0) < 0)
		_exit(1);
	_exit(WIFEXITED(status) && WEXITSTATUS(status) ? WEXITSTATUS(status) : 1);
}

int daemon_start(struct err *err)
{
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, "cannot go to the background: %s", strerror(errno));
	pid = fork();
	if (pid < 0)
		return err_set(err, "cannot go to the background: %s", strerror(errno));
	if (pid > 0) {
		close(fds[1]);
		daemon_wait(fds[0], pid);
	}
	close(fds[0]);
	ready_pipe = fds[1];
	setsid();
	return 0;
}

/* The terminal is nobody's business any more. */
static void daemon_leave_terminal(void)
{
	int null;

	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0) {
		dup2(null, 0);
		dup2(null, 1);
		dup2(null, 2);
		close(null);
		log_leave_terminal();
	}
}

void daemon_leave(void)
{
	if (ready_pipe < 0)
		return;
	daemon_leave_terminal();
	close(ready_pipe);
	ready_pipe = -1;
}

void daemon_ready(void)
{
	if (ready_pipe < 0)
		return;
	daemon_leave_terminal();
	if (write(ready_pipe, "k", 1) < 0) {
		/* Nobody waits any more: nothing is lost. */
	}
	close(ready_pipe);
	ready_pipe = -1;
}

int pidfile_write(const char *path, struct err *err)
{
	char line[32];
	int fd, n;

	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_set(err, "cannot write the pid file '%s': %s", path, strerror(errno));
	n = snprintf(line, sizeof(line), "%ld\n", (long)getpid());
	if (write(fd, line, (size_t)n) != n) {
		close(fd);
		return err_set(err, "cannot write the pid file '%s': %s", path, strerror(errno));
	}
	close(fd);
	return 0;
}

bool pidfile_is_ours(const char *path)
{
	FILE *file = fopen(path, "re");
	bool ours;
	long pid;

	if (!file)
		return false;
	ours = fscanf(file, "%ld", &pid) == 1 && pid == getpid();
	fclose(file);
	return ours;
}
