/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A table of what OpenSSL holds for one connection with TLS, by file and line of OpenSSL and size:
 *
 *   tls_mem CERTIFICATE.pem [1.2 | 1.3] [keep]
 *
 * The server's side of a connection that has had its handshake and an exchange, set up as
 * src/tls/layer_ops.c does it: no BIO of its own, buffers released ("keep": not). Says what a proxy
 * can never go below with this library, whatever it does itself. Used for doc/performance.md.
 */
#include "common.h"

#include <openssl/crypto.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 512, HEAD = 32 };

/* Before each piece. */
struct piece {
	size_t size;
	unsigned site, counted;
};

static struct site {
	const char *file;
	int line;
	size_t size;
	long live;
} sites[SITES];

static unsigned site_count;
static int counting; /* allocations are the connection's */

static unsigned site_of(const char *file, int line, size_t size)
{
	unsigned i;

	for (i = 0; i < site_count; i++)
		if (sites[i].line == line && sites[i].size == size && !strcmp(sites[i].file, file))
			return i;
	if (site_count == SITES)
		die("too many places");
	sites[site_count] = (struct site){ file, line, size, 0 };
	return site_count++;
}

static void *take(size_t size, const char *file, int line)
{
	struct piece *p = size ? malloc(HEAD + size) : NULL;

	if (!p)
		return NULL;
	*p = (struct piece){ size, 0, (unsigned)counting };
	if (counting) {
		p->site = site_of(file, line, size);
		sites[p->site].live++;
	}
	return (char *)p + HEAD;
}

static void give(void *ptr, const char *file, int line)
{
	struct piece *p = ptr ? (void *)((char *)ptr - HEAD) : NULL;

	(void)file;
	(void)line;
	if (p && p->counted)
		sites[p->site].live--;
	free(p);
}

static void *resize(void *ptr, size_t size, const char *file, int line)
{
	size_t had = ptr ? ((struct piece *)(void *)((char *)ptr - HEAD))->size : 0;
	void *fresh = take(size, file, line);

	if (!fresh && size)
		return NULL;
	if (fresh && ptr)
		memcpy(fresh, ptr, had < size ? had : size);
	give(ptr, file, line);
	return fresh;
}

static int larger(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	long m = (long)x->size * x->live, n = (long)y->size * y->live;

	return (m < n) - (m > n);
}

static void table(int connections)
{
	size_t total = 0;
	unsigned i;

	qsort(sites, site_count, sizeof(*sites), larger);
	for (i = 0; i < site_count && sites[i].live > 0; i++) {
		size_t bytes = sites[i].size * (size_t)sites[i].live / (size_t)connections;
		const char *at = strstr(sites[i].file, "ssl/");

		if (!bytes)
			continue;
		total += bytes;
		printf("| %s:%d | %zu | %.2f | %zu |\n", at ? at : sites[i].file, sites[i].line,
		       sites[i].size, (double)sites[i].live / connections, bytes);
	}
	printf("| total | | | %zu |\n", total);
}

/* ---- a connection -------------------------------------------------------------------------- */

static SSL_CTX *server, *client;

static void prepare(const char *file, int version, int keep)
{
	server = SSL_CTX_new(TLS_server_method());
	client = SSL_CTX_new(TLS_client_method());
	if (!server || !client || SSL_CTX_use_certificate_chain_file(server, file) != 1 ||
	    SSL_CTX_use_PrivateKey_file(server, file, SSL_FILETYPE_PEM) != 1)
		die("certificate %s", file);
	if (!keep)
		SSL_CTX_set_mode(server, SSL_MODE_RELEASE_BUFFERS);
	SSL_CTX_set_session_cache_mode(server, SSL_SESS_CACHE_OFF);
	SSL_CTX_set_max_proto_version(client, version);
	SSL_CTX_set_ciphersuites(server, "TLS_AES_128_GCM_SHA256");
	SSL_CTX_set_cipher_list(client, "ECDHE+AESGCM");
}

static SSL *connected(int count)
{
	SSL *s, *c = SSL_new(client);
	char buf[64];
	int i, pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair))
		die("socketpair");
	counting = count;
	s = SSL_new(server);
	counting = 0;
	SSL_set_fd(s, pair[0]);
	SSL_set_fd(c, pair[1]);
	SSL_set_accept_state(s);
	SSL_set_connect_state(c);
	for (i = 0; i < 6; i++) {
		SSL_do_handshake(c);
		counting = count;
		SSL_do_handshake(s);
		counting = 0;
	}
	SSL_write(c, "request", 7);
	counting = count;
	if (SSL_read(s, buf, sizeof(buf)) != 7 || SSL_write(s, "response", 8) != 8)
		die("no exchange");
	SSL_read(s, buf, sizeof(buf)); /* nothing: as on the way to idle */
	counting = 0;
	SSL_read(c, buf, sizeof(buf));
	SSL_free(c);
	close(pair[0]);
	close(pair[1]);
	return s;
}

int main(int argc, char **argv)
{
	enum { WARM = 4, MANY = 32 };
	int version = argc > 2 && !strcmp(argv[2], "1.2") ? TLS1_2_VERSION : TLS1_3_VERSION, i;

	if (argc < 2)
		die("usage: tls_mem CERTIFICATE.pem [1.2 | 1.3] [keep]");
	CRYPTO_set_mem_functions(take, resize, give);
	prepare(argv[1], version, argc > 3);
	for (i = 0; i < WARM; i++) /* what is made once */
		SSL_free(connected(0));
	for (i = 0; i < MANY; i++)
		connected(1);
	printf("%s, %s, buffers %s, bytes a connection\n\n| OpenSSL's file and line | size | pieces | bytes |\n"
	       "|---|--:|--:|--:|\n", OpenSSL_version(OPENSSL_VERSION),
	       version == TLS1_2_VERSION ? "TLS 1.2" : "TLS 1.3", argc > 3 ? "kept" : "released");
	table(MANY);
	return 0;
}
