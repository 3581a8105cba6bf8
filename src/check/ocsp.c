/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One fetch at a time, over a plain socket of our own loop: at most FETCH_MS and FETCH_MOST bytes;
 * what comes is judged as a response from a file is, and goes to all processes through the ordered
 * log (tls/ocsp.c), as does a failure, so that whoever checks next knows when to go on.
 *
 * Names of responders are resolved at the start, before the first process is forked that serves:
 * later nothing may wait for a resolver. A certificate that comes at run time with a responder of
 * another name fails until the next reload; one whose responder has moved, too.
 */
#include "check/ocsp.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "check/ocsp_http.h"
#include "check/report.h"
#include "config/config.h"
#include "config/module.h"
#include "event/change.h"
#include "event/loop.h"
#include "event/timer.h"
#include "log/log.h"
#include "tls/cert.h"
#include "tls/ocsp.h"
#include "tls/ocsp_kept.h"

#include <errno.h>
#include <netdb.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { FETCH_MS = 15000, FETCH_MOST = OCSP_RESPONSE_MOST + 4096, NAME_MOST = 256,
       MIN_DELAY_MS = 300 * 1000, MAX_DELAY_MS = 3600 * 1000 };

struct ocsp_conf {
	unsigned min_delay, max_delay; /* ms */
};

/* A name and what it stands for. */
struct responder {
	struct responder *next;
	char name[NAME_MOST]; /* host, blank, port */
	struct sockaddr_storage addr;
	socklen_t len;        /* 0: it was not found */
};

static struct {
	struct source src;
	unsigned char id[OCSP_ID_MOST]; /* for which certificate: it may go meanwhile */
	size_t id_len;
	unsigned char *request; /* what is to be sent */
	size_t to_send, sent;
	char answer[FETCH_MOST];
	size_t got;
	bool running;
} fetch = { .src.fd = -1 };

static struct ocsp_conf conf;
static struct responder *responders;
static struct timer timer; /* the next one, or the end of the one that runs */
static bool active;
static void (*make_checker)(bool active);

static void go_on(void);

/* ---- responders -------------------------------------------------------------------------- */

/* The first http:// URI in the certificate; allocated, NULL: there is none. */
static char *uri_of(struct tls_cert *cert)
{
	X509 *leaf = tls_cert_leaf(cert);
	STACK_OF(OPENSSL_STRING) *uris = leaf ? X509_get1_ocsp(leaf) : NULL;
	struct ocsp_uri parsed;
	char *found = NULL;
	int i;

	for (i = 0; i < sk_OPENSSL_STRING_num(uris) && !found; i++)
		if (ocsp_uri_parse(span_of(sk_OPENSSL_STRING_value(uris, i)), &parsed))
			found = strdup(sk_OPENSSL_STRING_value(uris, i));
	X509_email_free(uris);
	return found;
}

static bool name_of(const struct ocsp_uri *uri, char name[NAME_MOST])
{
	return snprintf(name, NAME_MOST, "%.*s %.*s", (int)uri->host.len, uri->host.ptr,
			(int)uri->port.len, uri->port.ptr) < NAME_MOST;
}

static bool look_up(struct responder *r, int flags)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = flags }, *found;
	char host[NAME_MOST], *port;

	memcpy(host, r->name, sizeof(host));
	port = strchr(host, ' ');
	*port++ = 0;
	if (getaddrinfo(host, port, &hints, &found) != 0)
		return false;
	memcpy(&r->addr, found->ai_addr, found->ai_addrlen);
	r->len = found->ai_addrlen;
	freeaddrinfo(found);
	return true;
}

/* Addresses need no resolver; names are asked for only at the start. NULL: nobody knows it. */
static const struct responder *responder_of(const struct ocsp_uri *uri, bool starting)
{
	struct responder *r;
	char name[NAME_MOST];

	if (!name_of(uri, name))
		return NULL;
	for (r = responders; r && strcmp(r->name, name); r = r->next)
		;
	if (!r) {
		r = calloc(1, sizeof(*r));
		if (!r)
			return NULL;
		memcpy(r->name, name, sizeof(name));
		if (!look_up(r, AI_NUMERICHOST | AI_NUMERICSERV) && starting)
			look_up(r, AI_NUMERICSERV);
		r->next = responders;
		responders = r;
	}
	return r->len ? r : NULL;
}

