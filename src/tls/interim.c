/* SPDX-License-Identifier: BSD-2-Clause */
/* Stands in for files that are being written; any definition elsewhere wins. */
#include "base/arena.h"
#include "base/err.h"
#include "tls/client.h"
#include "tls/store.h"
#include "tls/trust.h"

#define WEAK __attribute__((weak))

WEAK const char *tls_store_crt_path(struct arena *arena, const char *name)
{
	return arena_strdup(arena, name);
}

WEAK const char *tls_store_ca_path(struct arena *arena, const char *name)
{
	return arena_strdup(arena, name);
}

WEAK int tls_trust_read(const char *path, struct err *err)
{
	return err_set(err, "'%s': files of authorities are not supported yet", path);
}

WEAK struct tls_trust *tls_trust_load(const char *ca_file, const char *verify_file,
				      const char *crl_file, struct err *err)
{
	(void)ca_file, (void)verify_file, (void)crl_file;
	err_set(err, "files of authorities are not supported yet");
	return NULL;
}

WEAK X509_STORE *tls_trust_store(const struct tls_trust *trust)
{
	(void)trust;
	return NULL;
}

WEAK STACK_OF(X509_NAME) *tls_trust_names(const struct tls_trust *trust)
{
	(void)trust;
	return NULL;
}

WEAK void tls_trust_use(struct tls_trust *trust, struct tls_user *user)
{
	(void)trust, (void)user;
}

WEAK struct ssl_st *tls_client_ssl(struct tls_client *client, const struct tls_target *target)
{
	(void)client, (void)target;
	return NULL;
}
