/* SPDX-License-Identifier: BSD-2-Clause */
/* What "-vv" says of TLS. Called once, before anything is configured. */
#include "tls/about.h"

#include "base/bug.h"
#include "tls/lib.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TCP_ULP
#define TCP_ULP 31
#endif

static const struct {
	int version;
	const char *name;
} about_versions[] = {
	{ TLS1_VERSION, "TLSv1.0" },
	{ TLS1_1_VERSION, "TLSv1.1" },
	{ TLS1_2_VERSION, "TLSv1.2" },
	{ TLS1_3_VERSION, "TLSv1.3" },
};

static void print_versions(FILE *out)
{
	SSL_CTX *ctx = SSL_CTX_new(TLS_method());
	size_t i;

	fputs("OpenSSL library supports :", out);
	for (i = 0; ctx && i < ARRAY_LEN(about_versions); i++) {
		if (SSL_CTX_set_min_proto_version(ctx, about_versions[i].version) == 1)
			fprintf(out, " %s", about_versions[i].name);
	}
	fputc('\n', out);
	SSL_CTX_free(ctx);
}

static void print_provider(void *out, const char *name)
{
	fprintf(out, " %s", name);
}

/* Whether the kernel can make records. A socket without a peer may not, but is told why. */
static bool kernel_has_tls(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool has;

	if (fd < 0)
		return false;
	has = !setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")) || errno == ENOTCONN;
	close(fd);
	return has;
}

static bool library_has_ktls(void)
{
#if defined(SSL_OP_ENABLE_KTLS) && !defined(OPENSSL_NO_KTLS)
	return true;
#else
	return false;
#endif
}

static void print_ktls(FILE *out)
{
	bool library = library_has_ktls(), kernel = kernel_has_tls();

	fprintf(out, "TLS in the kernel (kTLS) : OpenSSL %s, kernel %s\n",
		library ? "can" : "was built without it",
		kernel ? "can" : "cannot (module tls is missing)");
}

void tls_about(FILE *out)
{
	struct err err;

	if (tls_lib_start(&err) < 0) {
		fprintf(out, "%s\n", err.text);
		return;
	}
	fprintf(out, "Built with OpenSSL version : %s\n", OPENSSL_VERSION_TEXT);
	fprintf(out, "Running on OpenSSL version : %s\n", OpenSSL_version(OPENSSL_VERSION));
	fprintf(out, "OpenSSL library supports TLS extensions : yes\n"
		     "OpenSSL library supports SNI : yes\n");
	print_versions(out);
	fputs("OpenSSL providers loaded :", out);
	tls_lib_providers(print_provider, out);
	fputc('\n', out);
	print_ktls(out);
}
