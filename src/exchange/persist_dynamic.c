/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What commands say of dynamic cookies: on or off, and of which key. Called through the ordered
 * log, so that all processes make the same values. Keys are kept here, one a backend, since the
 * arena of its generation would grow with each change.
 */
#include "exchange/persist.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "proxy/server.h"

#include <stdio.h>
#include <stdlib.h>

static struct persist_dynamic *all;

/* The values that were made are of another key. */
static void forget_values(struct proxy *px)
{
	struct server *s;

	for (s = px->servers; s; s = s->next)
		s->state->value.key = NULL;
}

static struct persist_dynamic *dynamic_make(struct proxy *px)
{
	struct persist_dynamic *d = proxy_part(px, &persist_dynamic_part);

	if (d)
		return d;
	d = calloc(1, sizeof(*d));
	if (!d)
		return NULL;
	d->px = px;
	d->next = all;
	all = d;
	proxy_part_set(px, &persist_dynamic_part, d);
	return d;
}

int persist_dynamic_set(struct proxy *px, bool on)
{
	struct persist_dynamic *d = dynamic_make(px);

	if (!d)
		return -1;
	d->made = on ? DYNAMIC_ON : DYNAMIC_OFF;
	return 0;
}

int persist_dynamic_key(struct proxy *px, const char *key)
{
	struct persist_dynamic *d = dynamic_make(px);

	if (!d)
		return -1;
	snprintf(d->key, sizeof(d->key), "%s", key);
	d->has_key = true;
	forget_values(px);
	return 0;
}

static void backend_freed(struct proxy *px)
{
	struct persist_dynamic **at = &all, *d;

	while (*at && (*at)->px != px)
		at = &(*at)->next;
	if (!*at)
		return;
	d = *at;
	*at = d->next;
	proxy_part_set(px, &persist_dynamic_part, NULL);
	free(d);
}

struct proxy_part persist_dynamic_part = { PROXY_PART("dynamic cookies", 0),
					   .free = backend_freed };
