/* SPDX-License-Identifier: BSD-2-Clause */
/* Fetches of certificates: that of the client (ssl_c_*), ours to the client (ssl_f_*), the server's
 * (ssl_s_*). Manual 7.3.4. They read OpenSSL's objects, write to scratch memory, change nothing;
 * which bytes are printed for what a certificate says is what the reference prints. */
#include "base/err.h"
#include "expr/tables.h"
#include "expr/tls.h"
#include "tls/cert.h"
#include "tls/chosen.h"
#include "tls/link.h"
#include "tls/notes.h"

#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <strings.h>

enum crt_whose { CRT_CLIENT, CRT_FRONTEND, CRT_SERVER, CRT_WHOSE_BITS = 4 };
#define ABOUT(whose, what) ((whose) | (what) << CRT_WHOSE_BITS)

static enum crt_whose crt_whose(const struct fetch_call *call)
{
	return (enum crt_whose)(call->row->data & ((1 << CRT_WHOSE_BITS) - 1));
}

static int crt_about(const struct fetch_call *call)
{
	return call->row->data >> CRT_WHOSE_BITS;
}

static SSL *crt_ssl(const struct fetch_call *call)
{
	return tls_link_ssl(tls_fetch_link(call, crt_whose(call) == CRT_SERVER ? TLS_SERVER : TLS_CLIENT));
}

/* Ours to the client: the one that was shown, or would have been, had no session been resumed. */
static X509 *crt_ours(const SSL *ssl)
{
	X509 *shown = SSL_get_certificate(ssl);
	struct tls_cert *chosen = shown ? NULL : tls_chosen(ssl);

	return chosen ? tls_cert_leaf(chosen) : shown;
}

/* NULL: there is none. */
static X509 *crt_of(const struct fetch_call *call)
{
	SSL *ssl = crt_ssl(call);

	if (!ssl)
		return NULL;
	return crt_whose(call) == CRT_FRONTEND ? crt_ours(ssl) : tls_notes_peer(ssl);
}

static enum expr_result crt_bytes(struct sample *smp, const void *ptr, size_t len)
{
	smp->str = (struct span){ ptr, len };
	return len ? EXPR_FOUND : EXPR_NONE;
}

static enum expr_result crt_word(struct sample *smp, const char *text)
{
	if (!text)
		return EXPR_NONE;
	smp->str = span_of(text);
	smp->flags |= SMP_CONST;
	return EXPR_FOUND;
}

/* -- the certificate as a whole ---------------------------------------------------------------- */

/* Adds the certificate to what is there. */
static bool put_der(struct text *t, X509 *crt)
{
	unsigned char *out = (unsigned char *)t->ptr + t->len;
	int len = crt ? i2d_X509(crt, NULL) : -1;

	if (len <= 0 || (size_t)len >= t->size - t->len || i2d_X509(crt, &out) != len)
		return false;
	t->len += (size_t)len;
	return true;
}

static enum expr_result fetch_der(struct fetch_call *call, struct sample *smp)
{
	X509 *crt = crt_of(call);
	struct text t;

	text_init(&t, expr_scratch(), expr_scratch_size);
	return put_der(&t, crt) ? crt_bytes(smp, t.ptr, t.len) : EXPR_NONE;
}

/* As the peer has sent it: a server's with the certificate itself in front. */
static enum expr_result fetch_chain_der(struct fetch_call *call, struct sample *smp)
{
	SSL *ssl = crt_ssl(call);
	STACK_OF(X509) *chain = ssl ? SSL_get_peer_cert_chain(ssl) : NULL;
	struct text t;
	int i;

	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i < sk_X509_num(chain); i++) {
		if (!put_der(&t, sk_X509_value(chain, i)))
			return EXPR_NONE;
	}
	return crt_bytes(smp, t.ptr, t.len);
}

static enum expr_result fetch_sha1(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	char *out = expr_scratch();
	unsigned len = 0;

	if (!crt || X509_digest(crt, EVP_sha1(), (unsigned char *)out, &len) != 1)
		return EXPR_NONE;
	return crt_bytes(smp, out, len);
}

