/* SPDX-License-Identifier: BSD-2-Clause */
/* The process: rights, limits, daemon, signals, and the run of the loop. */
#ifndef PROCESS_PROCESS_H
#define PROCESS_PROCESS_H

#include "config/module.h"
#include "process/caps.h"

#include <stdbool.h>
#include <sys/types.h>

struct args;
struct config;
struct err;

/* Words of the global section that speak of the process. */
struct process_conf {
	bool daemon;
	const char *pidfile, *chroot;
	uid_t uid;
	gid_t gid;
	bool has_uid, has_gid;
	bool insecure_fork; /* it may make other processes */
	bool insecure_syscalls; /* no filter of system calls */
	bool dumpable;      /* it leaves a core file when it dies */
	caps_set setcap;    /* kept for connections */
	unsigned hard_stop_after; /* ms; 0: wait for ever */
	bool master_worker; /* -W: the parent reloads */
	unsigned thread_limit;   /* of nbthread, and of nbproc auto; 0: none */
	bool nbproc_auto;
	unsigned nbproc, nbthread; /* 0: not given */
	unsigned worker_count; /* 0: one process, which has no parent */
	unsigned max_reloads; /* that a worker survives; 0: no limit */
	unsigned grace;     /* ms between SIGUSR1 and the soft stop */
	unsigned close_spread; /* ms; 0: not given */
	bool numa;          /* alone: on the processors of one node */
	struct cpu_rule *cpu_rules;
	struct cpu_map *cpus; /* NULL: none */
};
extern const struct module process_module;

/* Starts every module of the configuration, drops rights, and serves until told to end.
 * Returns the exit code. Messages go to stderr. */
int process_run(struct config *cfg, const struct args *args);
/* After a reload whose configuration cannot be served: leads the workers that are there, until
 * the next one. Returns the exit code. */
int process_wait(struct config *cfg, const char *why);

#endif
