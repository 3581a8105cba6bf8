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

struct key {
	struct key *next;
	const struct proxy *px;
	char text[PERSIST_KEY_MOST + 1];
};

static struct key *keys;

/* The values that were made are of another key. */
static void forget_values(struct proxy *px)
{
	struct server *s;

	for (s = px->servers; s; s = s->next)
		s->state->value.key = NULL;
}

void persist_dynamic_set(struct proxy *px, bool on)
{
	px->dynamic_cookie = on ? DYNAMIC_ON : DYNAMIC_OFF;
}

int persist_dynamic_key(struct proxy *px, const char *text)
{
	struct key *key = keys;

	while (key && key->px != px)
		key = key->next;
	if (!key) {
		key = calloc(1, sizeof(*key));
		if (!key)
			return -1;
		key->px = px;
		key->next = keys;
		keys = key;
	}
	snprintf(key->text, sizeof(key->text), "%s", text);
	px->dynamic_key = key->text;
	forget_values(px);
	return 0;
}

static void backend_freed(struct proxy *px)
{
	struct key **at = &keys, *key;

	while (*at && (*at)->px != px)
		at = &(*at)->next;
	if (!*at)
		return;
	key = *at;
	*at = key->next;
	free(key);
}

struct proxy_part persist_proxy_part = { .free = backend_freed };
