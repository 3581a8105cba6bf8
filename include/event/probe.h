/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: in builds with the sanitizers, places (steps, runs of pumps, rules, tasks, timers, events
 * of connections) at which a test has somebody else's work done: end the stream at hand, mark its
 * server down (stream/probe.h). They show that whoever acts on others does so between two events
 * (doc/internals/architecture.md). Other builds have none.
 */
#ifndef EVENT_PROBE_H
#define EVENT_PROBE_H

#if defined(__SANITIZE_ADDRESS__)
#define PROBES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PROBES 1
#endif
#endif

struct relay;

#ifdef PROBES
/* Installed by stream/probe.c; relay: whose place it is; NULL: that of the stream that was at work
 * last. */
extern void (*probe_passed)(struct relay *relay);
#define PROBE(relay)                         \
	do {                                 \
		if (probe_passed)            \
			probe_passed(relay); \
	} while (0)
#else
#define PROBE(relay) ((void)(relay))
#endif

#endif