static enum expr_result fetch_serial(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	const ASN1_INTEGER *serial = crt ? X509_get0_serialNumber(crt) : NULL;

	if (!serial)
		return EXPR_NONE;
	smp->flags |= SMP_CONST;
	return crt_bytes(smp, ASN1_STRING_get0_data(serial), (size_t)ASN1_STRING_length(serial));
}

static enum expr_result fetch_crt_version(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);

	if (!crt)
		return EXPR_NONE;
	smp->num = X509_get_version(crt) + 1;
	return EXPR_FOUND;
}

/* -- algorithms and dates ---------------------------------------------------------------------- */

static enum expr_result crt_algorithm(struct sample *smp, const ASN1_OBJECT *object)
{
	int nid = object ? OBJ_obj2nid(object) : NID_undef;

	return crt_word(smp, nid == NID_undef ? NULL : OBJ_nid2sn(nid));
}

static enum expr_result fetch_key_alg(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	ASN1_OBJECT *object = NULL;

	if (crt)
		X509_PUBKEY_get0_param(&object, NULL, NULL, NULL, X509_get_X509_PUBKEY(crt));
	return crt_algorithm(smp, object);
}

static enum expr_result fetch_sig_alg(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	const X509_ALGOR *algorithm = crt ? X509_get0_tbs_sigalg(crt) : NULL;
	const ASN1_OBJECT *object = NULL;

	if (algorithm)
		X509_ALGOR_get0(&object, NULL, NULL, algorithm);
	return crt_algorithm(smp, object);
}

enum { DATE_BEFORE, DATE_AFTER };

/* YYMMDDhhmmss[Z] in both forms of time; of the long one only this century has a short form. */
static enum expr_result fetch_date(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	const ASN1_TIME *date;
	struct span text;

	if (!crt)
		return EXPR_NONE;
	date = crt_about(call) == DATE_AFTER ? X509_get0_notAfter(crt) : X509_get0_notBefore(crt);
	if (!date)
		return EXPR_NONE;
	text = (struct span){ (const char *)ASN1_STRING_get0_data(date),
			      (size_t)ASN1_STRING_length(date) };
	if (ASN1_STRING_type(date) == V_ASN1_GENERALIZEDTIME) {
		if (text.len < 12 || memcmp(text.ptr, "20", 2) != 0)
			return EXPR_NONE;
		text.ptr += 2;
		text.len -= 2;
	}
	smp->flags |= SMP_CONST;
	return text.len < 10 ? EXPR_NONE : crt_bytes(smp, text.ptr, text.len);
}

/* -- distinguished names ----------------------------------------------------------------------- */

enum { DN_ISSUER, DN_SUBJECT, DN_ROOT };

/* The short name of an entry's type, or its number with dots. */
static const char *dn_type(const X509_NAME_ENTRY *entry, char *memory, size_t size)
{
	const ASN1_OBJECT *object = X509_NAME_ENTRY_get_object(entry);
	int nid = OBJ_obj2nid(object);

	if (nid != NID_undef && OBJ_nid2sn(nid))
		return OBJ_nid2sn(nid);
	return OBJ_obj2txt(memory, (int)size, object, 1) > 0 ? memory : "";
}

/* Its bytes as they are, but for the two alphabets of several bytes a letter. */
static void put_value(struct text *t, const X509_NAME_ENTRY *entry)
{
	const ASN1_STRING *value = X509_NAME_ENTRY_get_data(entry);
	unsigned char *utf8 = NULL;
	int type = ASN1_STRING_type(value), len;

	if (type != V_ASN1_BMPSTRING && type != V_ASN1_UNIVERSALSTRING) {
		text_add(t, (const char *)ASN1_STRING_get0_data(value),
			 (size_t)ASN1_STRING_length(value));
		return;
	}
	len = ASN1_STRING_to_UTF8(&utf8, value);
	if (len > 0)
		text_add(t, (const char *)utf8, (size_t)len);
	OPENSSL_free(utf8);
}

/* "/C=DE/O=Example/CN=name" */
static enum expr_result dn_oneline(const X509_NAME *name, struct sample *smp)
{
	int i, count = X509_NAME_entry_count(name);
	const X509_NAME_ENTRY *entry;
	char memory[128];
	struct text t;

