/* SPDX-License-Identifier: BSD-2-Clause */
/* Global words of existing files that speak of threads, and of what the loop is made of. */
#ifndef PROCESS_THREADS_CONF_H
#define PROCESS_THREADS_CONF_H

extern const struct module threads_module;

#endif
