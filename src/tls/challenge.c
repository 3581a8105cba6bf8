/* SPDX-License-Identifier: BSD-2-Clause */
/* Challenges that are to be answered, few and for seconds. Each process makes its certificates
 * itself: what counts in them is the identifier, which is the same. Called by acme/ and by the
 * choice of a certificate. */
#include "tls/challenge.h"

#include "base/err.h"
#include "base/list.h"
#include "tls/cert.h"
#include "tls/craft.h"
#include "tls/names.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

struct challenge {
	struct list node;
	struct tls_cert *cert;
	char name[];
};

static struct list all = LIST_INIT(all);
static unsigned count;

static struct challenge *find(const char *name)
{
	struct challenge *c;

	list_for_each(c, &all, node)
		if (!strcmp(c->name, name))
			return c;
	return NULL;
}

static void end(struct challenge *c)
{
	list_remove(&c->node);
	tls_cert_free(&c->cert);
	free(c);
	count--;
}

int tls_challenge_set(const char *name, const unsigned char *identifier, struct err *err)
{
	size_t size = strlen(name) + 1;
	struct challenge *c;

	tls_challenge_end(name);
	if (size > TLS_NAME_MAX || !tls_craft_is_name(name, size - 1) || count >= MOST)
		return err_set(err, "no name for a challenge, or too many of them");
	c = malloc(sizeof(*c) + size);
	if (!c)
		return err_set(err, "out of memory");
	c->cert = tls_craft_self_signed(name, identifier, err);
	if (!c->cert) {
		free(c);
		return -1;
	}
	memcpy(c->name, name, size);
	list_append(&all, &c->node);
	count++;
	return 0;
}

void tls_challenge_end(const char *name)
{
	struct challenge *c = find(name);

	if (c)
		end(c);
}

void tls_challenges_end(void)
{
	while (!list_empty(&all))
		end(list_first(&all, struct challenge, node));
}

static bool is_alone(const unsigned char *list, size_t len)
{
	return len == strlen(TLS_CHALLENGE_ALPN) && !memcmp(list, TLS_CHALLENGE_ALPN, len);
}

struct tls_cert *tls_challenge_for(SSL *ssl, struct span name)
{
	const int alpn = TLSEXT_TYPE_application_layer_protocol_negotiation;
	const struct challenge *c = NULL;
	char text[TLS_NAME_MAX + 1];
	const unsigned char *p;
	size_t len;

	if (count && SSL_client_hello_get0_ext(ssl, alpn, &p, &len) && len > 2 &&
	    is_alone(p + 2, len - 2) && tls_name_normalise(name, text))
		c = find(text);
	return c ? c->cert : NULL;
}

bool tls_challenge_agrees(const struct tls_cert *chosen, const unsigned char *offer, unsigned len)
{
	const struct challenge *c;

	if (!count || !is_alone(offer, len))
		return false;
	list_for_each(c, &all, node)
		if (c->cert == chosen)
			return true;
	return false;
}
