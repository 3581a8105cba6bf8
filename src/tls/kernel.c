/* SPDX-License-Identifier: BSD-2-Clause */
/* TLS by the kernel ("ktls on"): OpenSSL makes the handshake on the socket itself and hands the
 * keys of a direction over when the kernel knows the cipher; that direction is then a socket of
 * plain bytes, and may be spliced. Called by layer_ops.c. What the kernel does not take goes on
 * through the BIO of the process, as without it.
 *
 * TLS 1.3 is never handed over: either side may ask for new keys at any time (RFC 8446 4.6.3), and
 * OpenSSL tells its peer of new ones while the kernel goes on with those it has, for kernels before
 * 6.14 take keys once. What the kernel encrypts it cannot be made to stop encrypting, so such a
 * connection would be lost. */
#include "tls/kernel.h"

#include "tls/layer.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TCP_ULP
#define TCP_ULP 31
#endif

enum tls_kernel tls_kernel_has(void)
{
#ifdef OPENSSL_NO_KTLS
	return TLS_KERNEL_NO_LIBRARY;
#else
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* A socket that is not connected is refused by the module, when there is one: for a process
	 * with the right to do so the kernel loads it now. */
	bool has = fd >= 0 && (!setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", 4) || errno == ENOTCONN);

	if (fd >= 0)
		close(fd);
	return has ? TLS_KERNEL_HAS : TLS_KERNEL_NO_MODULE;
#endif
}

/* Called between the steps of a handshake. Until the version is chosen it is the highest one;
 * OpenSSL looks at the option when it makes keys, which is later. */
static void kernel_by_version(const SSL *ssl, int where, int ret)
{
	SSL *of = (SSL *)ssl;

	(void)ret;
	if (!(where & SSL_CB_LOOP))
		return;
	if (SSL_version(ssl) == TLS1_2_VERSION)
		SSL_set_options(of, SSL_OP_ENABLE_KTLS);
	else
		SSL_clear_options(of, SSL_OP_ENABLE_KTLS);
}

bool tls_kernel_begin(struct tls_conn *t)
{
	BIO *bio;

	if (!(SSL_get_options(t->ssl) & SSL_OP_ENABLE_KTLS) || !(t->conn->flags & CONN_TCP))
		return false;
	bio = BIO_new_socket(t->conn->src.fd, BIO_NOCLOSE);
	if (!bio)
		return false;
	SSL_set_bio(t->ssl, bio, bio);
	SSL_set_info_callback(t->ssl, kernel_by_version);
	t->by_socket = true;
	return true;
}

void tls_kernel_take(struct tls_conn *t, struct bio_st *own)
{
	bool in = false, out = false;

#ifndef OPENSSL_NO_KTLS
	in = BIO_get_ktls_recv(SSL_get_rbio(t->ssl));
	out = BIO_get_ktls_send(SSL_get_wbio(t->ssl));
#endif
	if (!in) {
		BIO_up_ref(own);
		SSL_set0_rbio(t->ssl, own);
	}
	if (!out) {
		BIO_up_ref(own);
		SSL_set0_wbio(t->ssl, own);
	}
	t->layer.splices = (in ? LAYER_SPLICES_IN : 0) | (out ? LAYER_SPLICES_OUT : 0);
	tls_stats.kernel += in || out;
}
