/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One order at a time: the certificate that is due first. order.c says what is to be done; here it
 * is done, by a request, a timer, or a change that all processes carry out. Each of them comes back
 * through the task, so that nothing goes on within a callback of something else. Who asks no more
 * lets go of all of it; the next process begins anew.
 */
#include "acme/client.h"

#include "acme/acme.h"
#include "acme/order.h"
#include "base/bug.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/version.h"
#include "client/own_request.h"
#include "event/change.h"
#include "event/loop.h"
#include "event/timer.h"
#include "expr/pattern_change.h"
#include "http/uri.h"
#include "log/log.h"
#include "proxy/facts.h"
#include "tls/pem.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MOST = 256 << 10, FIELD_MOST = 1100, SILENCE_MS = 30000,
       ANSWER_MS = 120000, /* an authority that drips its answer keeps nobody for longer */
       REST_MS = 3600 * 1000,
       LOOK_MS = 10000, /* a clock that jumps is seen that soon */
       DAY_S = 86400, RETRY_MOST_S = 7 * DAY_S };

enum waits { WAITS_NOTHING, WAITS_REQUEST, WAITS_TIMER, WAITS_CHANGE };

static struct {
	bool active;               /* this process asks */
	struct acme_cert *cert;    /* whose order is under way; NULL: none */
	struct acme_order_conf conf;
	struct acme_order order;
	uint64_t rests_ms;         /* until then no order is begun */
	bool begun;                /* all know that it is under way */
	enum waits waits;
	/* A request. */
	struct own_request own;
	struct uri uri;
	char url[ACME_URL];
	char *request;
	struct acme_reply reply;   /* its strings lie in fields and body */
	char fields[3][FIELD_MOST];
	char *body;
	bool too_long;
	/* A change. */
	unsigned ticket;
	bool failed;
	struct err error;
	char *key;                 /* PEM; from OPENSSL_malloc */
	/* A challenge that is answered. */
	char token[ACME_TOKEN], name[ACME_NAME];
} now;

static struct timer timer; /* a pause, or the next order */
static void go_on(struct task *task);
static struct task task = { .node = LIST_INIT(task.node), .run = go_on };

/* ---- when ------------------------------------------------------------------------------------ */

int64_t acme_backoff(unsigned failures, unsigned chance)
{
	int64_t wait = 60;

	for (; failures > 1 && wait < DAY_S / 2; failures--)
		wait *= 3;
	if (wait > DAY_S / 2)
		wait = DAY_S / 2;
	return wait + wait * (int64_t)(chance & 255) / 1024;
}

static unsigned by_chance(void)
{
	unsigned char byte = 0;

	RAND_bytes(&byte, 1);
	return byte;
}

static int64_t not_before(const struct acme_cert *c, unsigned retry_s)
{
	int64_t wait = acme_backoff(c->failures + 1, by_chance());

	if (retry_s > wait)
		wait = retry_s < RETRY_MOST_S ? retry_s : RETRY_MOST_S;
	return clock_wall().tv_sec + wait;
}

static struct acme_cert *first_due(int64_t *when)
{
	struct acme_cert *c, *first = NULL;
	int64_t due;

	*when = INT64_MAX;
	list_for_each(c, &acme_running.certs, node) {
		due = acme_cert_due(c);
		if (due < *when) {
			first = c;
			*when = due;
		}
	}
	return first;
}

/* ---- the end of an order --------------------------------------------------------------------- */

static void reply_clear(void)
{
	free(now.body);
	free(now.request);
	now.body = now.request = NULL;
	now.too_long = false;
	now.reply = (struct acme_reply){ .body = { "", 0 } };
}

static void key_clear(void)
{
	if (now.key)
		OPENSSL_clear_free(now.key, strlen(now.key));
	now.key = NULL;
}

/* The challenge is not answered any more. */
static void unanswer(void)
{
	const struct acme *acme = now.cert->acme;
	struct pattern_command c = { .change = PATTERN_DELETE, .text = now.token };

	if (*now.token && acme->challenge == ACME_HTTP_01 && acme->ref) {
		c.key = acme->ref->key;
		pattern_submit(&c, NULL, NULL);
	} else if (*now.name) {
		acme_tell_challenge(now.name, NULL, NULL, NULL);
	}
	now.token[0] = now.name[0] = 0;
}

static void order_leave(void)
{
	if (!now.cert)
		return;
	timer_cancel(&timer);
	task_cancel(&task);
	own_request_end(&now.own);
	if (now.ticket)
		change_forget(now.ticket);
	now.ticket = 0;
	unanswer();
	acme_order_end(&now.order);
	reply_clear();
	key_clear();
	now.cert = NULL;
	now.waits = WAITS_NOTHING;
	now.begun = false;
}

