/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of the global section that say how many processes serve, and on which processors. */
#ifndef PROCESS_WORKERS_CONF_H
#define PROCESS_WORKERS_CONF_H

#include "config/keyword.h"

#include <sched.h>
#include <stdbool.h>

struct config;
struct process_conf;

enum { WORKERS_MOST = 64 };

/* Of worker N at N - 1; empty: any processor. */
struct cpu_map {
	cpu_set_t of[WORKERS_MOST];
};

keyword_parse workers_parse_master, workers_parse_nbproc, workers_parse_nbthread,
	workers_parse_cpu_map, workers_parse_bind_thread, workers_parse_bind_process,
	workers_parse_bind_shards,
	workers_parse_section;
/* The file says nothing of "nbproc", so that workers are the threads of one process to tools. Known
 * behind workers_finish. */
extern bool workers_are_threads;
/* How many there are. Before the proxies lay out what they count. */
int workers_finish(struct config *cfg, void *data);
/* Tells who sits at the terminal, if the file does not say how many processors are used. */
void workers_doubt(const struct process_conf *conf);
/* Keeps this process, worker N, on its processors. */
void workers_take_cpu(const struct process_conf *conf, unsigned number);

#endif
