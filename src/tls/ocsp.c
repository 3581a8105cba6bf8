/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * OCSP responses. Called by bind lines (certificates that come and go), by OpenSSL for clients that
 * ask (status_request), by commands, and by the one who fetches. What a response is worth is found
 * out when it comes; for a client the clock alone is looked at.
 */
#include "tls/ocsp.h"

#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/result.h"
#include "event/change.h"
#include "tls/binds.h"
#include "tls/cert.h"
#include "tls/lib.h"
#include "tls/ocsp_kept.h"

#include <openssl/err.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

enum { SKEW_S = 300 }; /* the responder's clock may be ahead of ours by that */

void (*tls_ocsp_moved)(void);

static void moved(void)
{
	if (tls_ocsp_moved)
		tls_ocsp_moved();
}

/* ---- clients ----------------------------------------------------------------------------- */

static int on_status(SSL *ssl, void *arg)
{
	const struct tls_cert *cert = tls_cert_of(ssl);
	const struct tls_ocsp *ocsp = cert ? cert->stapled : NULL;
	unsigned char *copy;

	(void)arg;
	if (!ocsp || !ocsp->response || ocsp->until <= clock_wall().tv_sec)
		return SSL_TLSEXT_ERR_NOACK;
	copy = OPENSSL_memdup(ocsp->response, ocsp->len);
	if (!copy)
		return SSL_TLSEXT_ERR_NOACK;
	SSL_set_tlsext_status_ocsp_resp(ssl, copy, (long)ocsp->len);
	return SSL_TLSEXT_ERR_OK;
}

void tls_ocsp_attach(SSL_CTX *ctx)
{
	SSL_CTX_set_tlsext_status_cb(ctx, on_status);
}

/* ---- what a response is worth ------------------------------------------------------------ */

/* The one answer in it; NULL and err. *whole is the caller's to free, also then. */
static OCSP_SINGLERESP *answer_of(struct span der, OCSP_BASICRESP **whole, struct err *err)
{
	const unsigned char *at = (const unsigned char *)der.ptr;
	OCSP_RESPONSE *response = NULL;
	int status = -1;

	*whole = NULL;
	if (der.len && der.len <= OCSP_RESPONSE_MOST)
		response = d2i_OCSP_RESPONSE(NULL, &at, (long)der.len);
	if (!response || at != (const unsigned char *)der.ptr + der.len) {
		OCSP_RESPONSE_free(response);
		ERR_clear_error();
		err_set(err, "Unable to parse OCSP response.");
		return NULL;
	}
	status = OCSP_response_status(response);
	if (status == OCSP_RESPONSE_STATUS_SUCCESSFUL)
		*whole = OCSP_response_get1_basic(response);
	OCSP_RESPONSE_free(response);
	ERR_clear_error();
	if (status != OCSP_RESPONSE_STATUS_SUCCESSFUL)
		err_set(err, "OCSP response status not successful: %s.",
			OCSP_response_status_str(status));
	else if (!*whole)
		err_set(err, "OCSP response is not a basic one.");
	else if (OCSP_resp_count(*whole) != 1)
		err_set(err, "OCSP response has %d answers, one was expected.",
			OCSP_resp_count(*whole));
	else
		return OCSP_resp_get0(*whole, 0);
	return NULL;
}

static bool signed_by(OCSP_BASICRESP *whole, X509 *issuer)
{
	X509_STORE *store = X509_STORE_new();
	STACK_OF(X509) *others = sk_X509_new_null();
	bool good = false;

	if (store && others && X509_STORE_add_cert(store, issuer) && sk_X509_push(others, issuer)) {
		X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
		good = OCSP_basic_verify(whole, others, store, 0) == 1;
	}
	sk_X509_free(others);
	X509_STORE_free(store);
	ERR_clear_error();
	return good;
}

