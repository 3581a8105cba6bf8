/* SPDX-License-Identifier: BSD-2-Clause */
/* Enables, shows and disables the pairing of co-located connections (colocate/colocate.h). */
#include "colocate/colocate.h"

#include "base/result.h"
#include "colocate/attach.h"
#include "colocate/kernel.h"
#include "colocate/listeners.h"
#include "colocate/programs.h"
#include "colocate/rights.h"
#include "colocate/trial.h"
#include "net/bpf.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const uint32_t only = 0; /* the key of maps with one value */

/* Before 5.11 maps count against this limit. */
static void lift_limit(void)
{
	const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	setrlimit(RLIMIT_MEMLOCK, &none);
}

static int settings_put(const struct colocate_set *set, const struct colocate_wish *wish,
			bool splice_blind, struct err *err)
{
	struct colocate_settings *s = calloc(1, sizeof(*s));
	struct colocate_totals totals = { 0 };
	char path[PATH_MAX];
	int r = -1;

	if (s) {
		s->on = 1;
		s->ring_bytes = (uint64_t)wish->ring_kbytes << 10;
		s->loopback_only = wish->loopback_only;
		s->readers = wish->readers;
		s->splice_blind = splice_blind;
		/* it is looked up again from other folders */
		if (!realpath(wish->cgroup, path) || strlen(path) >= sizeof(s->cgroup))
			snprintf(path, sizeof(path), "%s", wish->cgroup);
		snprintf(s->cgroup, sizeof(s->cgroup), "%.*s", (int)sizeof(s->cgroup) - 1, path);
		memcpy(s->ports, wish->ports, sizeof(s->ports));
		r = bpf_map_put(set->maps[COLOCATE_MAP_SETTINGS], &only, s) ||
				    bpf_map_put(set->maps[COLOCATE_MAP_TOTALS], &only, &totals) ?
			    err_set(err, "%s", strerror(errno)) :
			    0;
	}
	free(s);
	return r;
}

/* The settings are in force before the link is: it is attached when all else is done. */
static int enable_set(const struct colocate_set *set, const struct colocate_wish *wish,
		      struct err *err)
{
	bool splice_blind;
	int link, r;

	if (trial_run(set, wish->cgroup, &splice_blind, err) ||
	    settings_put(set, wish, splice_blind, err))
		return -1;
	link = attach_link(set->pair, wish->cgroup, err);
	if (link < 0)
		return -1;
	r = attach_pin(wish->pins, set, link, err);
	close(link);
	return r;
}

int colocate_enable(const struct colocate_wish *wish, struct err *err)
{
	struct colocate_kernel kernel;
	struct colocate_set set;
	int r;

	lift_limit();
	if (colocate_may(err) || attach_may_pin(wish->pins, err) ||
	    attach_may(wish->cgroup, err) || colocate_kernel_learn(&kernel, err) ||
	    colocate_set_make(&set, &kernel, wish->connections, err))
		return -1;
	r = enable_set(&set, wish, err);
	colocate_set_close(&set);
	return r;
}

/* ---- status -------------------------------------------------------------------------------- */

static void totals_add(struct colocate_totals *t, const struct colocate_flow *f)
{
	t->queue_bytes += f->queue_bytes;
	t->queue_messages += f->queue_messages;
	t->tcp_bytes += f->tcp_bytes;
	t->tcp_messages += f->tcp_messages;
	t->behind += f->behind;
	t->unfit += f->unfit;
	t->spins += f->spins;
}

/* Adds what open connections have to the totals; the ends that have a peer, and those that have
 * none. A key that goes away meanwhile begins the walk anew: so many steps, and no more. */
static void flows_sum(const struct colocate_set *set, struct colocate_totals *t, unsigned *paired,
		      unsigned *alone)
{
	const int map = set->maps[COLOCATE_MAP_FLOWS];
	struct colocate_flow flow;
	unsigned steps = 1 << 20;
	uint64_t key;
	int r;

	*paired = *alone = 0;
	for (r = bpf_map_next(map, NULL, &key); !r && steps; r = bpf_map_next(map, &key, &key)) {
		steps--;
		if (bpf_map_get(map, &key, &flow))
			continue;
		totals_add(t, &flow);
		if (flow.peer_cookie)
			++*paired;
		else
			++*alone;
	}
}

