/* SPDX-License-Identifier: BSD-2-Clause */
/* Calls the functions of all modules of a configuration, one phase after the other: see `prepare`,
 * `start`, `lead`, `wait` and `stop` in config/module.h. */
#ifndef PROCESS_PHASES_H
#define PROCESS_PHASES_H

struct config;
struct err;

/* Once, before the first process is forked. 0, or -1 and err: of the first that fails. */
int process_prepare_modules(struct config *cfg, struct err *err);
/* In each process that serves. 0, or -1 and err: of the first that fails. */
int process_start_modules(struct config *cfg, struct err *err);
/* In the process that speaks for all. */
void process_lead_modules(struct config *cfg);
/* The same in a parent that waits after a reload has failed. */
void process_wait_modules(const struct config *cfg);
/* The last one first. */
void process_stop_modules(struct config *cfg);

#endif
