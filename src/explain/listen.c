/* SPDX-License-Identifier: BSD-2-Clause */
/* The choice of a listener (explain/listen.h). Called by run.c. A kernel would choose by the
 * address alone; a URL does not say which address its name has, so the port and TLS decide then. */
#include "explain/listen.h"

#include "base/err.h"
#include "base/kind.h"
#include "config/suggest.h"
#include "explain/ask.h"
#include "net/listener.h"
#include "proxy/proxy.h"

#include <strings.h>

/* How well it fits; 0: not at all. */
enum { FITS_ANY = 1, FITS_TLS = 2, FITS_PORT = 4, FITS_ADDRESS = 8 };

static bool wants_tls(const struct ask *ask)
{
	return ask->scheme ? !strcasecmp(ask->scheme, "https") : ask->port == 443;
}

static bool same_address(const struct addr *listens, const struct addr *to)
{
	if (addr_is_any(listens))
		return listens->port == to->port;
	return addr_equal(listens, to);
}

static bool same_path(const struct listener *l, const char *path)
{
	if (!strncmp(path, "unix@", 5))
		path += 5;
	return l->addr.family == AF_UNIX && l->addr.path && !strcmp(l->addr.path, path);
}

static unsigned listener_fits(const struct listener *l, const struct ask *ask)
{
	unsigned fits = FITS_ANY;

	if (ask->to_path)
		return same_path(l, ask->to_path) ? FITS_ADDRESS : 0;
	if (ask->to.family != AF_UNSPEC)
		return same_address(&l->addr, &ask->to) ? FITS_ADDRESS + !addr_is_any(&l->addr) : 0;
	if (ask->port && l->addr.family != AF_UNIX && l->addr.port == ask->port)
		fits |= FITS_PORT;
	if ((l->bind->tls != NULL) == wants_tls(ask))
		fits |= FITS_TLS;
	return fits;
}

static const char *fits_text(unsigned fits, const struct ask *ask)
{
	if (fits >= FITS_ADDRESS)
		return "by --to";
	if (fits & FITS_PORT)
		return "by its port";
	if (ask->port)
		return "the first that fits: none has the port of the URL";
	return "the first one";
}

static bool is_frontend(const struct proxy *px)
{
	return px->fe && !px->set.disabled && !proxy_is_udp(px);
}

static struct listener *listener_best(const struct ask *ask, unsigned *best)
{
	struct listener *l, *found = NULL;
	struct bind_conf *bind;
	struct proxy *px;
	unsigned fits;

	*best = 0;
	list_for_each(px, &proxies_running->list, node) {
		if (!is_frontend(px) ||
		    (ask->frontend && strcmp(px->name, ask->frontend) != 0))
			continue;
		list_for_each(bind, &px->binds, node)
			list_for_each(l, &bind->listeners, node) {
				fits = bind->dgram ? 0 : listener_fits(l, ask);
				if (fits > *best) {
					*best = fits;
					found = l;
				}
			}
	}
	return found;
}

/* False: there is such a frontend. */
static bool frontend_none(const struct ask *ask, struct err *err)
{
	struct suggestion near = suggest_begin(ask->frontend);
	struct proxy *px;
	char memory[SUGGEST_TEXT];
	struct text t;

	list_for_each(px, &proxies_running->list, node) {
		if (!is_frontend(px))
			continue;
		if (!strcmp(px->name, ask->frontend))
			return false;
		suggest_name(&near, px->name);
	}
	text_init(&t, memory, sizeof(memory));
	if (suggest_put(&near, &t))
		err_set(err, "there is no frontend '%s'; did you mean %s?", ask->frontend, t.ptr);
	else
		err_set(err, "there is no frontend '%s'", ask->frontend);
	return true;
}

static int listener_none(const struct ask *ask, struct err *err)
{
	struct listener *l;
	struct bind_conf *bind;
	struct proxy *px;
	char name[128];
	struct text t;

	text_init(&t, err->text, sizeof(err->text));
	text_printf(&t,
		    "no bind line%s%s has that address; there are:", ask->frontend ? " of " : "",
		    ask->frontend ? ask->frontend : "");
	list_for_each(px, &proxies_running->list, node) list_for_each(bind, &px->binds, node)
		list_for_each(l, &bind->listeners, node)
			text_printf(&t, " %s (%s)", listener_name(l, name, sizeof(name)), px->name);
	return -1;
}

/* A case that passes by a listener that nobody would reach proves nothing. */
static bool listener_is_meant(const struct listener *l, const struct ask *ask, unsigned fits,
			      struct err *err)
{
	const struct proxy *fe = KIND_OF(const struct proxy, l->bind->owner);
	bool speaks = fits & FITS_TLS || fe->set.mode != MODE_HTTP;

	if (fits >= FITS_ADDRESS || ask->frontend || !ask->port || (fits & FITS_PORT && speaks))
		return true;
	if (fits & FITS_PORT)
		err_set(err, "the bind line with port %u %s: --to or --frontend says which one "
			     "is meant", ask->port, l->bind->tls ? "speaks TLS" : "speaks no TLS");
	else
		err_set(err, "no bind line has port %u: --to or --frontend says which one is meant",
			ask->port);
	return false;
}

struct listener *listener_choose(const struct ask *ask, const char **why, struct addr *to,
				 struct err *err)
{
	unsigned fits;
	struct listener *l;

	if (ask->frontend && frontend_none(ask, err))
		return NULL;
	l = listener_best(ask, &fits);
	if (!l) {
		listener_none(ask, err);
		return NULL;
	}
	if (ask->sure && !listener_is_meant(l, ask, fits, err))
		return NULL;
	*why = fits_text(fits, ask);
	*to = ask->to.family != AF_UNSPEC ? ask->to : l->addr;
	if (addr_is_any(to)) { /* RFC 5737, RFC 3849: addresses for documentation */
		if (to->family == AF_INET6 && ask->from.family == AF_INET6)
			to->v6.s6_addr[0] = 0x20, to->v6.s6_addr[1] = 0x01,
			to->v6.s6_addr[2] = 0x0d, to->v6.s6_addr[3] = 0xb8, to->v6.s6_addr[15] = 1;
		else
			*to = (struct addr){ .family = AF_INET, .port = to->port,
					     .v4.s_addr = htonl(0xc0000201) };
	}
	return l;
}
