/* SPDX-License-Identifier: BSD-2-Clause */
/* The program of the kernel relay, for sockmap.c. */
#ifndef NET_SOCKMAP_PROGRAM_H
#define NET_SOCKMAP_PROGRAM_H

#include "base/result.h"

/* The maps that the program names. */
enum { SOCKMAP_TARGETS, SOCKMAP_NUMBERS, SOCKMAP_ROUTES, SOCKMAP_RING, SOCKMAP_MAPS };

/* Needs CAP_BPF and CAP_NET_ADMIN. The descriptor of the program, the caller's; -1: errno. */
MUST_USE int sockmap_program_load(const int maps[SOCKMAP_MAPS]);

#endif