static void resolve(const struct tls_ocsp *ocsp)
{
	char *uri = uri_of(ocsp->cert);
	struct ocsp_uri parsed;

	if (!uri)
		log_process(LOG_L_WARNING, "OCSP: '%s' names no responder (http://): nothing is "
			    "fetched for it.", ocsp->path);
	else if (ocsp_uri_parse(span_of(uri), &parsed) && !responder_of(&parsed, true))
		log_process(LOG_L_WARNING, "OCSP: the responder of '%s', %s, is not found: "
			    "nothing is fetched for it until a reload.", ocsp->path, uri);
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
	if (fetch.src.fd >= 0) {
		loop_remove(&fetch.src);
		close(fetch.src.fd);
		fetch.src.fd = -1;
	}
	OPENSSL_free(fetch.request);
	fetch.request = NULL;
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

static void fetch_read(void)
{
	struct span body;
	ssize_t n = recv(fetch.src.fd, fetch.answer + fetch.got,
			 sizeof(fetch.answer) - fetch.got, 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0)
		fetch.got += (size_t)n;
	switch (ocsp_http_parse((struct span){ fetch.answer, fetch.got }, n <= 0, &body)) {
	case OCSP_HTTP_DONE:
		fetch_done(body);
		break;
	case OCSP_HTTP_BAD:
		fetch_failed(TLS_OCSP_HTTP, "the responder did not answer with 200 and a response.");
		break;
	case OCSP_HTTP_MORE:
		if (fetch.got == sizeof(fetch.answer))
			fetch_failed(TLS_OCSP_HTTP, "the answer is too long.");
		break;
	}
}

static void fetch_write(void)
{
	ssize_t n = send(fetch.src.fd, fetch.request + fetch.sent, fetch.to_send - fetch.sent,
			 MSG_NOSIGNAL);

	if (n > 0)
		fetch.sent += (size_t)n;
	else if (errno != EAGAIN && errno != EINTR)
		fetch_failed(TLS_OCSP_HTTP, strerror(errno));
	else
		return;
	if (fetch.running && fetch.sent == fetch.to_send)
		loop_modify(&fetch.src, EPOLLIN);
}

static void fetch_ready(struct source *src, uint32_t events)
{
	(void)src;
	(void)events;
	if (!fetch.running)
		return; /* polled before it ended */
	if (fetch.sent < fetch.to_send)
		fetch_write();
	else
		fetch_read();
}

/* The whole request, into memory of OpenSSL. */
static bool make_request(const struct tls_ocsp *ocsp, const struct ocsp_uri *uri)
{
	const unsigned char *at = ocsp->id;
	OCSP_CERTID *id = d2i_OCSP_CERTID(NULL, &at, (long)ocsp->id_len);
	OCSP_REQUEST *request = OCSP_REQUEST_new();
	bool v6 = memchr(uri->host.ptr, ':', uri->host.len), good;
	unsigned char *der = NULL;
	int len = -1, head;
	char text[1024];

	good = id && request && OCSP_request_add0_id(request, id);
	if (!good)
		OCSP_CERTID_free(id);
	else
		len = i2d_OCSP_REQUEST(request, &der);
	OCSP_REQUEST_free(request);
	if (len <= 0)
		return false;
	head = snprintf(text, sizeof(text), "POST %.*s HTTP/1.0\r\nHost: %s%.*s%s:%.*s\r\n"
			"Content-Type: application/ocsp-request\r\nContent-Length: %d\r\n\r\n",
			(int)uri->path.len, uri->path.ptr, v6 ? "[" : "", (int)uri->host.len,
			uri->host.ptr, v6 ? "]" : "", (int)uri->port.len, uri->port.ptr, len);
	fetch.request = head < (int)sizeof(text) ? OPENSSL_malloc((size_t)(head + len)) : NULL;
	if (fetch.request) {
		memcpy(fetch.request, text, (size_t)head);
		memcpy(fetch.request + head, der, (size_t)len);
		fetch.to_send = (size_t)(head + len);
	}
	OPENSSL_free(der);
	return fetch.request;
}

static bool fetch_connect(const struct responder *r)
{
	fetch.src.fd = socket(r->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	fetch.src.ready = fetch_ready;
	if (fetch.src.fd < 0)
		return false;
	if ((connect(fetch.src.fd, (const struct sockaddr *)&r->addr, r->len) == 0 ||
	     errno == EINPROGRESS) && loop_add(&fetch.src, EPOLLOUT) == 0)
		return true;
	close(fetch.src.fd);
	fetch.src.fd = -1;
	return false;
}

static void fetch_start(const struct tls_ocsp *ocsp)
{
	const struct responder *responder = NULL;
	char *uri = uri_of(ocsp->cert);
	struct ocsp_uri parsed;

	memcpy(fetch.id, ocsp->id, ocsp->id_len);
	fetch.id_len = ocsp->id_len;
	fetch.sent = fetch.got = 0;
	fetch.running = true;
	timer_set(&timer, clock_now_ms + FETCH_MS);
	if (uri && ocsp_uri_parse(span_of(uri), &parsed))
		responder = responder_of(&parsed, false);
	if (!uri)
		fetch_failed(TLS_OCSP_MISSING, "the certificate names no responder (http://).");
	else if (!responder)
		fetch_failed(TLS_OCSP_NO_URI, "the name of the responder was not found at the "
			     "start.");
	else if (!make_request(ocsp, &parsed))
		fetch_failed(TLS_OCSP_HTTP, "out of memory.");
	else if (!fetch_connect(responder))
		fetch_failed(TLS_OCSP_HTTP, strerror(errno));
	free(uri);
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
	if (fetch.running) {
		fetch_failed(TLS_OCSP_HTTP, "the responder does not answer in time.");
		return;
	}
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
	if (make_checker)
		make_checker(on);
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

static int ocsp_finish(struct config *cfg, void *data)
{
	const struct ocsp_conf *c = data;

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
			resolve(ocsp);
	make_checker = report_make_checker;
	report_make_checker = make_active;
	tls_ocsp_moved = go_on;
	return 0;
}

static int ocsp_start(struct config *cfg, void *data, struct err *err)
{
	(void)cfg;
	(void)data;
	(void)err;
	if (!change_is_shared()) {
		active = true;
		go_on();
	}
	return 0;
}

static void ocsp_stop(void)
{
	struct responder *r;

	active = false;
	fetch_close();
	tls_ocsp_moved = NULL;
	while ((r = responders)) {
		responders = r->next;
		free(r);
	}
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

const struct module check_ocsp_module = {
	.name = "check-ocsp",
	.keywords = keywords,
	.data_size = sizeof(struct ocsp_conf),
	.init = ocsp_init,
	.finish = ocsp_finish,
	.prepare = ocsp_prepare,
	.start = ocsp_start,
	.stop = ocsp_stop,
};
