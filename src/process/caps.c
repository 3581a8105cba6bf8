/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Capabilities by system call: which the configuration needs, "setcap", and giving up all others.
 * Called by rights.c, in the process that will serve. Never raises anything.
 */
#include "process/caps.h"

#include "base/bug.h"
#include "base/str.h"
#include "config/config.h"
#include "net/listener.h"
#include "proxy/part.h"
#include "proxy/proxy.h"

#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CAP(name) ((caps_set)1 << (name))

/* What setcap knows: rights of connections. */
static const struct {
	const char *name;
	unsigned number;
} caps_names[] = {
	{ "cap_net_admin", CAP_NET_ADMIN },
	{ "cap_net_bind_service", CAP_NET_BIND_SERVICE },
	{ "cap_net_raw", CAP_NET_RAW },
	{ "cap_sys_admin", CAP_SYS_ADMIN },
};

/* ---- what is needed ---------------------------------------------------------------------- */

/* A client's own port may be a low one. */
static caps_set caps_of_source(const struct source_conf *src)
{
	caps_set need = 0;

	if (!src->set)
		return 0;
	if (src->usesrc != USESRC_NONE || src->interface)
		need |= CAP(CAP_NET_RAW);
	if (src->usesrc == USESRC_CLIENT || (src->addr.port && src->addr.port < 1024) ||
	    (src->usesrc == USESRC_ADDR && src->usesrc_addr.port &&
	     src->usesrc_addr.port < 1024))
		need |= CAP(CAP_NET_BIND_SERVICE);
	return need;
}

/* Sessions for datagrams that outlive a reload get sockets on the port then. */
static caps_set caps_of_binds(const struct proxy *px)
{
	const struct bind_conf *bind;
	const struct listener *l;

	list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			if (l->addr.port < 1024)
				return CAP(CAP_NET_BIND_SERVICE);
	return 0;
}

caps_set caps_needed(const struct proxies *all)
{
	caps_set need = all->global.sets_mark ? CAP(CAP_NET_ADMIN) : 0;
	const struct server *s;
	const struct proxy *px;

	list_for_each(px, &all->list, node) {
		if (proxy_is_udp(px))
			need |= caps_of_binds(px);
		need |= caps_of_source(&px->set.source);
		for (s = px->servers; s; s = s->next) {
			need |= caps_of_source(&s->set.source);
			if (s->set.namespace)
				need |= CAP(CAP_SYS_ADMIN);
		}
	}
	return need;
}

/* Workers have given up what the configuration does not need. */
static int caps_check(struct config *cfg, const struct source_conf *source)
{
	if (!(caps_of_source(source) & ~caps_needed(proxies_running)))
		return 0;
	return config_error(cfg, NULL, "its 'source' needs a right that workers gave up at the "
			    "start: a server of the configuration that needs it keeps it");
}

static int caps_make(struct config *cfg, struct server *s)
{
	return caps_check(cfg, &s->set.source);
}

static int caps_make_backend(struct config *cfg, struct proxy *px)
{
	return caps_check(cfg, &px->set.source);
}

struct server_part caps_server_part = { .make = caps_make };
struct proxy_part caps_proxy_part = { .make = caps_make_backend };

/* Unix sockets and files of others, pipes beyond the limit of users, low ports. */
caps_set caps_of_root(void)
{
	return CAP(CAP_CHOWN) | CAP(CAP_DAC_OVERRIDE) | CAP(CAP_DAC_READ_SEARCH) |
	       CAP(CAP_FOWNER) | CAP(CAP_KILL) | CAP(CAP_NET_ADMIN) |
	       CAP(CAP_NET_BIND_SERVICE) | CAP(CAP_NET_RAW) | CAP(CAP_SYS_RESOURCE);
}

/* ---- setcap ------------------------------------------------------------------------------ */

const char *caps_print(caps_set set, char *buf, size_t size)
{
	struct text t;
	size_t i;

	text_init(&t, buf, size);
	for (i = 0; i < ARRAY_LEN(caps_names); i++)
		if (set & CAP(caps_names[i].number))
			text_printf(&t, "%s%s", t.len ? ", " : "", caps_names[i].name);
	return buf;
}

static bool caps_find(const char *name, size_t len, caps_set *set)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(caps_names); i++)
		if (strlen(caps_names[i].name) == len && !memcmp(caps_names[i].name, name, len)) {
			*set |= CAP(caps_names[i].number);
			return true;
		}
	return false;
}

int caps_parse(struct statement *st, const struct keyword *kw, void *object)
{
	caps_set *set = (caps_set *)((char *)object + kw->offset);
	const char *word = stmt_need(st, "a list of capabilities");
	char all[128];
	size_t len;

	if (!word)
		return -1;
	for (;; word += len + 1) {
		len = strcspn(word, ",");
		if (!caps_find(word, len, set))
			return stmt_error(st, st->at - 1,
					  "'%.*s' is no capability that can be kept; there are %s",
					  (int)len, word,
					  caps_print(~(caps_set)0, all, sizeof(all)));
		if (!word[len])
			return stmt_end(st);
	}
}

/* ---- the process ------------------------------------------------------------------------- */

caps_set caps_permitted(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capget, &head, data) < 0)
		return 0;
	return data[0].permitted | (caps_set)data[1].permitted << 32;
}

/* The kernel says EINVAL for numbers that it does not know, EPERM without the right. */
void caps_bound(caps_set keep)
{
	unsigned n;

	for (n = 0; n < 64; n++)
		if (!(keep >> n & 1))
			(void)prctl(PR_CAPBSET_DROP, n, 0, 0, 0);
}

int caps_set_all(caps_set keep)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	unsigned low = (unsigned)keep, high = (unsigned)(keep >> 32);
	struct __user_cap_data_struct data[2] = { { low, low, 0 }, { high, high, 0 } };

	return (int)syscall(SYS_capset, &head, data);
}
