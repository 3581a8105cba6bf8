/* SPDX-License-Identifier: BSD-2-Clause */
/* The filter of system calls: what the process that serves may still ask the kernel for. */
#ifndef PROCESS_SANDBOX_H
#define PROCESS_SANDBOX_H

#include <stdbool.h>

struct err;

/* What some of those who serve need beside what all do. */
struct sandbox_wants {
	bool namespaces; /* it will make sockets in network namespaces */
	bool scripts;    /* what a script may try (to write files, to run commands) fails with
			  * EPERM and ends nobody */
	bool maps;       /* it puts sockets into maps of the kernel that were made before */
};

/* Does this build have it? It needs libseccomp; the sanitizers ask for more than it allows. */
bool sandbox_available(void);

/* From now on a system call that serving does not need ends the process: it says which one it was
 * to stderr and the log, then SIGSYS kills it. To be called last, in the process that serves:
 * nothing takes it back. 0, also where the build has none, or -1 and err: the kernel does not have it;
 * nothing has changed. */
int sandbox_enter(const struct sandbox_wants *wants, struct err *err);

#endif
