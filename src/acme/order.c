/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The steps of an order. One request is under way at a time. A request that gets no answer, or one
 * of 5xx, is sent again after a pause, ACME_RETRIES times; one whose nonce is refused (6.5) at
 * once, with the nonce that came along. Authorizations are gone through one after the other.
 * Whatever else is unexpected ends the order, with a sentence for the log.
 */
#include "acme/order.h"

#include "base/bug.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step {
	STEP_DIRECTORY,
	STEP_ACCOUNT,
	STEP_ORDER,
	STEP_AUTHZ,
	STEP_ANSWER,
	STEP_CHALLENGE,
	STEP_VERIFY,
	STEP_KEY,
	STEP_FINALIZE,
	STEP_ISSUE,
	STEP_CERTIFICATE
};

/* What the authority was asked for, where it refuses. */
static const char *const asked[] = {
	[STEP_DIRECTORY] = "its directory", [STEP_ACCOUNT] = "an account",
	[STEP_ORDER] = "a new order", [STEP_AUTHZ] = "an authorization",
	[STEP_CHALLENGE] = "to look at the challenge", [STEP_VERIFY] = "an authorization",
	[STEP_FINALIZE] = "to finalize the order", [STEP_ISSUE] = "the state of the order",
	[STEP_CERTIFICATE] = "the certificate",
};

void acme_order_fail(struct acme_order *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(o->why, sizeof(o->why), fmt, ap);
	va_end(ap);
	o->todo = ACME_DO_FAIL;
}

/* ---- requests -------------------------------------------------------------------------------- */

/* An authority that is asked over TLS sends nobody elsewhere without. */
static bool url_is_safe(const struct acme_order *o, const char *url)
{
	return strncmp(o->conf->directory, "https://", 8) != 0 || !strncmp(url, "https://", 8);
}

static void send_again(struct acme_order *o)
{
	if (o->step == STEP_DIRECTORY)
		o->todo = ACME_DO_GET;
	else
		o->todo = *o->nonce ? ACME_DO_POST : ACME_DO_HEAD;
}

/* url: of o. payload: taken over; NULL: no memory. */
static void post(struct acme_order *o, enum step step, char *payload)
{
	free(o->made);
	o->made = payload;
	o->payload = payload;
	o->step = step;
	o->tries = o->nonces = 0;
	o->by_key = step == STEP_ACCOUNT;
	if (!payload)
		acme_order_fail(o, "out of memory");
	else
		o->todo = *o->nonce ? ACME_DO_POST : ACME_DO_HEAD;
}

/* Where the request at hand goes. */
static const char *step_url(const struct acme_order *o)
{
	switch ((enum step)o->step) {
	case STEP_DIRECTORY:
		return o->conf->directory;
	case STEP_ACCOUNT:
		return o->directory.new_account;
	case STEP_ORDER:
		return o->directory.new_order;
	case STEP_AUTHZ:
	case STEP_VERIFY:
		return o->authorizations + (size_t)o->at * ACME_URL;
	case STEP_CHALLENGE:
		return o->authz.url;
	case STEP_FINALIZE:
		return o->finalize;
	case STEP_ISSUE:
		return o->order_url;
	case STEP_CERTIFICATE:
		return o->certificate;
	case STEP_ANSWER:
	case STEP_KEY:
		break;
	}
	return "";
}

static void set_url(struct acme_order *o)
{
	o->url = o->todo == ACME_DO_HEAD ? o->directory.new_nonce : step_url(o);
	if (o->todo <= ACME_DO_POST && !url_is_safe(o, o->url))
		acme_order_fail(o, "the authority sends us from https:// to '%.*s'",
				STR_CUT(o->url, 200));
}

static void look(struct acme_order *o, enum step step)
{
	post(o, step, strdup(""));
}

static void wait_for(struct acme_order *o, unsigned seconds)
{
	o->wait_s = seconds;
	o->todo = ACME_DO_WAIT;
}

/* ---- what is sent ---------------------------------------------------------------------------- */

static char *account_payload(struct acme_order *o)
{
	const char *mail = o->conf->contact;
	char *binding =
		o->conf->bind ? o->conf->bind(o->conf->arg, o->directory.new_account) : NULL;
	char *payload;
	int n;

	if (o->conf->bind && !binding)
		return NULL;
	n = asprintf(&payload, "{\"termsOfServiceAgreed\":true%s%s%s%s%s}",
		     mail ? ",\"contact\":[\"mailto:" : "", mail ? mail : "", mail ? "\"]" : "",
		     binding ? ",\"externalAccountBinding\":" : "", binding ? binding : "");
	free(binding);
	return n < 0 ? NULL : payload;
}

