/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of the certificates that are kept up. */
#include "acme/acme.h"

#include "base/clock.h"
#include "base/hash.h"

#include <openssl/x509v3.h>
#include <string.h>

enum { WEEK_S = 7 * 86400 };

const char *const acme_challenges[] = { "http-01", "tls-alpn-01", NULL };
const char *const acme_curves[] = { "P-256", "P-384", "P-521", NULL };

struct acme_running acme_running = { .scheduler = true, .certs = LIST_INIT(acme_running.certs) };

struct acme_cert *acme_cert_find(const char *name)
{
	struct acme_cert *c;

	list_for_each(c, &acme_running.certs, node)
		if (!strcmp(c->line->entry->name, name))
			return c;
	return NULL;
}

bool acme_leaf_covers(X509 *leaf, const char *domains)
{
	size_t len;

	for (;; domains += len + 1) {
		len = strcspn(domains, ",");
		if (X509_check_host(leaf, domains, len, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
				    NULL) != 1)
			return false;
		if (!domains[len])
			return true;
	}
}

/* Two thirds of its life, up to a fiftieth of it sooner: those that began together spread. */
static int64_t renewal_at(const struct acme_cert *c)
{
	const struct tls_age *age = &c->line->entry->cert->age;
	int64_t life = age->until - age->from;
	const char *name = c->line->entry->name;

	return age->from + life / 3 * 2 - life / 50 * (hash_wt6(name, strlen(name)) % 1000) / 1000;
}

int64_t acme_cert_due(const struct acme_cert *c)
{
	int64_t due = 0, least = c->not_before, now = clock_wall().tv_sec;
	X509 *leaf;

	if (c->asked)
		return 0;
	if (!acme_running.scheduler)
		return INT64_MAX;
	leaf = tls_cert_leaf(c->line->entry->cert);
	if (!c->line->placeholder && leaf && acme_leaf_covers(leaf, c->line->domains))
		due = renewal_at(c);
	else if (!c->failures && !c->running)
		return 0; /* the file is another one than that which came last */
	if (least > now + WEEK_S + 86400)
		least = 0; /* the clock was set back */
	return due > least ? due : least;
}

char *acme_bind_account(void *arg, const char *url)
{
	static const unsigned bits[] = { 256, 384, 512 };
	const struct acme *acme = arg;

	return acme_binding(acme->key, url, acme->kid, (struct span){ acme->mac, acme->mac_len },
			    bits[acme->binding_alg]);
}
