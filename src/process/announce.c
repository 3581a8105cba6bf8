/* SPDX-License-Identifier: BSD-2-Clause */
/* A service that has started tells so: the pid file, and the processes that it replaces. Called by
 * run.c and parent.c. */
#include "process/announce.h"

#include "base/err.h"
#include "log/log.h"
#include "process/args.h"
#include "process/daemon.h"
#include "process/process.h"
#include "process/self.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static void announce_to_old(const struct args *args)
{
	size_t i;

	for (i = 0; i < args->old_count; i++)
		if (kill(args->old_pids[i], args->old_signal) < 0 && errno != ESRCH)
			fprintf(stderr, "penstock: cannot signal process %ld: %s\n",
				(long)args->old_pids[i], strerror(errno));
}

int announce_service(const struct process_conf *conf, const struct args *args, struct err *err)
{
	const char *pidfile = args->pidfile ? args->pidfile : conf->pidfile;

	if (pidfile && !(process_self.taken_over && pidfile_is_ours(pidfile)) &&
	    pidfile_write(pidfile, err) < 0) {
		if (!process_self.taken_over)
			return -1;
		log_process(LOG_L_WARNING, "%s", err->text); /* no reason to end a service */
	}
	announce_to_old(args);
	return 0;
}
