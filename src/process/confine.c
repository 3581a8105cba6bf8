/* SPDX-License-Identifier: BSD-2-Clause */
/* What a process that serves gives up, and in which cases. Called by each such process between its
 * start and its loop; knows the configuration, so that rights.c and sandbox.c need not. */
#include "process/confine.h"

#include "base/err.h"
#include "check/external.h"
#include "kernel/kernel.h"
#include "log/log.h"
#include "net/listener.h"
#include "net/netns.h"
#include "process/args.h"
#include "process/caps.h"
#include "process/process.h"
#include "process/rights.h"
#include "process/sandbox.h"
#include "proxy/proxy.h"

#include "config.h"

#ifdef HAVE_LUA
#include "lua/state.h"
#endif

static bool has_namespaces; /* servers are in network namespaces */

static bool confine_forks(const struct process_conf *conf, const struct args *args)
{
	return conf->insecure_fork || args->insecure_fork;
}

/* Those that clients may have, where servers follow them ("namespace *"). */
static void confine_keep_others(void)
{
	const struct bind_conf *bind;
	const struct proxy *px;

	netns_keep_listed();
	list_for_each(px, &proxies_running->list, node)
		list_for_each(bind, &px->binds, node)
			if (bind->namespace)
				netns_keep(bind->namespace);
}

/* Behind chroot their files are out of reach. One that is not there yet is looked for at each
 * connection. */
static bool confine_keep_namespaces(void)
{
	const struct proxy *px;
	const struct server *s;
	bool any = false;

	list_for_each(px, &proxies_running->list, node)
		for (s = px->servers; s; s = s->next)
			if (s->set.namespace) {
				if (!netns_is_any(s->set.namespace))
					netns_keep(s->set.namespace);
				any = true;
			}
	if (any)
		confine_keep_others();
	return any;
}

int confine_rights(const struct process_conf *conf, const struct args *args, struct err *err)
{
	struct rights wanted = {
		.caps = caps_needed(proxies_running),
		.fork = confine_forks(conf, args) || external_conf.enabled,
		.setuid = external_conf.setuid_wanted,
	};

	has_namespaces = confine_keep_namespaces();
	if (conf->chroot)
		log_leave_root();
	if (rights_drop(conf, &wanted, err) < 0)
		return -1;
	if (!confine_forks(conf, args))
		rights_forbid_processes();
	return 0;
}

static bool has_scripts(void)
{
#ifdef HAVE_LUA
	return lua_running != NULL;
#else
	return false;
#endif
}

/* Commands inherit the filter, and nobody knows what they call. */
void confine_calls(const struct process_conf *conf, const struct args *args)
{
	const struct sandbox_wants wants = {
		.namespaces = has_namespaces,
		.scripts = has_scripts(),
		.maps = kernel_is_possible(),
	};
	struct err err;

	if (conf->insecure_syscalls || confine_forks(conf, args) || external_conf.enabled)
		return;
	if (sandbox_enter(&wants, &err) < 0)
		log_process(LOG_L_WARNING, "%s; going on without.", err.text);
}