static void failed(const char *why, unsigned retry_s)
{
	acme_tell_failed(now.cert, not_before(now.cert, retry_s), why);
	order_leave();
}

/* ---- requests -------------------------------------------------------------------------------- */

static void request_is_ready(struct own_request *own)
{
	(void)own;
	task_wake(&task);
}

static char *request_text(enum method method, const char *body)
{
	struct span path = now.uri.path.len ? now.uri.path : (struct span){ "/", 1 };
	bool query = now.uri.query.ptr;
	char *text, length[128] = "";
	int n;

	if (method == METHOD_POST)
		snprintf(length, sizeof(length), "content-type: application/jose+json\r\n"
			 "content-length: %zu\r\n", strlen(body));
	n = asprintf(&text,
		     "%.*s %.*s%s%.*s HTTP/1.1\r\nhost: %.*s\r\nuser-agent: penstock/%s\r\n"
		     "accept: */*\r\naccept-language: en\r\n%s\r\n%s",
		     (int)method_span(method).len, method_span(method).ptr, (int)path.len, path.ptr,
		     query ? "?" : "", query ? (int)now.uri.query.len : 0,
		     query ? now.uri.query.ptr : "", (int)now.uri.authority.len,
		     now.uri.authority.ptr, version_penstock, length, body);
	return n < 0 ? NULL : text;
}

static void send_request(void)
{
	struct acme_order *o = &now.order;
	enum method method = o->todo == ACME_DO_GET    ? METHOD_GET
			     : o->todo == ACME_DO_HEAD ? METHOD_HEAD
						       : METHOD_POST;
	struct own_target target;
	struct own_words words;
	const char *wrong;
	char *jws = NULL;
	ptrdiff_t head;

	reply_clear();
	snprintf(now.url, sizeof(now.url), "%s", o->url);
	wrong = own_url(span_of(now.url), &now.uri, &target);
	if (wrong) {
		acme_order_fail(o, "'%.*s' cannot be asked: %s", STR_CUT(now.url, 200), wrong);
		return;
	}
	if (method == METHOD_POST)
		jws = acme_jws(now.cert->acme->key, o->url, o->nonce, o->by_key ? NULL : o->account,
			       o->payload);
	o->nonce[0] = 0; /* it is used */
	if (method != METHOD_POST || jws)
		now.request = request_text(method, jws ? jws : "");
	free(jws);
	if (!now.request) {
		acme_order_fail(o, "out of memory");
		return;
	}
	now.waits = WAITS_REQUEST;
	head = strstr(now.request, "\r\n\r\n") + 4 - now.request;
	words = (struct own_words){ .method = method, .head = { now.request, (size_t)head },
				    .body = span_of(now.request + head) };
	own_request_begin(&now.own, &target, &words,
			  (struct own_limits){ .silence_ms = SILENCE_MS, .whole_ms = ANSWER_MS });
	task_wake(&task);
}

static struct span keep_field(const struct message *msg, const char *name, unsigned which)
{
	unsigned at = 0;
	const struct field *f = message_find(msg, span_of(name), &at);

	if (!f || f->value.len > FIELD_MOST)
		return (struct span){ "", 0 };
	memcpy(now.fields[which], f->value.ptr, f->value.len);
	return (struct span){ now.fields[which], f->value.len };
}

static void keep_head(const struct message *msg)
{
	now.reply.status = msg->status;
	now.reply.nonce = keep_field(msg, "replay-nonce", 0);
	now.reply.location = keep_field(msg, "location", 1);
	now.reply.retry_after = keep_field(msg, "retry-after", 2);
}

static void keep_piece(struct span piece)
{
	size_t len = now.reply.body.len;

	if (!now.body)
		now.body = malloc(BODY_MOST);
	now.too_long |= !now.body || piece.len > BODY_MOST - len;
	if (now.too_long)
		return;
	memcpy(now.body + len, piece.ptr, piece.len);
	now.reply.body = (struct span){ now.body, len + piece.len };
}

/* False: it waits. */
static bool request_is_over(void)
{
	for (;;) {
		switch (own_request_go(&now.own)) {
		case OWN_WAITS:
			return false;
		case OWN_HEAD:
			keep_head(&now.own.msg);
			break;
		case OWN_PIECE:
			keep_piece(now.own.piece);
			if (!now.too_long)
				break;
			own_request_end(&now.own);
			acme_order_fail(&now.order,
					"the answer of '%.*s' is longer than %d bytes, or "
					"there is no memory for it",
					STR_CUT(now.url, 200), BODY_MOST);
			return true;
		case OWN_DONE:
			acme_order_take(&now.order, &now.reply);
			return true;
		case OWN_FAILED:
			acme_order_missed(&now.order, now.own.why);
			return true;
		}
	}
}

