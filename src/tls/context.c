/* SPDX-License-Identifier: BSD-2-Clause */
/* What hangs at an SSL_CTX of ours: it is made with the context (settings_apply.c), and goes with
 * it. */
#include "tls/context.h"

#include "base/arena.h"
#include "base/kind.h"
#include "tls/trust.h"

#include <stdlib.h>

static int extra_index = -1;

static void extra_release(void *parent, void *ptr, CRYPTO_EX_DATA *data, int index, long argl,
			  void *argp)
{
	struct tls_context_extra *extra = ptr;

	(void)parent, (void)data, (void)index, (void)argl, (void)argp;
	if (!extra)
		return;
	tls_trust_leave(&extra->basis.trust, &extra->user);
	arena_free(&extra->arena);
	free(extra);
}

struct tls_context_extra *tls_context_extra_new(SSL_CTX *ctx)
{
	struct tls_context_extra *extra = calloc(1, sizeof(*extra));

	if (extra_index < 0)
		extra_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, extra_release);
	if (!extra)
		return NULL;
	KIND_IS(struct tls_context_extra, extra);
	extra->ctx = ctx;
	extra->arena = arena_new(256);
	if (extra->arena && extra_index >= 0 && SSL_CTX_set_ex_data(ctx, extra_index, extra))
		return extra;
	arena_free(&extra->arena);
	free(extra);
	return NULL;
}

const struct tls_context_basis *tls_context_basis(const SSL_CTX *ctx)
{
	const struct tls_context_extra *extra =
		extra_index < 0 ? NULL :
				  KIND_OR_NULL(const struct tls_context_extra,
					       SSL_CTX_get_ex_data(ctx, extra_index));

	return extra ? &extra->basis : NULL;
}

void tls_context_offer(SSL_CTX *ctx, const struct tls_offer *offer)
{
	struct tls_context_extra *extra =
		KIND_OF(struct tls_context_extra, SSL_CTX_get_ex_data(ctx, extra_index));

	extra->basis.offer = offer;
}

void tls_context_retire(SSL_CTX **where)
{
	struct tls_context_extra *extra =
		KIND_OF(struct tls_context_extra, SSL_CTX_get_ex_data(*where, extra_index));

	tls_trust_leave(&extra->basis.trust, &extra->user);
	SSL_CTX_free(*where);
	*where = NULL;
}