static char *order_payload(const struct acme_order *o)
{
	const char *at = o->conf->domains, *profile = o->conf->profile;
	size_t size = 256 + 32 * (strlen(at) + 1) + (profile ? strlen(profile) : 0), len;
	char *memory = malloc(size);
	struct text t;

	if (!memory)
		return NULL;
	text_init(&t, memory, size);
	text_str(&t, "{\"identifiers\":[");
	for (;; at += len + 1) {
		len = strcspn(at, ",");
		text_printf(&t, "{\"type\":\"dns\",\"value\":\"%.*s\"}", (int)len, at);
		if (!at[len])
			break;
		text_char(&t, ',');
	}
	text_char(&t, ']');
	if (profile)
		text_printf(&t, ",\"profile\":\"%s\"", profile);
	text_char(&t, '}');
	return memory;
}

static char *csr_payload(const struct acme_order *o)
{
	char *payload;

	return asprintf(&payload, "{\"csr\":\"%s\"}", o->csr) < 0 ? NULL : payload;
}

/* ---- what comes ------------------------------------------------------------------------------ */

static void broken(struct acme_order *o)
{
	acme_order_fail(o,
			"the authority was asked for %s, and its answer is not what RFC 8555 says",
			asked[o->step]);
}

static void took_directory(struct acme_order *o, struct span body)
{
	if (!acme_read_directory(body, &o->directory))
		acme_order_fail(o, "the answer of '%.*s' is no directory of an ACME authority",
				STR_CUT(o->conf->directory, 200));
	else if (o->directory.wants_binding && !o->conf->bind)
		acme_order_fail(o, "the authority wants an external account: 'eab-key-id' and "
				"'eab-mac-key' are missing");
	else
		post(o, STEP_ACCOUNT, account_payload(o));
}

static bool keep_location(const struct acme_reply *r, char url[ACME_URL])
{
	size_t i;

	if (!r->location.len || r->location.len >= ACME_URL)
		return false;
	for (i = 0; i < r->location.len; i++)
		if (r->location.ptr[i] <= ' ' || r->location.ptr[i] >= 127 ||
		    r->location.ptr[i] == '"' || r->location.ptr[i] == '\\')
			return false;
	memcpy(url, r->location.ptr, r->location.len);
	url[r->location.len] = 0;
	return !strncmp(url, "http", 4);
}

/* 7.3: where it is new, and where it was there before. */
static void took_account(struct acme_order *o, const struct acme_reply *r)
{
	if (keep_location(r, o->account))
		post(o, STEP_ORDER, order_payload(o));
	else
		broken(o);
}

/* The next authorization; behind the last one the request for the certificate. */
static void next_authz(struct acme_order *o)
{
	if (o->at < o->count) {
		look(o, STEP_AUTHZ);
		return;
	}
	o->step = STEP_KEY;
	o->todo = ACME_DO_KEY;
}

static bool keep_authorizations(struct acme_order *o, struct span body, unsigned count)
{
	unsigned i;

	o->authorizations = calloc(count ? count : 1, ACME_URL);
	for (i = 0; o->authorizations && i < count; i++)
		if (!acme_read_authorization(body, i, o->authorizations + (size_t)i * ACME_URL))
			return false;
	o->count = count;
	o->at = 0;
	return o->authorizations;
}

static void took_order(struct acme_order *o, const struct acme_reply *r)
{
	struct acme_order_answer a;

	if (!acme_read_order(r->body, &a) || !keep_location(r, o->order_url) ||
	    !keep_authorizations(o, r->body, a.count)) {
		broken(o);
		return;
	}
	memcpy(o->finalize, a.finalize, sizeof(o->finalize));
	next_authz(o);
}

static bool is_ours(const struct acme_order *o, const char *name)
{
	const char *at = o->conf->domains;
	size_t len;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (strlen(name) == len && !strncmp(at, name, len))
			return true;
		if (!at[len])
			return false;
	}
}

