/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses: parsed from the configuration and from commands, converted to the system's form
 * and printed. Never opens a socket; the only thing that may wait is the resolver of the
 * system, for host names, at start-up. An abstract Unix name takes the whole of sun_path,
 * zeros included, as the reference does: whoever connects must use the same length.
 */
#include "net/addr.h"

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <net/if.h>
#include <netdb.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

/* What a prefix says of the words behind it. */
struct prefix {
	const char *name;
	uint16_t family; /* AF_UNSPEC: by the look of the address */
	bool stream, dgram;
	bool abstract;
};

static const struct prefix prefixes[] = {
	{ "ip@", AF_UNSPEC, true, true, false },     { "ipv4@", AF_INET, true, true, false },
	{ "ipv6@", AF_INET6, true, true, false },    { "tcp@", AF_UNSPEC, true, false, false },
	{ "tcp4@", AF_INET, true, false, false },    { "tcp6@", AF_INET6, true, false, false },
	{ "udp@", AF_UNSPEC, false, true, false },   { "udp4@", AF_INET, false, true, false },
	{ "udp6@", AF_INET6, false, true, false },   { "unix@", AF_UNIX, true, true, false },
	{ "uxst@", AF_UNIX, true, false, false },    { "uxdg@", AF_UNIX, false, true, false },
	{ "abns@", AF_UNIX, true, true, true },      { "fd@", AF_FD, true, true, false },
	{ "sockpair@", AF_SOCKPAIR, true, true, false },
};

struct addr_names addr_names;

static const struct prefix no_prefix = { "", AF_UNSPEC, true, true, false };

/* One address while it is parsed. */
struct addr_parser {
	const char *text; /* whole, for messages */
	unsigned allow;
	struct arena *arena;
	struct addr_spec *spec;
	struct err *err;
};

static const struct prefix *prefix_find(const char *text)
{
	size_t i;

	for (i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(text, prefixes[i].name, strlen(prefixes[i].name)))
			return &prefixes[i];
	return NULL;
}

/* Consumes "stream+", "dgram+" and the family's prefix of *rest. */
static const struct prefix *parse_prefix(struct addr_parser *p, const char **rest)
{
	bool want_dgram = p->allow & ADDR_DGRAM, stream = true, dgram = true;
	const struct prefix *found;
	const char *at;

	if (!strncmp(*rest, "stream+", 7)) {
		dgram = false;
		*rest += 7;
	} else if (!strncmp(*rest, "dgram+", 6)) {
		stream = false;
		*rest += 6;
	}
	if (!strncmp(*rest, "quic", 4) && strchr(*rest, '@')) {
		err_set(p->err, "QUIC is not supported: '%s'", p->text);
		return NULL;
	}
	found = prefix_find(*rest);
	at = strchr(*rest, '@');
	if (!found && at && **rest != '/') {
		err_set(p->err, "unknown address prefix '%.*s' in '%s': ip@, ipv4@, ipv6@, unix@, "
			"abns@, fd@ or sockpair@ expected",
			(int)(at + 1 - *rest), *rest, p->text);
		return NULL;
	}
	if (!found)
		found = &no_prefix;
	*rest += strlen(found->name);
	p->spec->stream =
		p->allow & ADDR_STREAM_TOO && !(dgram && found->dgram) && stream && found->stream;
	if (p->spec->stream)
		return found;
	if (want_dgram ? dgram && found->dgram : stream && found->stream)
		return found;
	err_set(p->err, "'%s' is an address for %s, which cannot be used here", p->text,
		want_dgram ? "streams" : "datagrams");
	return NULL;
}

static int parse_path(struct addr_parser *p, const char *path, bool abstract)
{
	const size_t room = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;
	struct addr *addr = &p->spec->addr;

	if (!(p->allow & ADDR_UNIX))
		return err_set(p->err, "'%s' is a Unix socket, which cannot be used here", p->text);
	if (!*path)
		return err_set(p->err, "the path of the Unix socket is missing in '%s'", p->text);
	if (strlen(path) > room)
		return err_set(p->err, "the path of the Unix socket '%s' is longer than %zu "
			       "characters", path, room);
	addr->family = AF_UNIX;
	addr->path = arena_printf(p->arena, "%s%s", abstract ? "@" : "", path);
	return addr->path ? 0 : err_set(p->err, "no memory for the address");
}