	text_init(&t, expr_scratch(), expr_scratch_size);
	for (i = 0; i < count; i++) {
		entry = X509_NAME_get_entry(name, i);
		text_char(&t, '/');
		text_str(&t, dn_type(entry, memory, sizeof(memory)));
		text_char(&t, '=');
		put_value(&t, entry);
	}
	return t.cut ? EXPR_NONE : crt_bytes(smp, t.ptr, t.len);
}

static enum expr_result dn_rfc2253(const X509_NAME *name, struct sample *smp)
{
	BIO *bio = BIO_new(BIO_s_mem());
	char *out = expr_scratch();
	enum expr_result result = EXPR_NONE;
	int len;

	if (!bio)
		return EXPR_NONE;
	if (X509_NAME_print_ex(bio, name, 0, XN_FLAG_RFC2253) >= 0 &&
	    (size_t)BIO_pending(bio) < expr_scratch_size) {
		len = BIO_read(bio, out, (int)expr_scratch_size);
		result = len > 0 ? crt_bytes(smp, out, (size_t)len) : EXPR_NONE;
	}
	BIO_free(bio);
	return result;
}

/* The nth value of that type, counted from 1, or with a sign from the end. */
static enum expr_result dn_entry(const X509_NAME *name, const char *type, int64_t nth,
				 struct sample *smp)
{
	int i, count = X509_NAME_entry_count(name);
	int64_t left = nth < 0 ? -nth : nth;
	const X509_NAME_ENTRY *entry;
	char memory[128];
	struct text t;

	for (i = 0; i < count && left > 0; i++) {
		entry = X509_NAME_get_entry(name, nth < 0 ? count - 1 - i : i);
		if (strcasecmp(dn_type(entry, memory, sizeof(memory)), type) || --left)
			continue;
		text_init(&t, expr_scratch(), expr_scratch_size);
		put_value(&t, entry);
		smp->str = (struct span){ t.ptr, t.len };
		return EXPR_FOUND;
	}
	return EXPR_NONE;
}

/* The chain of a session that was resumed: OpenSSL keeps what the client sent, and forgets what was
 * made of it. */
static STACK_OF(X509) *chain_again(SSL *ssl, X509 *crt)
{
	X509_STORE *store = SSL_CTX_get_cert_store(SSL_get_SSL_CTX(ssl));
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	STACK_OF(X509) *chain = NULL;

	if (ctx && store &&
	    X509_STORE_CTX_init(ctx, store, crt, SSL_get_peer_cert_chain(ssl)) == 1) {
		X509_STORE_CTX_set_default(ctx, "ssl_client");
		X509_verify_cert(ctx);
		chain = X509_STORE_CTX_get1_chain(ctx);
	}
	X509_STORE_CTX_free(ctx);
	return chain;
}

/* The last of the chain, as far as it could be built. The caller frees it. */
static X509 *chain_root(struct fetch_call *call, X509 *crt)
{
	SSL *ssl = crt_ssl(call);
	STACK_OF(X509) *chain = SSL_get0_verified_chain(ssl), *again = NULL;
	X509 *root = crt;

	if (!chain)
		chain = again = chain_again(ssl, crt);
	if (sk_X509_num(chain) > 0)
		root = sk_X509_value(chain, sk_X509_num(chain) - 1);
	X509_up_ref(root);
	sk_X509_pop_free(again, X509_free);
	return root;
}

static enum expr_result dn_of(const struct expr_arg *args, const X509_NAME *name,
			      struct sample *smp)
{
	if (!name)
		return EXPR_NONE;
	if (args[0].type == ARG_STR && args[0].str.len)
		return dn_entry(name, args[0].str.ptr, args[1].type == ARG_INT ? args[1].num : 1, smp);
	return args[2].type == ARG_STR ? dn_rfc2253(name, smp) : dn_oneline(name, smp);
}

static enum expr_result fetch_dn(struct fetch_call *call, struct sample *smp)
{
	X509 *crt = crt_of(call), *root;
	enum expr_result result;

	if (!crt)
		return EXPR_NONE;
	if (crt_about(call) == DN_ISSUER)
		return dn_of(call->args, X509_get_issuer_name(crt), smp);
	if (crt_about(call) == DN_SUBJECT)
		return dn_of(call->args, X509_get_subject_name(crt), smp);
	root = chain_root(call, crt);
	result = dn_of(call->args, X509_get_subject_name(root), smp);
	X509_free(root);
	return result;
}

