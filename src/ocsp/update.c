/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One fetch at a time, by a request of the program's own (client/own_request.h): at most FETCH_MS and
 * as many bytes as a response may have. What comes is judged as a response from a file is, and goes
 * to all processes through the ordered log (tls/ocsp.c), as does a failure, so that whoever checks
 * next knows when to go on.
 */
#include "ocsp/update.h"

#include "base/clock.h"
#include "base/err.h"
#include "client/client_conf.h"
#include "client/own_request.h"
#include "config/config.h"
#include "config/module.h"
#include "event/change.h"
#include "event/loop.h"
#include "event/timer.h"
#include "http/uri.h"
#include "log/log.h"
#include "net/listener.h"
#include "proxy/facts.h"
#include "proxy/proxy.h"
#include "tls/cert.h"
#include "tls/ocsp.h"
#include "tls/ocsp_kept.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FETCH_MS = 15000, MIN_DELAY_MS = 300 * 1000, MAX_DELAY_MS = 3600 * 1000 };

struct ocsp_conf {
	unsigned min_delay, max_delay; /* ms */
};

static struct {
	struct own_request own;
	unsigned char id[OCSP_ID_MOST]; /* for which certificate: it may go meanwhile */
	size_t id_len;
	char *uri;                /* of the responder; the target's strings lie there */
	char *head;               /* of the request */
	unsigned char *der;       /* its body; from OPENSSL_malloc */
	char answer[OCSP_RESPONSE_MOST];
	size_t got;
	bool running;
} fetch;

static struct ocsp_conf conf;
static struct timer timer; /* the next one */
static bool active;

static void go_on(void);
static void fetch_go(struct task *t);
static struct task task = { .node = LIST_INIT(task.node), .run = fetch_go };

/* ---- responders -------------------------------------------------------------------------- */

/* Of the first http:// URI in the certificate, which is allocated. NULL: there is none. */
static char *uri_of(struct tls_cert *cert, struct uri *uri, struct own_target *target)
{
	X509 *leaf = tls_cert_leaf(cert);
	STACK_OF(OPENSSL_STRING) *uris = leaf ? X509_get1_ocsp(leaf) : NULL;
	char *found = NULL;
	int i;

	for (i = 0; i < sk_OPENSSL_STRING_num(uris) && !found; i++) {
		found = strdup(sk_OPENSSL_STRING_value(uris, i));
		if (found && !own_url(span_of(found), uri, target) && !target->tls)
			continue;
		free(found);
		found = NULL;
	}
	X509_email_free(uris);
	return found;
}

static void warn_of(const struct tls_ocsp *ocsp)
{
	struct own_target target;
	struct uri parsed;
	char *uri = uri_of(ocsp->cert, &parsed, &target);

	if (!uri)
		log_process(LOG_L_WARNING, "OCSP: '%s' names no responder (http://): nothing is "
			    "fetched for it.", ocsp->path);
	free(uri);
}

/* ---- one fetch --------------------------------------------------------------------------- */

static struct tls_ocsp *fetched(void)
{
	struct tls_ocsp *ocsp;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if (ocsp->id_len == fetch.id_len && !memcmp(ocsp->id, fetch.id, fetch.id_len))
			return ocsp;
	return NULL;
}

static void fetch_close(void)
{
	own_request_end(&fetch.own);
	task_cancel(&task);
	OPENSSL_free(fetch.der);
	free(fetch.head);
	free(fetch.uri);
	fetch.der = NULL;
	fetch.head = fetch.uri = NULL;
	fetch.running = false;
	timer_cancel(&timer);
}

static int64_t clamp(int64_t s)
{
	int64_t least = conf.min_delay / 1000, most = conf.max_delay / 1000;

	return s < least ? least : s > most ? most : s;
}

/* Failures in a row wait longer and longer. */
static int64_t after_failure(const struct tls_ocsp *ocsp)
{
	unsigned n = ocsp->failures < 10 ? ocsp->failures : 10;

	return clock_wall().tv_sec + clamp((int64_t)(conf.min_delay / 1000) << n);
}

static void fetch_failed(enum tls_ocsp_status status, const char *why)
{
	struct tls_ocsp *ocsp = fetched();

	fetch_close();
	if (ocsp) {
		log_process(LOG_L_WARNING, "OCSP: no response for '%s': %s", ocsp->path,
			    why);
		tls_ocsp_report(ocsp, status, after_failure(ocsp), (struct span){ "", 0 });
	}
	go_on();
}