static int parse_fd(struct addr_parser *p, const char *text, uint16_t family)
{
	int64_t fd;

	if (!(p->allow & ADDR_FDS))
		return err_set(p->err, "a file descriptor cannot be used here: '%s'", p->text);
	if (!str_to_int(text, 0, INT32_MAX, &fd))
		return err_set(p->err, "'%s' is not the number of a file descriptor in '%s'", text,
			       p->text);
	p->spec->addr.family = family;
	p->spec->addr.fd = (int)fd;
	return 0;
}

static int parse_port_number(struct addr_parser *p, const char *text, int64_t max, int64_t *port)
{
	if (*text && !text[strspn(text, "0123456789")] && str_to_int(text, 0, max, port))
		return 0;
	return err_set(p->err,
		       "'%s' is not a port in '%s': a number between 0 and 65535 expected%s", text,
		       p->text, strchr(text, '/') ? " (an address has no path)" : "");
}

static int parse_port_range(struct addr_parser *p, char *text, char *dash)
{
	int64_t first, last;

	if (!(p->allow & ADDR_PORT_RANGE))
		return err_set(p->err, "a range of ports cannot be used here: '%s'", p->text);
	*dash = 0;
	if (parse_port_number(p, text, 65535, &first) ||
	    parse_port_number(p, dash + 1, 65535, &last))
		return -1;
	if (first > last)
		return err_set(p->err, "the range of ports in '%s' ends before it begins", p->text);
	p->spec->addr.port = (uint16_t)first;
	p->spec->last_port = (uint16_t)last;
	return 0;
}

static int parse_port_offset(struct addr_parser *p, const char *text)
{
	int64_t offset;

	if (!(p->allow & ADDR_PORT_OFFSET))
		return err_set(p->err, "an offset to the port cannot be used here: '%s'", p->text);
	if (parse_port_number(p, text + 1, 65535, &offset))
		return -1;
	p->spec->has_offset = true;
	p->spec->port_offset = (int)(*text == '-' ? -offset : offset);
	return 0;
}

/* text: what stands behind the last colon; NULL or empty: nothing. */
static int parse_port(struct addr_parser *p, char *text)
{
	struct addr_spec *spec = p->spec;
	int64_t port = 0;
	char *dash;

	if (text && *text && (p->allow & ADDR_PORT_NONE))
		return err_set(p->err, "a port cannot be given here: '%s'", p->text);
	if (!text || !*text) {
		if (p->allow & ADDR_PORT_NEEDED)
			return err_set(
				p->err, "the port is missing in '%s'%s", p->text,
				!p->text[strspn(p->text, "0123456789")]
					? " (a port alone begins with a colon)"
				: p->allow & ADDR_UNIX && strstr(p->text, ".sock")
					? " (the path of a Unix socket begins with '/' or 'unix@')"
					: "");
		spec->has_offset = p->allow & ADDR_PORT_OFFSET;
		return 0;
	}
	if (*text == '+' || *text == '-')
		return parse_port_offset(p, text);
	dash = strchr(text, '-');
	if (dash) {
		if (parse_port_range(p, text, dash))
			return -1;
	} else {
		if (parse_port_number(p, text, 65535, &port))
			return -1;
		spec->addr.port = spec->last_port = (uint16_t)port;
	}
	if (spec->addr.port)
		return 0;
	if (p->allow & ADDR_PORT_NEEDED)
		return err_set(p->err, "port 0 cannot be used in '%s'", p->text);
	spec->has_offset = p->allow & ADDR_PORT_OFFSET;
	return 0;
}

/* "fe80::1%eth0": the interface is cut off. */
static bool parse_v6(const char *host, struct addr *addr)
{
	char text[INET6_ADDRSTRLEN + IF_NAMESIZE + 1];
	char *percent;

	if (strlen(host) >= sizeof(text))
		return false;
	memcpy(text, host, strlen(host) + 1);
	percent = strchr(text, '%');
	if (percent) {
		*percent = 0;
		addr->scope_id = if_nametoindex(percent + 1);
		if (!addr->scope_id)
			return false;
	}
	if (inet_pton(AF_INET6, text, &addr->v6) != 1)
		return false;
	addr->family = AF_INET6;
	return true;
}

