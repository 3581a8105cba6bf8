/* SPDX-License-Identifier: BSD-2-Clause */
/* Words that do nothing in a section of mode tcp, and servers that default_backend hides: what the
 * reference warns of. Called by doubts.c for each section, once all is known. */
#include "exchange/doubts.h"

#include "base/str.h"
#include "exchange/forwarded.h"
#include "exchange/monitor.h"
#include "exchange/persist.h"
#include "proxy/proxy.h"

static void add(struct text *names, bool there, const char *name)
{
	if (there)
		text_printf(names, "%s'%s'", names->len ? ", " : "", name);
}

static bool server_has_cookie(const struct proxy *px)
{
	const struct server *s = px->servers;

	while (s && !s->set.cookie)
		s = s->next;
	return s;
}

void doubt_mode(struct config *cfg, const struct proxy *px)
{
	const struct forwarded_conf *forwarded = forwarded_conf_of(px);
	const struct proxy_settings *set = &px->set;
	bool front = px->caps & PROXY_FRONTEND, back = px->caps & PROXY_BACKEND;
	char memory[400];
	struct text names;

	if (proxy_may_speak_http(px) || proxy_is_udp(px))
		return;
	text_init(&names, memory, sizeof(memory));
	add(&names, back && (persist_cookie(px) || server_has_cookie(px)), "cookie");
	add(&names, front && monitor_uri(px), "monitor-uri");
	add(&names, forwarded && forwarded->forwardfor, "option forwardfor");
	add(&names, forwarded && forwarded->originalto, "option originalto");
	add(&names, front && set->options.on & OPT_IGNORE_PROBES, "option http-ignore-probes");
	add(&names, front && set->options.on & OPT_PROXY_HEADER, "option http-use-proxy-header");
	add(&names, front && set->options.on & OPT_ACCEPT_BAD_REQUEST,
	    "option accept-invalid-http-request");
	add(&names, set->options.on & OPT_BUFFER_REQUEST, "option http-buffer-request");
	add(&names, set->options.on & OPT_NO_DELAY, "option http-no-delay");
	add(&names, back && set->options.on & OPT_PREFER_LAST, "option prefer-last-server");
	if (!names.len)
		return;
	config_warning(cfg, &px->loc, "without effect in '%s', which is in mode tcp: %s", px->name,
		       memory);
}

void doubt_hidden_servers(struct config *cfg, const struct proxy *px)
{
	if (px->caps & PROXY_FRONTEND && px->servers && px->default_backend)
		config_warning(
			cfg, &px->set.default_backend_loc,
			"the servers of '%s' are never used: 'default_backend' takes what no "
			"'use_backend' does",
			px->name);
}