/* The next one is fetched when half of the time is over that is left. */
static void fetch_done(struct span body)
{
	struct tls_ocsp *ocsp = fetched();
	int64_t until, now = clock_wall().tv_sec;
	struct err err;

	if (ocsp && tls_ocsp_judge(ocsp, body, &until, &err) < 0) {
		fetch_failed(TLS_OCSP_INVALID, err.text);
		return;
	}
	fetch_close();
	if (ocsp)
		tls_ocsp_report(ocsp, TLS_OCSP_OK, now + clamp((until - now) / 2), body);
	go_on();
}

static void fetch_ready(struct own_request *own)
{
	(void)own;
	task_wake(&task);
}

/* False: it does not fit. */
static bool keep_piece(struct span piece)
{
	if (piece.len > sizeof(fetch.answer) - fetch.got)
		return false;
	memcpy(fetch.answer + fetch.got, piece.ptr, piece.len);
	fetch.got += piece.len;
	return true;
}

static void fetch_missed(void)
{
	char why[300];

	snprintf(why, sizeof(why), "%s.", fetch.own.why);
	fetch_failed(fetch.own.fault == OWN_UNKNOWN ? TLS_OCSP_NO_URI : TLS_OCSP_HTTP, why);
}

static void fetch_go(struct task *t)
{
	(void)t;
	while (fetch.running) {
		switch (own_request_go(&fetch.own)) {
		case OWN_WAITS:
			return;
		case OWN_HEAD:
			if (fetch.own.msg.status != 200)
				fetch_failed(TLS_OCSP_HTTP, "the responder did not answer with 200 and a "
					     "response.");
			break;
		case OWN_PIECE:
			if (!keep_piece(fetch.own.piece))
				fetch_failed(TLS_OCSP_HTTP, "the answer is too long.");
			break;
		case OWN_DONE:
			fetch_done((struct span){ fetch.answer, fetch.got });
			break;
		case OWN_FAILED:
			fetch_missed();
			break;
		}
	}
}

/* The request's body: its length, or less than 1. */
static int make_body(const struct tls_ocsp *ocsp)
{
	const unsigned char *at = ocsp->id;
	OCSP_CERTID *id = d2i_OCSP_CERTID(NULL, &at, (long)ocsp->id_len);
	OCSP_REQUEST *request = OCSP_REQUEST_new();
	int len = -1;

	if (id && request && OCSP_request_add0_id(request, id))
		len = i2d_OCSP_REQUEST(request, &fetch.der);
	else
		OCSP_CERTID_free(id);
	OCSP_REQUEST_free(request);
	return len;
}

/* RFC 6960 appendix A. */
static bool make_words(const struct tls_ocsp *ocsp, const struct uri *uri, struct own_words *words)
{
	struct span path = uri->path.len ? uri->path : (struct span){ "/", 1 };
	int len = make_body(ocsp), n;

	if (len <= 0)
		return false;
	n = asprintf(&fetch.head, "POST %.*s%s%.*s HTTP/1.1\r\nhost: %.*s\r\n"
		     "content-type: application/ocsp-request\r\ncontent-length: %d\r\n\r\n",
		     (int)path.len, path.ptr, uri->query.ptr ? "?" : "",
		     uri->query.ptr ? (int)uri->query.len : 0, uri->query.ptr ? uri->query.ptr : "",
		     (int)uri->authority.len, uri->authority.ptr, len);
	if (n < 0) {
		fetch.head = NULL;
		return false;
	}
	*words = (struct own_words){ .method = METHOD_POST, .head = { fetch.head, (size_t)n },
				     .body = { (char *)fetch.der, (size_t)len } };
	return true;
}

static void fetch_start(const struct tls_ocsp *ocsp)
{
	struct own_target target;
	struct own_words words;
	struct uri uri;

	memcpy(fetch.id, ocsp->id, ocsp->id_len);
	fetch.id_len = ocsp->id_len;
	fetch.got = 0;
	fetch.running = true;
	fetch.uri = uri_of(ocsp->cert, &uri, &target);
	if (!fetch.uri) {
		fetch_failed(TLS_OCSP_MISSING, "the certificate names no responder (http://).");
	} else if (!make_words(ocsp, &uri, &words)) {
		fetch_failed(TLS_OCSP_HTTP, "out of memory.");
	} else {
		fetch.own.owner = &fetch;
		fetch.own.ready = fetch_ready;
		own_request_begin(&fetch.own, &target, &words,
				  (struct own_limits){ .whole_ms = FETCH_MS });
		task_wake(&task);
	}
}

