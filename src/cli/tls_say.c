/* SPDX-License-Identifier: BSD-2-Clause */
/* What commands about certificates have in common: long answers, and how a certificate is shown.
 * Used by the other files tls_*.c. */
#include "cli/tls_say.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509v3.h>
#include <string.h>

/* -- long answers ------------------------------------------------------------------------------ */

BIO *tls_say_begin(struct cli_call *call, struct err *err)
{
	struct tls_say *say = CLI_STATE_OF(struct tls_say, call);

	say->bio = BIO_new(BIO_s_mem());
	if (!say->bio)
		err_set(err, "Out of memory.");
	return say->bio;
}

enum cli_step tls_say_next(struct cli_call *call)
{
	struct tls_say *say = CLI_STATE_OF(struct tls_say, call);
	char *text;
	size_t len = (size_t)BIO_get_mem_data(say->bio, &text) - say->at;
	bool last = len < CLI_PIECE;

	if (!len)
		return CLI_END; /* text may be NULL */
	text_add(call->out, text + say->at, last ? len : CLI_PIECE - 1);
	say->at += last ? len : CLI_PIECE - 1;
	return last ? CLI_END : CLI_MORE;
}

void tls_say_end(struct cli_call *call)
{
	struct tls_say *say = CLI_STATE_OF(struct tls_say, call);

	if (say)
		BIO_free(say->bio);
}

unsigned tls_say_index(char *name)
{
	char *colon = strrchr(name, ':');
	int64_t index;

	if (!colon || !str_to_int(colon + 1, 1, INT32_MAX, &index))
		return 0;
	*colon = 0;
	return (unsigned)index;
}

/* -- a certificate
 * ------------------------------------------------------------------------------- */

static void say_hex(BIO *out, const unsigned char *bytes, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		BIO_printf(out, "%02X", bytes[i]);
}

static void say_serial(BIO *out, X509 *x)
{
	const ASN1_INTEGER *serial = X509_get0_serialNumber(x);

	BIO_puts(out, "Serial: ");
	say_hex(out, ASN1_STRING_get0_data(serial), (size_t)ASN1_STRING_length(serial));
	BIO_puts(out, "\n");
}

static void say_time(BIO *out, const char *what, const ASN1_TIME *time)
{
	BIO_printf(out, "%s: ", what);
	ASN1_TIME_print(out, time);
	BIO_puts(out, "\n");
}

static void say_names(BIO *out, X509 *x)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
	int i;

	BIO_puts(out, "Subject Alternative Name: ");
	for (i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		BIO_puts(out, i ? ", " : "");
		GENERAL_NAME_print(out, sk_GENERAL_NAME_value(names, i));
	}
	BIO_puts(out, "\n");
	GENERAL_NAMES_free(names);
}

static void say_algorithm(BIO *out, X509 *x)
{
	EVP_PKEY *key = X509_get0_pubkey(x);

	BIO_puts(out, "Algorithm: ");
	switch (key ? EVP_PKEY_get_base_id(key) : EVP_PKEY_NONE) {
	case EVP_PKEY_RSA:
		BIO_printf(out, "RSA%d", EVP_PKEY_get_bits(key));
		break;
	case EVP_PKEY_EC:
		BIO_printf(out, "EC%d", EVP_PKEY_get_bits(key));
		break;
	case EVP_PKEY_DSA:
		BIO_printf(out, "DSA%d", EVP_PKEY_get_bits(key));
		break;
	case EVP_PKEY_NONE:
		break;
	default:
		BIO_puts(out, OBJ_nid2sn(EVP_PKEY_get_base_id(key)));
	}
	BIO_puts(out, "\n");
}

static void say_fingerprint(BIO *out, X509 *x)
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned len = 0;

	BIO_puts(out, "SHA1 FingerPrint: ");
	if (X509_digest(x, EVP_sha1(), digest, &len))
		say_hex(out, digest, len);
	BIO_puts(out, "\n");
}

/* "/C=FR/O=Org/CN=CA": bytes that could break the line are escaped. */
static void say_name(BIO *out, const char *what, const X509_NAME *name)
{
	char *text = X509_NAME_oneline(name, NULL, 0);

	BIO_printf(out, "%s: %s\n", what, text ? text : "");
	OPENSSL_free(text);
}

void tls_say_cert(BIO *out, X509 *x)
{
	say_serial(out, x);
	say_time(out, "notBefore", X509_get0_notBefore(x));
	say_time(out, "notAfter", X509_get0_notAfter(x));
	say_names(out, x);
	say_algorithm(out, x);
	say_fingerprint(out, x);
	say_name(out, "Subject", X509_get_subject_name(x));
	say_name(out, "Issuer", X509_get_issuer_name(x));
}

void tls_say_response(BIO *out, OCSP_RESPONSE *response)
{
	BIO *printed = BIO_new(BIO_s_mem());
	long len = printed && OCSP_RESPONSE_print(printed, response, 0) ? BIO_pending(printed) : 0;
	const char *text, *end;
	char *all = NULL;

	if (len)
		BIO_get_mem_data(printed, &all);
	for (text = all; text && len; len -= end - text, text = end) {
		end = memchr(text, '\n', (size_t)len);
		end = end ? end + 1 : text + len;
		if (*text == '\n')
			BIO_puts(out, " ");
		BIO_write(out, text, (int)(end - text));
	}
	BIO_free(printed);
}
