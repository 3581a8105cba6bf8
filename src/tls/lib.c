/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OpenSSL itself: start, errors as sentences, providers. Called while the configuration is read and
 * by everybody in tls/ who has to say why something failed. Never touches a connection.
 */
#include "tls/lib.h"

#include "base/str.h"

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <openssl/ssl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int tls_lib_start(struct err *err)
{
	/* Its own clean-up at exit would run in each process and touch memory for nothing. */
	static const uint64_t how = OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_LOAD_SSL_STRINGS |
				    OPENSSL_INIT_LOAD_CRYPTO_STRINGS;

	if (!OPENSSL_init_ssl(how, NULL))
		return tls_lib_error(err, "OpenSSL does not start");
	return 0;
}

/* What the library's reason means here. */
static const struct {
	int lib, reason;
	const char *sentence;
} sentences[] = {
	{ ERR_LIB_SSL, SSL_R_NO_SHARED_CIPHER,
	  "the client offers no cipher that suits this line and its certificates" },
	{ ERR_LIB_SSL, SSL_R_UNSUPPORTED_PROTOCOL,
	  "the client speaks none of the TLS versions that this line allows" },
	{ ERR_LIB_SSL, SSL_R_VERSION_TOO_LOW, "the peer's TLS version is too old for this line" },
	{ ERR_LIB_SSL, SSL_R_WRONG_VERSION_NUMBER, "what the peer sent is not TLS" },
	{ ERR_LIB_SSL, SSL_R_HTTP_REQUEST, "plain HTTP was sent to a port that speaks TLS" },
	{ ERR_LIB_SSL, SSL_R_HTTPS_PROXY_REQUEST,
	  "a plain CONNECT request was sent to a port that speaks TLS" },
	{ ERR_LIB_SSL, SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM,
	  "the peer accepts no signature that our certificate can make" },
	{ ERR_LIB_SSL, SSL_R_NO_SUITABLE_KEY_SHARE, "no elliptic curve is common to both sides" },
	{ ERR_LIB_SSL, SSL_R_NO_SHARED_GROUPS, "no elliptic curve is common to both sides" },
	{ ERR_LIB_SSL, SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE,
	  "the client sent no certificate, and this line requires one" },
	{ ERR_LIB_SSL, SSL_R_CERTIFICATE_VERIFY_FAILED, "the peer's certificate is not accepted" },
	{ ERR_LIB_SSL, SSL_R_NO_APPLICATION_PROTOCOL,
	  "no application protocol (ALPN) is common to both sides" },
	{ ERR_LIB_SSL, SSL_R_TLSV1_ALERT_UNKNOWN_CA,
	  "the peer does not know the authority of our certificate" },
	{ ERR_LIB_SSL, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN,
	  "the peer does not accept our certificate" },
	{ ERR_LIB_SSL, SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, "the peer finds our certificate broken" },
	{ ERR_LIB_SSL, SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED,
	  "the peer finds our certificate expired" },
	{ ERR_LIB_SSL, SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED,
	  "the peer finds our certificate revoked" },
	{ ERR_LIB_SSL, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE,
	  "the peer finds no common way to speak TLS" },
	{ ERR_LIB_SSL, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION,
	  "the peer does not take our TLS versions" },
	{ ERR_LIB_SSL, SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED,
	  "the peer requires a certificate from us" },
	{ ERR_LIB_SSL, SSL_R_TLSV1_UNRECOGNIZED_NAME, "the peer does not know the server name" },
	{ ERR_LIB_SSL, SSL_R_NO_RENEGOTIATION, "the peer wanted to renegotiate, which is refused" },
	{ ERR_LIB_SSL, SSL_R_EXCESSIVE_MESSAGE_SIZE, "a message of the handshake is too large" },
	{ ERR_LIB_SSL, SSL_R_UNEXPECTED_EOF_WHILE_READING,
	  "the peer closed without saying so (no close_notify)" },
	{ ERR_LIB_SSL, SSL_R_EE_KEY_TOO_SMALL,
	  "the certificate's key is too short for OpenSSL's security level" },
	{ ERR_LIB_SSL, SSL_R_CA_MD_TOO_WEAK,
	  "the certificate's signature is too weak for OpenSSL's security level" },
	{ ERR_LIB_SSL, SSL_R_NO_CIPHER_MATCH, "no cipher of this name is known" },
	{ ERR_LIB_X509, X509_R_KEY_VALUES_MISMATCH, "the key does not belong to the certificate" },
	{ ERR_LIB_X509, X509_R_KEY_TYPE_MISMATCH,
	  "the key is of another type than the certificate's" },
	{ ERR_LIB_PEM, PEM_R_NO_START_LINE, "nothing in PEM form in it" },
	{ ERR_LIB_PEM, PEM_R_BAD_PASSWORD_READ, "it is encrypted" },
	{ ERR_LIB_CRYPTO, ERR_R_INTERRUPTED_OR_CANCELLED, "it is encrypted" },
	{ ERR_LIB_EVP, EVP_R_BAD_DECRYPT, "wrong passphrase" },
};

const char *tls_lib_sentence(unsigned long code, char *buf, size_t size)
{
	const char *reason = ERR_reason_error_string(code);
	size_t i;

	for (i = 0; i < sizeof(sentences) / sizeof(*sentences); i++)
		if (sentences[i].lib == ERR_GET_LIB(code) &&
		    sentences[i].reason == ERR_GET_REASON(code)) {
			snprintf(buf, size, "%s", sentences[i].sentence);
			return buf;
		}
	if (reason)
		snprintf(buf, size, "%s", reason);
	else
		ERR_error_string_n(code, buf, size);
	return buf;
}

int tls_lib_error(struct err *err, const char *fmt, ...)
{
	unsigned long code = ERR_peek_error();
	char sentence[256], what[sizeof(err->text) + 8]; /* so that err_set cuts it */
	va_list ap;

	ERR_clear_error();
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (!code)
		return err_set(err, "%s", what);
	return err_set(err, "%.*s: %s", STR_CUT(what, 240),
		       tls_lib_sentence(code, sentence, sizeof(sentence)));
}

int tls_lib_provider_path(const char *path, struct err *err)
{
	ERR_clear_error();
	if (!OSSL_PROVIDER_set_default_search_path(NULL, path))
		return tls_lib_error(err, "'%s' cannot be where providers are", path);
	return 0;
}

int tls_lib_provider(const char *name, struct err *err)
{
	ERR_clear_error();
	if (!OSSL_PROVIDER_load(NULL, name))
		return tls_lib_error(err, "the provider '%s' cannot be loaded", name);
	return 0;
}

int tls_lib_propquery(const char *query, struct err *err)
{
	ERR_clear_error();
	if (!EVP_set_default_properties(NULL, query))
		return tls_lib_error(err, "'%s' is not a query for properties", query);
	return 0;
}

struct provider_walk {
	void (*each)(void *arg, const char *name);
	void *arg;
};

static int provider_show(OSSL_PROVIDER *provider, void *arg)
{
	const struct provider_walk *walk = arg;

	walk->each(walk->arg, OSSL_PROVIDER_get0_name(provider));
	return 1;
}

void tls_lib_providers(void (*each)(void *arg, const char *name), void *arg)
{
	struct provider_walk walk = { each, arg };

	OSSL_PROVIDER_do_all(NULL, provider_show, &walk);
}
