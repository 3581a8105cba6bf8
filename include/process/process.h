/* SPDX-License-Identifier: BSD-2-Clause */
/* The process: rights, limits, daemon, signals, and the run of the loop. */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "config/module.h"

#include <stdbool.h>
#include <sys/types.h>

struct config;
struct err;

/* Words of the global section that speak of the process. */
struct process_conf {
	bool daemon;
	const char *pidfile, *chroot;
	uid_t uid;
	gid_t gid;
	bool has_uid, has_gid;
	unsigned hard_stop_after; /* ms; 0: wait for ever */
};
extern const struct module process_module;

/* What the command line adds. */
struct process_options {
	bool daemon;             /* -D */
	bool foreground;         /* -db, -d: stay, whatever the file says */
	const char *pidfile;     /* -p */
	const pid_t *old;        /* -sf, -st: told to finish or to end when all is bound */
	int old_count;
	int old_signal;          /* SIGUSR1 or SIGTERM */
};

/* Starts every module of the configuration, drops rights, and serves until told to end.
 * Returns the exit code. Messages go to stderr. */
int process_run(struct config *cfg, const struct process_options *opt);

#endif
