/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loaded in front of a proxy by run-tls: nobody gets SSL_MODE_RELEASE_BUFFERS, so that what it
 * saves is seen for each proxy alike.
 */
#include <dlfcn.h>
#include <openssl/ssl.h>

typedef long ssl_ctrl(SSL *ssl, int cmd, long larg, void *parg);
typedef long ctx_ctrl(SSL_CTX *ctx, int cmd, long larg, void *parg);

static long without(int cmd, long larg)
{
	return cmd == SSL_CTRL_MODE ? larg & ~(long)SSL_MODE_RELEASE_BUFFERS : larg;
}

long SSL_ctrl(SSL *ssl, int cmd, long larg, void *parg)
{
	static ssl_ctrl *real;

	if (!real)
		real = (ssl_ctrl *)(void *)dlsym(RTLD_NEXT, "SSL_ctrl");
	return real(ssl, cmd, without(cmd, larg), parg);
}

long SSL_CTX_ctrl(SSL_CTX *ctx, int cmd, long larg, void *parg)
{
	static ctx_ctrl *real;

	if (!real)
		real = (ctx_ctrl *)(void *)dlsym(RTLD_NEXT, "SSL_CTX_ctrl");
	return real(ctx, cmd, without(cmd, larg), parg);
}