/* ---- changes --------------------------------------------------------------------------------- */

static void change_is_done(void *arg, const char *error, const char *said, size_t len)
{
	(void)arg;
	now.ticket = 0;
	now.failed = error;
	if (error)
		err_set(&now.error, "%s", error);
	if (now.order.todo == ACME_DO_KEY && !error && len && now.begun) {
		key_clear();
		now.key = OPENSSL_malloc(len + 1);
		if (now.key) {
			memcpy(now.key, said, len);
			now.key[len] = 0;
		}
	}
	task_wake(&task);
}

static void answer_http(const struct acme *acme, const struct acme_authz *a)
{
	struct pattern_command c = { .change = PATTERN_SET,
				     .text = a->token,
				     .value = acme->thumbprint };

	if (acme->ref) {
		c.key = acme->ref->key;
		now.ticket = pattern_submit(&c, change_is_done, NULL);
	} else {
		change_is_done(NULL, NULL, "", 0); /* somebody else answers */
	}
}

static void answer_tls(const struct acme *acme, const struct acme_authz *a)
{
	char text[ACME_TOKEN + 64];
	unsigned char hash[EVP_MAX_MD_SIZE];
	unsigned len;

	snprintf(text, sizeof(text), "%s.%s", a->token, acme->thumbprint);
	if (EVP_Digest(text, strlen(text), hash, &len, EVP_sha256(), NULL))
		now.ticket = acme_tell_challenge(a->name, hash, change_is_done, NULL);
	else
		change_is_done(NULL, "out of memory", "", 0);
}

static void answer(void)
{
	const struct acme_authz *a = &now.order.authz;
	const struct acme *acme = now.cert->acme;

	unanswer();
	now.waits = WAITS_CHANGE;
	snprintf(now.token, sizeof(now.token), "%s", a->token);
	snprintf(now.name, sizeof(now.name), "%s", a->name);
	(acme->challenge == ACME_HTTP_01 ? answer_http : answer_tls)(acme, a);
}

/* The key of before, if the section says so; else the parent makes one. */
static void want_key(void)
{
	const struct acme_cert *c = now.cert;
	EVP_PKEY *key = c->acme->reuse_key && !c->line->placeholder ?
			tls_cert_key(c->line->entry->cert) : NULL;

	now.waits = WAITS_CHANGE;
	if (key) {
		now.key = acme_key_pem(key);
		change_is_done(NULL, now.key ? NULL : "out of memory", "", 0);
	} else {
		now.ticket = acme_tell_key(c, change_is_done, NULL);
	}
}

static EVP_PKEY *key_read(void)
{
	BIO *bio = now.key ? BIO_new_mem_buf(now.key, -1) : NULL;
	EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, tls_no_passphrase, NULL) : NULL;

	BIO_free(bio);
	ERR_clear_error();
	return key;
}

static void take_key(void)
{
	EVP_PKEY *key = key_read();
	char *csr = key ? acme_csr(key, now.cert->line->domains) : NULL;

	EVP_PKEY_free(key);
	if (csr)
		acme_order_take_csr(&now.order, csr);
	else
		acme_order_fail(&now.order, "no request for a certificate can be made");
	free(csr);
}

/* The change has been carried out, or nobody has. */
static void change_is_over(void)
{
	struct acme_order *o = &now.order;

	if (!now.begun) {
		now.begun = !now.failed;
		if (now.begun) {
			acme_order_begin(o, &now.conf);
		} else { /* nobody hears of it: the parent has gone */
			order_leave();
			now.rests_ms = clock_now_ms + REST_MS;
		}
	} else if (o->todo == ACME_DO_DONE) {
		if (now.failed)
			failed(now.error.text, 0);
		else
			order_leave();
	} else if (now.failed) {
		acme_order_fail(o, "%s", now.error.text);
	} else if (o->todo == ACME_DO_KEY) {
		take_key();
	} else {
		acme_order_go_on(o);
	}
}

/* ---- the certificate that came --------------------------------------------------------------- */

static const char *chain_fault(const struct acme_cert *c, X509 *leaf, EVP_PKEY *key)
{
	if (!leaf || !key)
		return "what came cannot be read as a certificate";
	if (X509_check_private_key(leaf, key) != 1)
		return "the certificate that came does not belong to the key that it was asked for "
		       "with";
	if (!acme_leaf_covers(leaf, c->line->domains))
		return "the certificate that came is not for all names of 'domains'";
	return NULL;
}