static bool parse_v4(const char *host, struct addr *addr)
{
	if (inet_pton(AF_INET, host, &addr->v4) != 1)
		return false;
	addr->family = AF_INET;
	return true;
}

/* The first address of the name; NULL, or why it has none. */
static const char *lookup(const char *host, uint16_t family, struct addr *addr)
{
	struct addrinfo hints = { .ai_family = family, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int rc = getaddrinfo(host, NULL, &hints, &list);

	if (rc)
		return gai_strerror(rc);
	addr_from_sockaddr(addr, (const struct sockaddr_storage *)list->ai_addr, list->ai_addrlen);
	freeaddrinfo(list);
	return NULL;
}

/* The same with the older function, which knows fewer sources. */
static const char *lookup_hostent(const char *host, uint16_t family, struct addr *addr)
{
	const struct hostent *he = gethostbyname2(host, family == AF_INET6 ? AF_INET6 : AF_INET);

	if (!he)
		return hstrerror(h_errno);
	addr->family = (uint16_t)he->h_addrtype;
	memcpy(&addr->v6, he->h_addr_list[0], (size_t)he->h_length);
	return NULL;
}

int addr_resolve(const char *host, uint16_t family, struct addr *addr, struct err *err)
{
	uint16_t port = addr->port;
	const char *why;

	if (addr_names.stay) {
		*addr = (struct addr){ .family = family ? family : AF_INET, .port = port };
		return 0;
	}
	why = addr_names.avoid_getaddrinfo ? lookup_hostent(host, family, addr) :
					     lookup(host, family, addr);
	addr->port = port;
	return why ? err_set(err, "could not resolve address '%s': %s", host, why) : 0;
}

/* A name that has no address, or is not looked up yet, leaves the spec unresolved. */
static void resolve(struct addr_parser *p, const char *host, uint16_t family)
{
	struct addr_spec *spec = p->spec;

	spec->hostname = arena_strdup(p->arena, host);
	spec->family = family;
	spec->unresolved = p->allow & ADDR_NAMES_LATER ||
			   addr_resolve(host, family, &spec->addr, p->err) < 0;
}

static bool looks_like_name(const char *host)
{
	size_t i;

	for (i = 0; host[i]; i++)
		if (!isalnum((unsigned char)host[i]) && !strchr("-._", host[i]))
			return false;
	return i > 0;
}

static int bad_host(struct addr_parser *p, const char *host, uint16_t family)
{
	const char *what = family == AF_INET ? "an IPv4" : family == AF_INET6 ? "an IPv6" : "an";

	if (strstr(host, "://") || !strcmp(host, "http") || !strcmp(host, "https"))
		return err_set(p->err,
			       "'%s' is not %s address in '%s' (an address has no scheme: leave "
			       "'%.*s//' out)",
			       host, what, p->text, (int)strcspn(p->text, ":") + 1, p->text);
	if (strchr(host, ','))
		return err_set(p->err, "'%s' is not %s address in '%s' (one address is expected: "
				       "each server has a line of its own)", host, what, p->text);
	if (*host == '[' && !strchr(host, ']'))
		return err_set(p->err, "'%s' is not %s address in '%s' (the ']' behind it is "
				       "missing)", host, what, p->text);
	if (strchr(host, ':') || !*host || *host == '[')
		return err_set(p->err, "'%s' is not %s address in '%s' (the port is what follows "
			       "the last colon: write [ADDRESS] for IPv6 without one)",
			       host, what, p->text);
	return err_set(p->err, "'%s' is not %s address in '%s'", host, what, p->text);
}

static int parse_host(struct addr_parser *p, char *host, uint16_t family)
{
	struct addr *addr = &p->spec->addr;
	size_t len = strlen(host);
	bool digits = !host[strspn(host, "0123456789.")];

	if (!len || !strcmp(host, "*")) {
		if (!(p->allow & ADDR_STAR))
			return err_set(p->err, "the address is missing in '%s'", p->text);
		addr->family = family == AF_INET6 ? AF_INET6 : AF_INET;
		return 0;
	}
	if (len > 2 && *host == '[' && host[len - 1] == ']') {
		host[len - 1] = 0;
		host++;
		if (family != AF_INET && parse_v6(host, addr))
			return 0;
		if (family != AF_INET6 && parse_v4(host, addr))
			return 0;
		return bad_host(p, host, AF_INET6);
	}
	if (family != AF_INET6 && parse_v4(host, addr))
		return 0;
	if (family != AF_INET && parse_v6(host, addr))
		return 0;
	if (!looks_like_name(host))
		return bad_host(p, host, family);
	if (!(p->allow & (ADDR_NAMES | ADDR_NAMES_LATER)))
		return err_set(p->err, "'%s' is not an address, and a name cannot be used here",
			       host);
	if (digits && (family == AF_INET6 || !inet_aton(host, &(struct in_addr){ 0 })))
		return bad_host(p, host, family);
	resolve(p, host, family);
	return 0;
}

/* The colon before the port; NULL: there is none. "::1" is an address where no port may stand. */
static char *port_colon(char *text, unsigned allow)
{
	char *colon = strrchr(text, ':');
	char *bracket = strrchr(text, ']');
	struct addr whole = { 0 };

	if (allow & ADDR_PORT_NONE && parse_v6(text, &whole))
		return NULL;
	return colon && bracket > colon ? NULL : colon;
}

/* "$NAME" or "${NAME}" at *at: moves behind it. NULL: something else stands there. */
static const char *variable_at(const char **at, struct arena *arena)
{
	bool braces = (*at)[1] == '{';
	const char *name = *at + 1 + braces, *end = name, *value;

	while (isalnum((unsigned char)*end) || *end == '_')
		end++;
	if (**at != '$' || end == name || (braces && *end != '}'))
		return NULL;
	value = getenv(arena_strndup(arena, name, (size_t)(end - name)));
	*at = end + braces;
	return value ? value : "";
}

/* Variables of the environment are replaced in addresses also where no quotes stand. */
static const char *addr_expand(const char *text, struct arena *arena)
{
	const char *p, *start, *value, *done = "";

	for (p = start = text; (p = strchr(p, '$'));) {
		const char *dollar = p;

		value = variable_at(&p, arena);
		if (value) {
			done = arena_printf(arena, "%s%.*s%s", done, (int)(dollar - start), start, value);
			start = p;
		} else {
			p++;
		}
	}
	return start == text ? text : arena_printf(arena, "%s%s", done, start);
}

int addr_parse(const char *word, unsigned allow, struct arena *arena, struct addr_spec *spec,
	       struct err *err)
{
	const char *text = addr_expand(word, arena), *rest = text;
	struct addr_parser p = { text, allow, arena, spec, err };
	const struct prefix *prefix;
	char *host, *colon;

	memset(spec, 0, sizeof(*spec));
	if (!*text)
		return err_set(err, "the address is empty");
	prefix = parse_prefix(&p, &rest);
	if (!prefix)
		return -1;
	if (prefix->family == AF_UNIX || *rest == '/')
		return parse_path(&p, rest, prefix->abstract);
	if (prefix->family == AF_FD || prefix->family == AF_SOCKPAIR)
		return parse_fd(&p, rest, prefix->family);
	host = arena_strdup(arena, rest);
	if (!host) /* a limited arena */
		return err_set(err, "no memory for the address");
	colon = port_colon(host, allow);
	if (colon)
		*colon++ = 0;
	if (parse_port(&p, colon))
		return -1;
	return parse_host(&p, host, prefix->family);
}

static socklen_t unix_to_sockaddr(const struct addr *addr, struct sockaddr_un *un)
{
	const char *path = addr->path ? addr->path : "";
	size_t len = strlen(path);

	if (len >= sizeof(un->sun_path))
		len = sizeof(un->sun_path) - 1;
	memcpy(un->sun_path, path, len);
	if (*path != '@')
		return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
	un->sun_path[0] = 0;
	return sizeof(*un);
}

int addr_of_ip(const char *text, struct addr *addr)
{
	*addr = (struct addr){ 0 };
	if (inet_pton(AF_INET, text, &addr->v4) == 1)
		addr->family = AF_INET;
	else if (inet_pton(AF_INET6, text, &addr->v6) == 1)
		addr->family = AF_INET6;
	else
		return -1;
	return 0;
}

socklen_t addr_to_sockaddr(const struct addr *addr, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	ss->ss_family = addr->family;
	switch (addr->family) {
	case AF_INET:
		in->sin_port = htons(addr->port);
		in->sin_addr = addr->v4;
		return sizeof(*in);
	case AF_INET6:
		in6->sin6_port = htons(addr->port);
		in6->sin6_addr = addr->v6;
		in6->sin6_scope_id = addr->scope_id;
		return sizeof(*in6);
	case AF_UNIX:
		return unix_to_sockaddr(addr, (struct sockaddr_un *)ss);
	default:
		ss->ss_family = AF_UNSPEC;
		return sizeof(ss->ss_family);
	}
}

void addr_from_sockaddr(struct addr *addr, const struct sockaddr_storage *ss, socklen_t len)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)ss;
	const struct sockaddr_in *in = (const struct sockaddr_in *)ss;

	memset(addr, 0, sizeof(*addr));
	if (len < sizeof(ss->ss_family))
		return;
	if (ss->ss_family == AF_INET && len >= sizeof(*in)) {
		addr->family = AF_INET;
		addr->port = ntohs(in->sin_port);
		addr->v4 = in->sin_addr;
	} else if (ss->ss_family == AF_INET6 && len >= sizeof(*in6)) {
		addr->family = AF_INET6;
		addr->port = ntohs(in6->sin6_port);
		addr->v6 = in6->sin6_addr;
		addr->scope_id = in6->sin6_scope_id;
	} else if (ss->ss_family == AF_UNIX) {
		addr->family = AF_UNIX;
	}
}