/* The responder may name the certificate by another hash than we did. */
static bool is_about(const OCSP_CERTID *id, X509 *leaf, X509 *issuer)
{
	ASN1_OBJECT *algorithm = NULL;
	const EVP_MD *md;
	OCSP_CERTID *ours;
	bool same;

	OCSP_id_get0_info(NULL, &algorithm, NULL, NULL, (OCSP_CERTID *)(uintptr_t)id);
	md = algorithm ? EVP_get_digestbyobj(algorithm) : NULL;
	ours = md ? OCSP_cert_to_id(md, leaf, issuer) : NULL;
	same = ours && !OCSP_id_cmp(ours, id);
	OCSP_CERTID_free(ours);
	return same;
}

static int64_t seconds_of(const ASN1_GENERALIZEDTIME *when)
{
	struct tm tm;

	return ASN1_TIME_to_tm(when, &tm) == 1 ? timegm(&tm) : 0;
}

static int judge_answer(OCSP_SINGLERESP *one, int64_t *until, struct err *err)
{
	ASN1_GENERALIZEDTIME *since = NULL, *next = NULL;
	int reason, status = OCSP_single_get0_status(one, &reason, NULL, &since, &next);
	int rc;

	if (status != V_OCSP_CERTSTATUS_GOOD)
		return err_set(err, "OCSP single response: certificate status is %s, not good.",
			       OCSP_cert_status_str(status));
	if (!next)
		return err_set(err, "OCSP single response: it does not say until when it is valid.");
	rc = OCSP_check_validity(since, next, SKEW_S, -1);
	ERR_clear_error();
	if (rc != 1)
		return err_set(err, "OCSP single response: no longer valid, or not yet.");
	*until = seconds_of(next);
	return 0;
}

static int judge(OCSP_BASICRESP *whole, OCSP_SINGLERESP *one, const struct tls_ocsp *ocsp,
		 int64_t *until, struct err *err)
{
	X509 *leaf = tls_cert_leaf(ocsp->cert), *issuer;
	int rc = -1;

	if (!leaf || !X509_up_ref(leaf))
		return err_set(err, "Out of memory.");
	issuer = tls_cert_issuer(ocsp->cert);
	if (!issuer)
		err_set(err, "OCSP response: the certificate of the issuer is not known.");
	else if (!is_about(OCSP_SINGLERESP_get0_id(one), leaf, issuer))
		err_set(err, "OCSP single response: Certificate ID does not match certificate and "
			"issuer.");
	else if (!signed_by(whole, issuer))
		err_set(err, "OCSP response: it was not signed by the issuer.");
	else
		rc = judge_answer(one, until, err);
	X509_free(issuer);
	X509_free(leaf);
	return rc;
}

int tls_ocsp_judge(const struct tls_ocsp *ocsp, struct span der, int64_t *until, struct err *err)
{
	OCSP_BASICRESP *whole;
	OCSP_SINGLERESP *one = answer_of(der, &whole, err);
	int rc = one ? judge(whole, one, ocsp, until, err) : -1;

	OCSP_BASICRESP_free(whole);
	return rc;
}

/* ---- certificates ------------------------------------------------------------------------ */

static int make_id(struct tls_ocsp *ocsp, struct err *err)
{
	X509 *leaf = tls_cert_leaf(ocsp->cert), *issuer;
	OCSP_CERTID *id = NULL;
	unsigned char *at = ocsp->id;
	int size = 0;

	if (!leaf || !X509_up_ref(leaf))
		return err_set(err, "Out of memory.");
	issuer = tls_cert_issuer(ocsp->cert);
	if (issuer)
		id = OCSP_cert_to_id(EVP_sha1(), leaf, issuer);
	if (id)
		size = i2d_OCSP_CERTID(id, NULL);
	if (size > 0 && size <= OCSP_ID_MOST)
		ocsp->id_len = (size_t)i2d_OCSP_CERTID(id, &at);
	OCSP_CERTID_free(id);
	X509_free(leaf);
	X509_free(issuer);
	return ocsp->id_len ? 0 : err_set(err, "no OCSP without the issuer's certificate: it is "
					  "neither in the chain nor in a file '.issuer'");
}