static void not_verified(struct acme_order *o, const struct acme_authz *a)
{
	bool http = !strcmp(o->conf->kind, "http-01");

	acme_order_fail(o,
			"the authority could not verify '%.*s': %s%s%s (for %s it must reach that "
			"name on port %s, and end up here)",
			STR_CUT(a->name, 100), a->problem.type,
			*a->problem.type && *a->problem.text ? ": " : "",
			*a->problem.type || *a->problem.text ? a->problem.text
							     : "it does not say why",
			o->conf->kind, http ? "80" : "443");
}

static void took_authz(struct acme_order *o, struct span body)
{
	struct acme_authz a;

	if (!acme_read_authz(body, o->conf->kind, &a)) {
		broken(o);
	} else if (a.status == ACME_VALID) {
		o->at++;
		next_authz(o);
	} else if (!is_ours(o, a.name)) {
		acme_order_fail(o,
				"the authority wants to verify '%.*s', which was not asked for",
				STR_CUT(a.name, 100));
	} else if (a.status == ACME_INVALID || a.challenge == ACME_INVALID) {
		not_verified(o, &a);
	} else if (!a.offered) {
		acme_order_fail(o, "the authority verifies '%.*s', but not by %s",
				STR_CUT(a.name, 100), o->conf->kind);
	} else {
		o->authz = a;
		o->step = STEP_ANSWER;
		o->todo = ACME_DO_ANSWER;
	}
}

/* 0: not said, or a date. */
static unsigned seconds_of(struct span field)
{
	unsigned n = 0;
	size_t i;

	for (i = 0; i < field.len && n < 10000000; i++) {
		if (field.ptr[i] < '0' || field.ptr[i] > '9')
			return 0;
		n = 10 * n + (unsigned)(field.ptr[i] - '0');
	}
	return n;
}

/* As the authority says, or longer and longer. False: that was long enough. */
static bool be_patient(struct acme_order *o, const struct acme_reply *r)
{
	unsigned said = seconds_of(r->retry_after), seconds = said ? said : 1 + o->waited_s / 2;

	if (seconds > 30)
		seconds = 30;
	if (o->waited_s >= ACME_PATIENCE_S)
		return false;
	o->waited_s += seconds;
	wait_for(o, seconds);
	return true;
}

static void took_verdict(struct acme_order *o, const struct acme_reply *r)
{
	struct acme_authz a;

	if (!acme_read_authz(r->body, o->conf->kind, &a)) {
		broken(o);
	} else if (a.status == ACME_VALID) {
		o->at++;
		next_authz(o);
	} else if (a.status == ACME_INVALID || a.challenge == ACME_INVALID) {
		not_verified(o, &a);
	} else if (!be_patient(o, r)) {
		acme_order_fail(o, "the authority has not verified '%.*s' within %u seconds",
				STR_CUT(a.name, 100), (unsigned)ACME_PATIENCE_S);
	}
}

/* The order behind finalize, and when it is looked at again. */
static void took_progress(struct acme_order *o, const struct acme_reply *r)
{
	struct acme_order_answer a;

	if (!acme_read_order(r->body, &a)) {
		broken(o);
	} else if (a.status == ACME_INVALID) {
		acme_order_fail(o, "the authority gives no certificate: %s: %s", a.problem.type,
				*a.problem.text ? a.problem.text : "it does not say why");
	} else if (a.status == ACME_VALID && *a.certificate) {
		memcpy(o->certificate, a.certificate, sizeof(o->certificate));
		look(o, STEP_CERTIFICATE);
	} else {
		o->step = STEP_ISSUE;
		if (!be_patient(o, r))
			acme_order_fail(
				o, "the authority has not made the certificate within %u seconds",
				(unsigned)ACME_PATIENCE_S);
	}
}

static void took_certificate(struct acme_order *o, struct span body)
{
	static const char begin[] = "-----BEGIN CERTIFICATE-----";

	if (memchr(body.ptr, 0, body.len) || !memmem(body.ptr, body.len, begin, strlen(begin))) {
		broken(o);
		return;
	}
	o->chain = strndup(body.ptr, body.len);
	if (o->chain)
		o->todo = ACME_DO_DONE;
	else
		acme_order_fail(o, "out of memory");
}

