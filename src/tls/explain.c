/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a handshake failed, for the log: the library's error, what it means here, and of certificates
 * what is wrong with them. */
#include "tls/layer.h"

#include "tls/lib.h"
#include "tls/notes.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

static void explain_verdict(const SSL *ssl, struct text *t)
{
	struct tls_verdict v = tls_notes_verdict(ssl);

	if (v.crt)
		text_printf(t, ": %s", X509_verify_cert_error_string(v.crt));
	else if (v.ca)
		text_printf(t, ": %s, of certificate %u above it",
			    X509_verify_cert_error_string(v.ca), v.ca_depth);
}

void tls_explain(unsigned long error, const struct ssl_st *ssl, struct text *t)
{
	char code[256], sentence[256];
	const char *reason;

	if (!error)
		return;
	ERR_error_string_n(error, code, sizeof(code));
	text_printf(t, " (%s)", code);
	reason = ERR_reason_error_string(error);
	tls_lib_sentence(error, sentence, sizeof(sentence));
	if (!reason || strcmp(reason, sentence) != 0)
		text_printf(t, ": %s", sentence);
	if (ERR_GET_LIB(error) == ERR_LIB_SSL &&
	    ERR_GET_REASON(error) == SSL_R_CERTIFICATE_VERIFY_FAILED)
		explain_verdict(ssl, t);
}