static struct tls_ocsp *ocsp_new(struct tls_cert *cert, const char *path, struct err *err)
{
	struct tls_ocsp *ocsp = calloc(1, sizeof(*ocsp));

	if (!ocsp || !(ocsp->path = strdup(path))) {
		free(ocsp);
		err_set(err, "out of memory");
		return NULL;
	}
	ocsp->cert = cert;
	if (make_id(ocsp, err) < 0) {
		free(ocsp->path);
		free(ocsp);
		return NULL;
	}
	list_append(&tls_ocsp_all, &ocsp->node);
	cert->stapled = ocsp;
	return ocsp;
}

static int take_file(struct tls_ocsp *ocsp, struct err *err)
{
	int64_t until;

	if (tls_ocsp_judge(ocsp, ocsp->cert->ocsp, &until, err) < 0)
		return err_prefix(err, "the OCSP response beside '%s' is ignored", ocsp->path);
	return tls_ocsp_put(ocsp, ocsp->cert->ocsp, until, err);
}

static int use(struct tls_cert *cert, const char *path, bool update, struct err *err)
{
	struct tls_ocsp *ocsp = cert->stapled;

	if (!ocsp && !update && !cert->ocsp.len)
		return 0;
	if (!ocsp)
		ocsp = ocsp_new(cert, path, err);
	if (!ocsp)
		return err_prefix(err, "'%s'", path);
	if (update && !ocsp->update) {
		ocsp->update = true;
		moved();
	}
	return cert->ocsp.len && !ocsp->response ? take_file(ocsp, err) : 0;
}

int tls_ocsp_use(struct tls_cert *cert, const char *path, bool update, struct err *err)
{
	if (use(cert, path, update, err) < 0)
		return -1;
	if (cert->must_staple && !(cert->stapled && (cert->stapled->response || cert->stapled->update)))
		return err_set(err, "'%s' promises an OCSP response with each handshake (must-staple), "
			       "and there is none: clients that insist on it will refuse it; put one "
			       "into '%s.ocsp' or use 'ocsp-update on'", path, path);
	return 0;
}

/* ---- by name ----------------------------------------------------------------------------- */

static bool same_hex(const struct tls_ocsp *ocsp, const char *hex)
{
	size_t i;

	if (strlen(hex) != 2 * ocsp->id_len)
		return false;
	for (i = 0; i < ocsp->id_len; i++)
		if (str_hex_digit(hex[2 * i]) << 4 != (ocsp->id[i] & 0xf0) ||
		    str_hex_digit(hex[2 * i + 1]) != (ocsp->id[i] & 0xf))
			return false;
	return true;
}

struct tls_ocsp *tls_ocsp_find(const char *reference)
{
	struct tls_ocsp *ocsp;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if (!strcmp(ocsp->path, reference) || same_hex(ocsp, reference))
			return ocsp;
	return NULL;
}

/* A response may come for a certificate that had none so far. */
void tls_ocsp_meet_all(void)
{
	struct tls_bind *bind;
	struct tls_line *line;
	struct err err;

	list_for_each(bind, &tls_binds, node)
		list_for_each(line, &bind->lines, node)
			if (line->entry->cert && !line->entry->cert->stapled)
				ocsp_new(line->entry->cert, line->entry->name, &err);
}

/* Saves parsing those that it is not about. */
static bool same_serial(const OCSP_SINGLERESP *one, const struct tls_ocsp *ocsp)
{
	const unsigned char *at = ocsp->id;
	OCSP_CERTID *ours = d2i_OCSP_CERTID(NULL, &at, (long)ocsp->id_len);
	ASN1_INTEGER *a = NULL, *b = NULL;
	bool same;

	OCSP_id_get0_info(NULL, NULL, NULL, &a,
			  (OCSP_CERTID *)(uintptr_t)OCSP_SINGLERESP_get0_id(one));
	if (ours)
		OCSP_id_get0_info(NULL, NULL, NULL, &b, ours);
	same = a && b && !ASN1_INTEGER_cmp(a, b);
	OCSP_CERTID_free(ours);
	return same;
}