/* "DNS:a, IP Address:192.0.2.1", as OpenSSL prints it. */
static enum expr_result fetch_san(struct fetch_call *call, struct sample *smp)
{
	const X509 *crt = crt_of(call);
	int at = crt ? X509_get_ext_by_NID(crt, NID_subject_alt_name, -1) : -1, len = 0;
	BIO *bio = at < 0 ? NULL : BIO_new(BIO_s_mem());
	char *out = expr_scratch();

	if (!bio)
		return EXPR_NONE;
	if (X509V3_EXT_print(bio, X509_get_ext(crt, at), 0, 0) == 1 &&
	    (size_t)BIO_pending(bio) < expr_scratch_size)
		len = BIO_read(bio, out, (int)expr_scratch_size);
	BIO_free(bio);
	return len > 0 ? crt_bytes(smp, out, (size_t)len) : EXPR_NONE;
}

static int check_dn(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	(void)ctx;
	if (args[2].type != ARG_STR)
		return 0;
	if (!args[2].str.len) {
		args[2].type = ARG_NONE;
		return 0;
	}
	if (!span_equal(args[2].str, span_of("rfc2253")))
		return err_set(err, "the format must be rfc2253 or empty, not '%s'",
			       args[2].str.ptr);
	return 0;
}

/* -- the table --------------------------------------------------------------------------------- */

#define FROM_CRT(whose) ((whose) == CRT_SERVER ? FROM_SERVER : FROM_TLS_CLIENT)
#define ROW(name, whose, about, kind, run, text)                                              \
	{ name, { 0 }, kind, FROM_CRT(whose), run, .data = ABOUT(whose, about), .help = text }
#define DN(name, whose, about, text)                                                          \
	{ name, ARGS(0, ARG_STR, ARG_INT, ARG_STR), SMP_STR, FROM_CRT(whose), fetch_dn,        \
	  check_dn, .data = ABOUT(whose, about), .help = text }
#define ROWS(p, whose, text)                                                                  \
	ROW(p "der", whose, 0, SMP_BIN, fetch_der, text ", DER"),                              \
	DN(p "i_dn", whose, DN_ISSUER, "issuer of " text ", or one entry of its name"),        \
	ROW(p "key_alg", whose, 0, SMP_STR, fetch_key_alg, "algorithm of the key of " text),   \
	ROW(p "notafter", whose, DATE_AFTER, SMP_STR, fetch_date, "end of " text),             \
	ROW(p "notbefore", whose, DATE_BEFORE, SMP_STR, fetch_date, "begin of " text),         \
	DN(p "s_dn", whose, DN_SUBJECT, "subject of " text ", or one entry of its name"),      \
	ROW(p "serial", whose, 0, SMP_BIN, fetch_serial, "serial number of " text),            \
	ROW(p "sha1", whose, 0, SMP_BIN, fetch_sha1, "SHA-1 fingerprint of " text),            \
	ROW(p "sig_alg", whose, 0, SMP_STR, fetch_sig_alg, "algorithm that signed " text),     \
	ROW(p "version", whose, 0, SMP_INT, fetch_crt_version, "version of " text)

const struct fetch fetch_x509[] = {
	ROW("ssl_c_chain_der", CRT_CLIENT, 0, SMP_BIN, fetch_chain_der,
	    "chain that the client has sent, without its own certificate"),
	ROWS("ssl_c_", CRT_CLIENT, "the client's certificate"),
	DN("ssl_c_r_dn", CRT_CLIENT, DN_ROOT,
	   "root of the client's chain, or one entry of its name"),
	ROW("ssl_c_san", CRT_CLIENT, 0, SMP_STR, fetch_san,
	    "names and addresses in the client's certificate"),
	ROWS("ssl_f_", CRT_FRONTEND, "the certificate shown to the client"),
	ROW("ssl_s_chain_der", CRT_SERVER, 0, SMP_BIN, fetch_chain_der,
	    "chain that the server has sent"),
	ROWS("ssl_s_", CRT_SERVER, "the server's certificate"),
	{ 0 },
};