static void took(struct acme_order *o, const struct acme_reply *r)
{
	switch ((enum step)o->step) {
	case STEP_DIRECTORY:
		took_directory(o, r->body);
		break;
	case STEP_ACCOUNT:
		took_account(o, r);
		break;
	case STEP_ORDER:
		took_order(o, r);
		break;
	case STEP_AUTHZ:
		took_authz(o, r->body);
		break;
	case STEP_CHALLENGE:
		o->waited_s = 0;
		o->step = STEP_VERIFY;
		be_patient(o, r);
		break;
	case STEP_VERIFY:
		took_verdict(o, r);
		break;
	case STEP_FINALIZE:
		o->waited_s = 0;
		took_progress(o, r);
		break;
	case STEP_ISSUE:
		took_progress(o, r);
		break;
	case STEP_CERTIFICATE:
		took_certificate(o, r->body);
		break;
	case STEP_ANSWER:
	case STEP_KEY:
		BUG_ON(true); /* nothing is asked for */
	}
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refused(struct acme_order *o, const struct acme_reply *r)
{
	struct acme_problem p;

	if (acme_read_problem(r->body, &p))
		acme_order_fail(
			o, "the authority was asked for %s, and refuses: %s%s%s (HTTP status %u)",
			asked[o->step], p.type, *p.type && *p.text ? ": " : "", p.text, r->status);
	else
		acme_order_fail(o,
				"the authority was asked for %s, and answers with HTTP status %u",
				asked[o->step], r->status);
	o->retry_s = seconds_of(r->retry_after);
}

/* The nonce was old; another one has come, or is asked for. */
static bool is_bad_nonce(struct acme_order *o, const struct acme_reply *r)
{
	struct acme_problem p;

	return o->step != STEP_DIRECTORY && acme_read_problem(r->body, &p) &&
	       !strcmp(p.type, "badNonce") && o->nonces++ < ACME_NONCES;
}

static bool pause_before_retry(struct acme_order *o)
{
	if (o->tries++ >= ACME_RETRIES)
		return false;
	o->paused = true;
	wait_for(o, 1u << o->tries);
	return true;
}

static void keep_nonce(struct acme_order *o, struct span nonce)
{
	size_t i;

	o->nonce[0] = 0;
	for (i = 0; i < nonce.len; i++)
		if (!memchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
			    nonce.ptr[i], 64))
			return;
	if (nonce.len < sizeof(o->nonce)) {
		memcpy(o->nonce, nonce.ptr, nonce.len);
		o->nonce[nonce.len] = 0;
	}
}

void acme_order_take(struct acme_order *o, const struct acme_reply *r)
{
	bool for_nonce = o->todo == ACME_DO_HEAD, good = r->status >= 200 && r->status < 300;

	keep_nonce(o, r->nonce);
	if (for_nonce && good && *o->nonce)
		o->todo = ACME_DO_POST;
	else if (for_nonce && good)
		acme_order_fail(o, "the authority gives no nonce (Replay-Nonce)");
	else if (good)
		took(o, r);
	else if (is_bad_nonce(o, r))
		send_again(o);
	else if (r->status < 500 || r->retry_after.len || !pause_before_retry(o))
		refused(o, r);
	set_url(o);
}

void acme_order_missed(struct acme_order *o, const char *why)
{
	o->nonce[0] = 0;
	if (!pause_before_retry(o))
		acme_order_fail(o, "the authority was asked for %s, but %s", asked[o->step], why);
}

/* ---- from outside ---------------------------------------------------------------------------- */

void acme_order_begin(struct acme_order *o, const struct acme_order_conf *conf)
{
	memset(o, 0, sizeof(*o));
	o->conf = conf;
	o->step = STEP_DIRECTORY;
	o->todo = ACME_DO_GET;
	set_url(o);
}

void acme_order_go_on(struct acme_order *o)
{
	if (o->todo == ACME_DO_ANSWER)
		post(o, STEP_CHALLENGE, strdup("{}"));
	else if (o->paused)
		send_again(o);
	else
		look(o, (enum step)o->step);
	o->paused = false;
	set_url(o);
}

void acme_order_take_csr(struct acme_order *o, const char *csr)
{
	o->csr = strdup(csr);
	post(o, STEP_FINALIZE, o->csr ? csr_payload(o) : NULL);
	set_url(o);
}

void acme_order_end(struct acme_order *o)
{
	free(o->made);
	free(o->authorizations);
	free(o->csr);
	free(o->chain);
	memset(o, 0, sizeof(*o));
}