/* Ranges of what is set, as on the command line. */
static void ports_print(const char *name, const uint8_t *ports, FILE *out)
{
	unsigned first, last;
	const char *between = "";

	fprintf(out, "%s: ", name);
	for (first = 0; first < 65536; first = last + 1) {
		for (last = first; ports[first] && last < 65535 && ports[last + 1];)
			last++;
		if (!ports[first])
			continue;
		fprintf(out, first == last ? "%s%u" : "%s%u-%u", between, first, last);
		between = ",";
	}
	fprintf(out, "%s\n", *between ? "" : "none");
}

static void listeners_print(const struct colocate_settings *s, FILE *out)
{
	static uint8_t outside[65536];

	if (listeners_outside(s->cgroup, s->ports, outside))
		fprintf(out, "listeners-outside: not known (%s)\n", strerror(errno));
	else
		ports_print("listeners-outside", outside, out);
}

static void status_print(const struct colocate_set *set, const struct colocate_settings *s,
			 struct colocate_totals t, FILE *out)
{
	unsigned paired, alone;

	flows_sum(set, &t, &paired, &alone);
	fprintf(out, "cgroup: %s\n", s->cgroup);
	ports_print("ports", s->ports, out);
	listeners_print(s, out);
	fprintf(out, "addresses: %s\n", s->loopback_only ? "loopback" : "all");
	fprintf(out, "ring-kbytes: %" PRIu64 "\n", s->ring_bytes >> 10);
	fprintf(out, "readers:%s%s%s\n", s->readers & COLOCATE_LEVEL ? " level" : "",
		s->readers & COLOCATE_EDGE ? " edge" : "",
		s->readers & COLOCATE_BLOCKING ? " blocking" : "");
	fprintf(out, "splice: %s\n", s->splice_blind ?
		"does not see what is queued (this kernel)" : "works");
	fprintf(out, "ends-paired: %u\nends-alone: %u\n", paired, alone);
	fprintf(out, "ends-closed: %" PRIu64 "\n", t.flows);
	fprintf(out, "queued-messages: %" PRIu64 "\nqueued-bytes: %" PRIu64 "\n",
		t.queue_messages, t.queue_bytes);
	fprintf(out, "tcp-messages: %" PRIu64 "\ntcp-bytes: %" PRIu64 "\n", t.tcp_messages,
		t.tcp_bytes);
	fprintf(out, "receiver-behind: %" PRIu64 "\nreader-unfit: %" PRIu64 "\n"
		"reader-spins: %" PRIu64 "\n", t.behind, t.unfit, t.spins);
}

int colocate_status(const char *pins, FILE *out, struct err *err)
{
	struct colocate_settings *s = calloc(1, sizeof(*s));
	struct colocate_totals totals;
	struct colocate_set set;
	int r = -1;

	if (!s)
		return err_set(err, "out of memory");
	if (!attach_open(pins, &set, err)) {
		if (bpf_map_get(set.maps[COLOCATE_MAP_SETTINGS], &only, s) ||
		    bpf_map_get(set.maps[COLOCATE_MAP_TOTALS], &only, &totals)) {
			err_set(err, "%s: %s", pins, strerror(errno));
		} else {
			status_print(&set, s, totals, out);
			r = attach_holds(pins, s->cgroup, err);
		}
		colocate_set_close(&set);
	}
	free(s);
	return r;
}

/* ---- disable ------------------------------------------------------------------------------- */

/* Connections keep the program and their maps until they are closed. Taking a socket out of the
 * map would lose what is queued for it. */
static void switch_off(const struct colocate_set *set, unsigned *paired)
{
	struct colocate_settings *s = calloc(1, sizeof(*s));
	struct colocate_totals t = { 0 };
	unsigned alone;

	flows_sum(set, &t, paired, &alone);
	if (s && !bpf_map_get(set->maps[COLOCATE_MAP_SETTINGS], &only, s)) {
		s->on = 0;
		DROPPED(bpf_map_put(set->maps[COLOCATE_MAP_SETTINGS], &only, s),
			"the program is detached behind it in any case");
	}
	free(s);
}

int colocate_disable(const char *pins, unsigned *left, struct err *err)
{
	struct colocate_set set;
	unsigned ends = 0;
	int r;

	if (!attach_open(pins, &set, err))
		switch_off(&set, &ends);
	r = attach_remove(pins, err);
	colocate_set_close(&set);
	*left = (ends + 1) / 2;
	return r;
}