/* 0, or -1 and err. */
static int check_chain(struct err *err)
{
	struct tls_pieces pieces = { 0 };
	EVP_PKEY *key = key_read();
	const unsigned char *at;
	const char *fault;
	X509 *leaf = NULL;
	struct err why;
	int rc;

	rc = tls_pieces_read(&pieces, span_of(now.order.chain), &why);
	if (rc < 0)
		err_set(err, "what came cannot be read as a certificate: %.*s", STR_CUT(why.text, 200));
	at = pieces.leaf.der;
	if (rc == 0 && at)
		leaf = d2i_X509(NULL, &at, (long)pieces.leaf.len);
	fault = rc == 0 ? chain_fault(now.cert, leaf, key) : NULL;
	tls_pieces_clear(&pieces);
	X509_free(leaf);
	EVP_PKEY_free(key);
	ERR_clear_error();
	if (fault)
		rc = err_set(err, "%s", fault);
	return rc;
}

static void take_chain(void)
{
	struct err err;

	if (check_chain(&err) < 0) {
		acme_order_fail(&now.order, "%s", err.text);
		return;
	}
	now.waits = WAITS_CHANGE;
	now.ticket =
		acme_tell_certificate(now.cert, now.key, now.order.chain, change_is_done, NULL);
}

/* ---- going on -------------------------------------------------------------------------------- */

static void act(void)
{
	struct acme_order *o = &now.order;

	now.waits = WAITS_NOTHING;
	switch (o->todo) {
	case ACME_DO_GET:
	case ACME_DO_HEAD:
	case ACME_DO_POST:
		send_request();
		break;
	case ACME_DO_WAIT:
		now.waits = WAITS_TIMER;
		timer_set(&timer, clock_now_ms + 1000ULL * o->wait_s);
		break;
	case ACME_DO_ANSWER:
		answer();
		break;
	case ACME_DO_KEY:
		want_key();
		break;
	case ACME_DO_DONE:
		take_chain();
		break;
	case ACME_DO_FAIL:
		break;
	}
	if (o->todo == ACME_DO_FAIL)
		failed(o->why, o->retry_s);
}

static void order_start(struct acme_cert *c)
{
	const struct acme *acme = c->acme;

	now.cert = c;
	now.conf = (struct acme_order_conf){ .directory = acme->directory, .contact = acme->contact,
					     .kind = acme_challenges[acme->challenge],
					     .profile = acme->profile, .domains = c->line->domains,
					     .bind = acme->kid ? acme_bind_account : NULL,
					     .arg = c->acme };
	now.own.owner = &now;
	now.own.ready = request_is_ready;
	now.waits = WAITS_CHANGE;
	now.ticket = acme_tell_begin(c, not_before(c, 0), change_is_done, NULL);
}

static void look(void)
{
	int64_t due, wait;
	struct acme_cert *c = first_due(&due);

	if (!now.active || now.cert || !c || due == INT64_MAX)
		return;
	if (clock_now_ms < now.rests_ms) {
		timer_set(&timer, now.rests_ms);
		return;
	}
	wait = due - clock_wall().tv_sec;
	if (wait <= 0)
		order_start(c);
	else
		timer_set(&timer,
			  clock_now_ms + (wait < LOOK_MS / 1000 ? (uint64_t)wait * 1000 : LOOK_MS));
}

static void go_on(struct task *t)
{
	(void)t;
	if (now.cert && now.waits == WAITS_REQUEST && !request_is_over())
		return;
	if (now.cert && now.waits == WAITS_CHANGE && !now.ticket)
		change_is_over();
	else if (now.cert && now.waits == WAITS_CHANGE)
		return;
	if (now.cert && now.waits == WAITS_TIMER) {
		if (timer_armed(&timer))
			return;
		acme_order_go_on(&now.order);
	}
	if (now.cert)
		act();
	else
		look();
}

static void on_timer(struct timer *t)
{
	(void)t;
	task_wake(&task);
}

static void moved(void)
{
	if (now.active)
		task_wake(&task);
}

/* ---- who asks -------------------------------------------------------------------------------- */

/* The one before has died in the middle of an order: that was a failure, too. */
static void take_over(void)
{
	struct acme_cert *c;

	list_for_each(c, &acme_running.certs, node) if (c->running)
		acme_tell_failed(c, not_before(c, 0),
				 "the process that had asked the authority has "
				 "ended in the middle of it");
}

static void ask(bool active)
{
	if (active == now.active)
		return;
	now.active = active;
	if (!active) {
		order_leave();
		timer_cancel(&timer);
		task_cancel(&task);
		return;
	}
	take_over();
	task_wake(&task);
}

void acme_client_start(void)
{
	timer_init(&timer, on_timer);
	acme_moved = moved;
	facts_on_checker(ask);
	if (facts_checker.here)
		ask(true);
}

void acme_client_stop(void)
{
	if (acme_moved != moved)
		return;
	facts_off_checker(ask);
	ask(false);
	acme_moved = NULL;
}