/* How many took it. */
static unsigned set_known(OCSP_BASICRESP *whole, OCSP_SINGLERESP *one, struct span der,
			  struct err *err)
{
	struct tls_ocsp *ocsp;
	unsigned n = 0;
	int64_t until;

	err_set(err, "OCSP single response: Certificate ID does not match any certificate.");
	list_for_each(ocsp, &tls_ocsp_all, node)
		if (same_serial(one, ocsp) && judge(whole, one, ocsp, &until, err) == 0 &&
		    tls_ocsp_put(ocsp, der, until, err) == 0) {
			ocsp->late = true;
			tls_ocsp_keep(ocsp);
			n++;
		}
	return n;
}

int tls_ocsp_set(struct span der, bool judged, struct err *err)
{
	OCSP_BASICRESP *whole;
	OCSP_SINGLERESP *one = answer_of(der, &whole, err);
	unsigned n = 0;

	if (one && !(n = set_known(whole, one, der, err))) {
		tls_ocsp_meet_all();
		n = set_known(whole, one, der, err);
	}
	OCSP_BASICRESP_free(whole);
	return n || judged ? 0 : -1;
}

/* ---- updates ----------------------------------------------------------------------------- */

/* What goes through the log: this, the id, the response. */
struct report {
	int64_t at, next;
	uint32_t status, id_len;
};

/* For all certificates of this ID; the log tells the others. */
static void postpone(const struct tls_ocsp *ocsp, int64_t next)
{
	struct tls_ocsp *other;

	list_for_each(other, &tls_ocsp_all, node)
		if (other->id_len == ocsp->id_len && !memcmp(other->id, ocsp->id, ocsp->id_len)) {
			other->next = next;
			other->asked = false;
		}
}

void tls_ocsp_ask(struct tls_ocsp *ocsp)
{
	ocsp->asked = true;
	moved();
}

void tls_ocsp_report(const struct tls_ocsp *ocsp, enum tls_ocsp_status status, int64_t next,
		     struct span der)
{
	struct report head = { .at = clock_wall().tv_sec, .next = next, .status = status,
			       .id_len = (uint32_t)ocsp->id_len };
	size_t len = sizeof(head) + ocsp->id_len + der.len;
	unsigned char *bytes = malloc(len);

	postpone(ocsp, next);
	if (!bytes)
		return;
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + sizeof(head), ocsp->id, ocsp->id_len);
	memcpy(bytes + sizeof(head) + ocsp->id_len, der.ptr, der.len);
	change_submit(&tls_ocsp_change, bytes, len, NULL, NULL);
	free(bytes);
}

static void note(struct tls_ocsp *ocsp, const struct report *head)
{
	ocsp->status = head->status;
	ocsp->next = head->next;
	ocsp->asked = false;
	if (head->status == TLS_OCSP_OK) {
		ocsp->successes++;
		ocsp->last = head->at;
	} else {
		ocsp->failures++;
		tls_ocsp_keep(ocsp);
	}
}

/* Of certificates that have gone meanwhile nobody needs to hear. */
static int apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *at = bytes;
	struct tls_ocsp *ocsp;
	struct report head;

	(void)said;
	if (len < sizeof(head))
		return err_set(err, "an OCSP update was cut");
	memcpy(&head, at, sizeof(head));
	at += sizeof(head);
	len -= sizeof(head);
	if (head.id_len > len || head.status > TLS_OCSP_NO_URI)
		return err_set(err, "an OCSP update was cut");
	list_for_each(ocsp, &tls_ocsp_all, node)
		if (ocsp->id_len == head.id_len && !memcmp(ocsp->id, at, head.id_len))
			note(ocsp, &head);
	if (len > head.id_len)
		DROPPED(tls_ocsp_set((struct span){ at + head.id_len, len - head.id_len },
				     !change_first, err),
			"without memory the former one stays, and the next is asked for in time");
	moved();
	return 0;
}

const struct change_kind tls_ocsp_change = { .name = "ocsp update", .apply = apply };
