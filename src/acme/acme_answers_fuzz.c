/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of an authority as any bytes: each reader, and what it gives keeps its promises. */
#include "acme/answers.h"

#include "base/bug.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_line(const char *text)
{
	for (; *text; text++)
		BUG_ON(*text <= ' ' || *text >= 127);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct span body = { (const char *)data, size };
	struct acme_directory d;
	struct acme_order_answer o;
	struct acme_problem p;
	struct acme_authz a;
	char url[ACME_URL];

	if (acme_read_directory(body, &d)) {
		check_line(d.new_nonce);
		check_line(d.new_account);
		check_line(d.new_order);
	}
	if (acme_read_order(body, &o)) {
		check_line(o.finalize);
		check_line(o.certificate);
		BUG_ON(o.count > ACME_URLS);
		if (o.count && acme_read_authorization(body, o.count - 1, url))
			check_line(url);
	}
	if (acme_read_authz(body, "http-01", &a) && a.offered) {
		check_line(a.url);
		BUG_ON(a.token[strspn(a.token,
				      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789-_")]);
	}
	if (acme_read_problem(body, &p))
		BUG_ON(strlen(p.text) >= sizeof(p.text));
	return 0;
}