/* ---- when -------------------------------------------------------------------------------- */

static int64_t due_at(const struct tls_ocsp *ocsp)
{
	return ocsp->asked ? 0 : ocsp->next;
}

static struct tls_ocsp *first_due(void)
{
	struct tls_ocsp *ocsp, *first = NULL;

	list_for_each(ocsp, &tls_ocsp_all, node)
		if ((ocsp->update || ocsp->asked) && (!first || due_at(ocsp) < due_at(first)))
			first = ocsp;
	return first;
}

static void on_timer(struct timer *t)
{
	struct tls_ocsp *first;

	(void)t;
	first = first_due();
	if (first && due_at(first) <= clock_wall().tv_sec)
		fetch_start(first);
	else
		go_on();
}

static void go_on(void)
{
	struct tls_ocsp *first = active && !fetch.running ? first_due() : NULL;
	int64_t wait;

	if (!first)
		return;
	wait = due_at(first) - clock_wall().tv_sec;
	if (wait > conf.max_delay / 1000)
		wait = conf.max_delay / 1000; /* the clock was set */
	timer_set(&timer, clock_now_ms + (wait > 0 ? (uint64_t)wait * 1000 : 1));
}

static void make_active(bool on)
{
	if (on == active)
		return;
	active = on;
	if (!on)
		fetch_close();
	go_on();
}

/* ---- the module -------------------------------------------------------------------------- */

static void ocsp_init(struct config *cfg, void *data)
{
	struct ocsp_conf *c = data;

	(void)cfg;
	c->min_delay = MIN_DELAY_MS;
	c->max_delay = MAX_DELAY_MS;
}

/* They may come at run time, too, where TLS is spoken. */
static bool anybody_has_certificates(const struct config *cfg)
{
	const struct proxies *all = config_data(cfg, &proxy_module);
	const struct bind_conf *bind;
	const struct proxy *px;

	list_for_each(px, &all->list, node)
		list_for_each(bind, &px->binds, node)
			if (bind->tls)
				return true;
	return false;
}

static int ocsp_finish(struct config *cfg, void *data)
{
	const struct ocsp_conf *c = data;

	client_conf.plain_wanted |= anybody_has_certificates(cfg);
	if (c->min_delay > c->max_delay)
		return config_error(cfg, NULL, "ocsp-update.mindelay is above ocsp-update.maxdelay");
	return 0;
}

static int ocsp_prepare(struct config *cfg, void *data, struct err *err)
{
	const struct tls_ocsp *ocsp;

	(void)cfg;
	if (tls_ocsp_restore(err) < 0)
		return -1;
	conf = *(const struct ocsp_conf *)data;
	timer_init(&timer, on_timer);
	list_for_each(ocsp, &tls_ocsp_all, node)
		if (ocsp->update)
			warn_of(ocsp);
	tls_ocsp_moved = go_on;
	return 0;
}

static int ocsp_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	facts_on_checker(make_active);
	if (facts_checker.here || !change_is_shared())
		make_active(true);
	return 0;
}

static void ocsp_stop(void)
{
	facts_off_checker(make_active);
	active = false;
	fetch_close();
	tls_ocsp_moved = NULL;
}

static const struct keyword keywords[] = {
	{ "ocsp-update.mindelay", SCOPE_GLOBAL, 0, "<seconds>", set_seconds,
	  offsetof(struct ocsp_conf, min_delay), .min = 1000, .max = UINT32_MAX, .dflt = "300",
	  .help = "least time between two fetches of an OCSP response" },
	{ "ocsp-update.maxdelay", SCOPE_GLOBAL, 0, "<seconds>", set_seconds,
	  offsetof(struct ocsp_conf, max_delay), .min = 1000, .max = UINT32_MAX, .dflt = "3600",
	  .help = "most time between two fetches of an OCSP response" },
	{ 0 }
};

const struct module ocsp_module = {
	.name = "ocsp",
	.keywords = keywords,
	.data_size = sizeof(struct ocsp_conf),
	.init = ocsp_init,
	.finish = ocsp_finish,
	.prepare = ocsp_prepare,
	.start = ocsp_start,
	.stop = ocsp_stop,
};
