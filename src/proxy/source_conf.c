/* SPDX-License-Identifier: BSD-2-Clause */
/* "source" of backends and servers: from which address servers are connected. */
#include "proxy/proxy_conf.h"

#include "base/arena.h"
#include "net/addr_conf.h"

#include <string.h>

/* Of a server line only; a backend's line takes a single port. */
static unsigned source_allow(const struct statement *st)
{
	return ADDR_STAR | ADDR_NAMES | (strcmp(st->words[0].text, "source") ? ADDR_PORT_RANGE : 0);
}

static int parse_usesrc(struct statement *st, struct source_conf *source)
{
	const char *word = stmt_need(st, "an address, client, clientip or hdr_ip(...)");
	struct addr_spec spec;

	if (!word)
		return -1;
	if (!strcmp(word, "client")) {
		source->usesrc = USESRC_CLIENT;
		return 0;
	}
	if (!strcmp(word, "clientip")) {
		source->usesrc = USESRC_CLIENTIP;
		return 0;
	}
	if (!strncmp(word, "hdr_ip(", 7)) {
		source->usesrc = USESRC_HDR;
		source->usesrc_text = arena_strdup(st->cfg->arena, word);
		return 0;
	}
	if (addr_conf_parse(st, word, ADDR_STAR | ADDR_NAMES, &spec))
		return -1;
	source->usesrc = USESRC_ADDR;
	source->usesrc_addr = spec.addr;
	return 0;
}

static int parse_interface(struct statement *st, struct source_conf *source)
{
	const char *word = stmt_need(st, "the name of an interface");

	if (!word)
		return -1;
	source->interface = arena_strdup(st->cfg->arena, word);
	return 0;
}

/* "*" alone: any address, the kernel chooses. */
static void set_address(struct source_conf *source, const struct addr_spec *spec)
{
	bool any = spec->addr.family == AF_INET && !spec->addr.v4.s_addr;

	source->addr = spec->addr;
	source->last_port = spec->last_port;
	if (any && !spec->addr.port)
		source->addr.family = AF_UNSPEC;
}

int parse_source(struct statement *st, const struct keyword *kw, void *object)
{
	struct source_conf *field = (struct source_conf *)((char *)object + kw->offset);
	const char *word = stmt_need(st, "an address, or '*',");
	struct source_conf source = { .set = true };
	struct addr_spec spec;
	int rc = 0;

	if (!word || addr_conf_parse(st, word, source_allow(st), &spec))
		return -1;
	set_address(&source, &spec);
	while (!rc) {
		if (stmt_take(st, "usesrc"))
			rc = parse_usesrc(st, &source);
		else if (stmt_take(st, "interface"))
			rc = parse_interface(st, &source);
		else
			break;
	}
	if (!rc)
		*field = source;
	return rc;
}
