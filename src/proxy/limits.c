/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A connection takes two descriptors, one a side; listeners, checks, pipes and the process
 * itself take theirs. From maxconn follows the limit that the system must grant; without
 * maxconn it is the other way round. Pipes are given up before the start fails: what they would
 * carry is copied.
 */
#include "proxy/limits.h"

#include "base/err.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "share/segment.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Standard streams, poller, signals, logs, a file that is being read. */
#define OWN_DESCRIPTORS 20
/* Where there is a parent: the segment, its eventfds, channels. */
#define SHARED_DESCRIPTORS 10
/* Of a member of a section "peers": one to it, one that comes from it, one that ends. */
#define CONNECTIONS_OF_PEER 3

struct limits limits;

static unsigned count_fixed(const struct proxies *all)
{
	const struct bind_conf *bind;
	const struct listener *l;
	const struct server *s;
	const struct proxy *px;
	unsigned n = OWN_DESCRIPTORS;

	if (segment && segment_capacity(segment) > 1)
		n += SHARED_DESCRIPTORS + segment_capacity(segment);
	list_for_each(px, &all->list, node) {
		if (proxy_is_udp(px)) /* towards the server; and of sessions that outlive a reload */
			n += 2 * px->set.maxconn;
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node)
				n++;
		for (s = px->servers; s; s = s->next)
			n += !!(s->set.options.on & SRV_CHECK);
	}
	list_for_each(px, &all->stats_frontends, node) {
		n += px->set.maxconn;
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node)
				n++;
	}
	list_for_each(px, &all->peers, node) {
		n += CONNECTIONS_OF_PEER * px->server_count;
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node)
				n++;
	}
	return n;
}

static rlim_t clip(rlim_t n)
{
	return n == RLIM_INFINITY || n > INT_MAX ? INT_MAX : n;
}

static uint64_t pipes_of(unsigned maxconn)
{
	return limits.maxpipes < 0 ? maxconn / 4 : (unsigned)limits.maxpipes;
}

/* What so many connections need in all. */
static uint64_t need_of(unsigned maxconn, unsigned fixed)
{
	return 2 * ((uint64_t)maxconn + pipes_of(maxconn)) + fixed;
}

/* As many as so many descriptors have room for; at least 1. */
static unsigned maxconn_of(unsigned descriptors, unsigned fixed)
{
	unsigned low = 1, high = descriptors / 2 + 1;

	while (low + 1 < high) {
		unsigned mid = low + (high - low) / 2;

		if (need_of(mid, fixed) <= descriptors)
			low = mid;
		else
			high = mid;
	}
	return low;
}

/* As many as the hard limit has room for. */
static unsigned maxconn_of_limit(const struct proxies *all, const struct rlimit *rl,
				 unsigned fixed)
{
	unsigned most = (unsigned)clip(rl->rlim_max);

	if (all->global.ulimit_n)
		most = all->global.ulimit_n;
	if (all->global.fd_hard_limit && most > all->global.fd_hard_limit)
		most = all->global.fd_hard_limit;
	return maxconn_of(most, fixed);
}

/* Raises the soft limit, and the hard one where we may. */
static void raise_limit(struct rlimit *rl, unsigned want)
{
	struct rlimit wanted = { want, rl->rlim_max > want ? rl->rlim_max : want };

	if (clip(rl->rlim_cur) >= want)
		return;
	if (setrlimit(RLIMIT_NOFILE, &wanted) == 0) {
		*rl = wanted;
		return;
	}
	wanted.rlim_cur = wanted.rlim_max = rl->rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &wanted) == 0)
		*rl = wanted;
}

/* Pipes for which there is room; need: what was wanted. false: not even connections have it. */
static bool give_pipes_up(unsigned maxconn, unsigned fixed, uint64_t need)
{
	uint64_t least = 2 * (uint64_t)maxconn + fixed;

	if (least > limits.ulimit_n)
		return false;
	limits.pipes = (limits.ulimit_n - (unsigned)least) / 2;
	limits.maxsock = (unsigned)least + 2 * limits.pipes;
	log_stderr(LOG_L_NOTICE,
		   "maxconn %u and its pipes need %llu file descriptors, but the system allows "
		   "only %u: %u pipes are used, and more is copied (ulimit -n, LimitNOFILE=)",
		   maxconn, (unsigned long long)need, limits.ulimit_n, limits.pipes);
	return true;
}

int limits_apply(const struct proxies *all, struct err *err)
{
	unsigned fixed = count_fixed(all), maxconn = all->global.maxconn;
	char advice[64] = "";
	struct rlimit rl;
	uint64_t need;

	if (getrlimit(RLIMIT_NOFILE, &rl))
		return err_set(err, "getrlimit: %s", strerror(errno));
	if (!maxconn)
		maxconn = maxconn_of_limit(all, &rl, fixed);
	need = need_of(maxconn, fixed);
	global_state->maxconn = limits.hard_maxconn = maxconn;
	limits.pipes = (unsigned)pipes_of(maxconn);
	limits.maxsock = need > INT_MAX ? INT_MAX : (unsigned)need;
	raise_limit(&rl, all->global.ulimit_n > limits.maxsock ? all->global.ulimit_n :
								 limits.maxsock);
	limits.ulimit_n = (unsigned)clip(rl.rlim_cur);
	limits.ulimit_told = all->global.ulimit_n ? all->global.ulimit_n : limits.ulimit_n;
	if (limits.ulimit_told > limits.ulimit_n)
		limits.ulimit_told = limits.ulimit_n;
	if (limits.ulimit_n >= need || give_pipes_up(maxconn, fixed, need))
		return 0;
	need = 2 * (uint64_t)maxconn + fixed;
	if (!all->global.strict_limits) {
		log_stderr(LOG_L_WARNING, "maxconn %u needs %llu file descriptors, but the system "
			   "allows only %u", maxconn, (unsigned long long)need, limits.ulimit_n);
		return 0;
	}
	if (limits.ulimit_n > fixed + 1)
		snprintf(advice, sizeof(advice), " or set maxconn to %u at most",
			 (limits.ulimit_n - fixed) / 2);
	return err_set(err, "maxconn %u needs %llu file descriptors, but the system allows only %u: "
		       "raise the limit (ulimit -n, LimitNOFILE=)%s",
		       maxconn, (unsigned long long)need, limits.ulimit_n, advice);
}