/* inet_ntop would do it by sprintf, five times as long. */
void addr_print_v4(struct in_addr v4, struct text *t)
{
	const uint8_t *bytes = (const uint8_t *)&v4;
	unsigned i;

	for (i = 0; i < 4; i++) {
		if (i)
			text_char(t, '.');
		text_num(t, bytes[i]);
	}
}

void addr_print(const struct addr *addr, struct text *t)
{
	char buf[INET6_ADDRSTRLEN] = "";

	switch (addr->family) {
	case AF_INET:
		addr_print_v4(addr->v4, t);
		break;
	case AF_INET6:
		text_str(t, inet_ntop(AF_INET6, &addr->v6, buf, sizeof(buf)));
		break;
	case AF_UNIX:
		text_str(t, "unix");
		break;
	case AF_FD:
		text_printf(t, "fd@%d", addr->fd);
		break;
	case AF_SOCKPAIR:
		text_printf(t, "sockpair@%d", addr->fd);
		break;
	default:
		text_char(t, '-');
	}
}

void addr_print_port(const struct addr *addr, struct text *t)
{
	addr_print(addr, t);
	if (addr->port && (addr->family == AF_INET || addr->family == AF_INET6))
		text_printf(t, ":%u", addr->port);
}

void addr_print_clear(const struct addr *addr, struct text *t)
{
	bool brackets = addr->family == AF_INET6 && addr->port;

	if (brackets)
		text_char(t, '[');
	addr_print(addr, t);
	if (brackets)
		text_char(t, ']');
	if (addr->port && (addr->family == AF_INET || addr->family == AF_INET6))
		text_printf(t, ":%u", addr->port);
}

void addr_print_named(const struct addr *addr, struct text *t)
{
	switch (addr->family) {
	case AF_UNIX:
		if (addr->path && addr->path[0] == '@')
			text_printf(t, "abns%s", addr->path);
		else
			text_printf(t, "unix@%s", addr->path ? addr->path : "");
		break;
	case AF_INET:
		text_str(t, "ipv4@");
		addr_print_port(addr, t);
		break;
	case AF_INET6:
		text_str(t, "ipv6@[");
		addr_print(addr, t);
		text_printf(t, "]:%u", addr->port);
		break;
	default:
		addr_print(addr, t);
	}
}

bool addr_equal(const struct addr *a, const struct addr *b)
{
	if (a->family != b->family || a->port != b->port)
		return false;
	switch (a->family) {
	case AF_INET:
		return a->v4.s_addr == b->v4.s_addr;
	case AF_INET6:
		return !memcmp(&a->v6, &b->v6, sizeof(a->v6)) && a->scope_id == b->scope_id;
	case AF_UNIX:
		return a->path == b->path ||
		       (a->path && b->path && !strcmp(a->path, b->path));
	case AF_FD:
	case AF_SOCKPAIR:
		return a->fd == b->fd;
	default:
		return true;
	}
}
