/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What goes through the ordered log: a letter and strings, each with its NUL. It comes from another
 * process: strings are looked at before anything is done. What is written to the disk, and the
 * lines of the log, are the business of the process that speaks for all (change_first): the parent.
 */
#include "acme/acme.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/wipe.h"
#include "event/change.h"
#include "event/timer.h"
#include "log/date.h"
#include "log/log.h"
#include "tls/challenge.h"
#include "tls/transaction.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IDENTIFIER = 32, SAVE_AGAIN_MS = 60000 };

void (*acme_moved)(void);
static struct timer save_timer;

/* ---- telling --------------------------------------------------------------------------------- */

static unsigned tell(char op, const char *const *strings, unsigned count, acme_done *done,
		     void *arg)
{
	size_t len = 1, n;
	unsigned i, ticket;
	char *frame, *at;

	for (i = 0; i < count; i++)
		len += strlen(strings[i]) + 1;
	frame = malloc(len);
	if (!frame) {
		if (done)
			done(arg, "out of memory", "", 0);
		return 0;
	}
	*frame = op;
	at = frame + 1;
	for (i = 0; i < count; i++, at += n) {
		n = strlen(strings[i]) + 1;
		memcpy(at, strings[i], n);
	}
	ticket = change_submit(&acme_change, frame, len, done, arg);
	wipe_free(frame);
	return ticket;
}

static const char *number(int64_t n, char memory[24])
{
	snprintf(memory, 24, "%lld", (long long)n);
	return memory;
}

unsigned acme_tell_begin(const struct acme_cert *c, int64_t not_before, acme_done *done, void *arg)
{
	char memory[24];
	const char *strings[] = { c->line->entry->name, number(not_before, memory) };

	return tell('B', strings, 2, done, arg);
}

unsigned acme_tell_failed(const struct acme_cert *c, int64_t not_before, const char *reason)
{
	char memory[24];
	const char *strings[] = { c->line->entry->name, number(not_before, memory), reason };

	return tell('F', strings, 3, NULL, NULL);
}

unsigned acme_tell_challenge(const char *name, const unsigned char *identifier, acme_done *done,
			     void *arg)
{
	char hex[2 * IDENTIFIER + 1] = "";
	const char *strings[] = { name, hex };
	int i;

	for (i = 0; identifier && i < IDENTIFIER; i++)
		snprintf(hex + 2 * i, 3, "%02x", identifier[i]);
	return tell('T', strings, 2, done, arg);
}

unsigned acme_tell_key(const struct acme_cert *c, acme_done *done, void *arg)
{
	const char *strings[] = { c->line->entry->name };

	return tell('K', strings, 1, done, arg);
}

unsigned acme_tell_certificate(const struct acme_cert *c, const char *key, const char *chain,
			       acme_done *done, void *arg)
{
	const char *strings[] = { c->line->entry->name, key, chain };

	return tell('C', strings, 3, done, arg);
}

/* ---- the disk -------------------------------------------------------------------------------- */

static void write_state(const struct acme *acme)
{
	struct err err;

	if (change_first && acme_files_state(acme, &err) < 0)
		log_process(LOG_L_WARNING,
			    "acme '%s': when certificates are tried again is not known "
			    "behind a restart: %s.",
			    acme->name, err.text);
}

static void save(struct acme_cert *c)
{
	bool before = c->unsaved;
	struct err err;

	c->unsaved = acme_files_save(c, &err) < 0;
	if (c->unsaved && !before)
		log_process(LOG_L_ALERT,
			    "acme '%s': the certificate of '%s' is in force, but not on the "
			    "disk, and is lost with a restart: %s. It is tried again each minute.",
			    c->acme->name, c->line->entry->name, err.text);
	else if (!c->unsaved && before)
		log_process(LOG_L_NOTICE, "acme '%s': '%s' is written now.", c->acme->name,
			    c->path);
	if (c->unsaved && save_timer.fire)
		timer_set(&save_timer, clock_now_ms + SAVE_AGAIN_MS);
}

static void save_again(struct timer *timer)
{
	struct acme_cert *c;

	(void)timer;
	list_for_each(c, &acme_running.certs, node)
		if (c->unsaved)
			save(c);
}

void acme_lead(void)
{
	timer_init(&save_timer, save_again);
}

void acme_follow(void)
{
	timer_cancel(&save_timer);
	save_timer.fire = NULL;
}

/* ---- carrying out ---------------------------------------------------------------------------- */

static void say_wait(struct text *t, int64_t seconds)
{
	if (seconds < 120)
		text_printf(t, "%lld seconds", (long long)seconds);
	else if (seconds < 7200)
		text_printf(t, "%lld minutes", (long long)seconds / 60);
	else
		text_printf(t, "%lld hours", (long long)seconds / 3600);
}

static void say_failed(const struct acme_cert *c)
{
	const struct tls_cert *cert = c->line->entry->cert;
	int64_t now = clock_wall().tv_sec;
	char memory[256];
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_str(&t, "It is tried again in ");
	say_wait(&t, c->not_before > now ? c->not_before - now : 0);
	if (c->line->placeholder)
		text_str(&t,
			 ". Until then a temporary certificate serves, which clients do not trust");
	else
		text_printf(&t, ". The certificate of before serves on; it %s %s",
			    cert->age.until < now ? "has expired at" : "is valid until",
			    date_of(cert->age.until)->local);
	log_process(LOG_L_WARNING, "acme '%s': no certificate for '%s': %s. %s.", c->acme->name,
		    c->line->entry->name, c->reason, memory);
}

static int apply_begin(struct acme_cert *c, int64_t not_before)
{
	c->running = true;
	c->asked = false;
	c->not_before = not_before;
	write_state(c->acme);
	if (change_first)
		log_process(LOG_L_NOTICE,
			    "acme '%s': a certificate for '%s' (%.500s) is ordered from '%s'.",
			    c->acme->name, c->line->entry->name, c->line->domains,
			    c->acme->directory);
	return 0;
}

static int apply_failed(struct acme_cert *c, int64_t not_before, const char *reason)
{
	const char *from;
	char *to = c->reason;

	for (from = reason; *from && to < c->reason + sizeof(c->reason) - 1; from++)
		*to++ = *from < ' ' || *from > '~' ? '?' : *from;
	*to = 0;
	c->running = false;
	c->asked = false;
	c->failures++;
	c->not_before = not_before;
	write_state(c->acme);
	if (change_first)
		say_failed(c);
	return 0;
}

static int apply_challenge(const char *name, const char *hex, struct err *err)
{
	unsigned char identifier[IDENTIFIER];
	int i, high, low;

	if (!*hex) {
		tls_challenge_end(name);
		return 0;
	}
	if (strlen(hex) != 2 * IDENTIFIER)
		return err_set(err, "a broken change");
	for (i = 0; i < IDENTIFIER; i++) {
		high = str_hex_digit(hex[2 * i]);
		low = str_hex_digit(hex[2 * i + 1]);
		if (high < 0 || low < 0)
			return err_set(err, "a broken change");
		identifier[i] = (unsigned char)(high << 4 | low);
	}
	return tls_challenge_set(name, identifier, err);
}

static int apply_key(const struct acme_cert *c, struct text *said, struct err *err)
{
	const struct acme *acme = c->acme;
	const struct acme_keyspec spec = { .type = acme->keytype ? ACME_RSA : ACME_ECDSA,
					   .bits = acme->bits, .curve = acme_curves[acme->curve] };
	EVP_PKEY *key;
	char *pem;

	if (!change_first)
		return 0;
	key = acme_key_new(&spec);
	pem = key ? acme_key_pem(key) : NULL;
	EVP_PKEY_free(key);
	if (!pem)
		return err_set(err, "no key can be made");
	text_str(said, pem);
	OPENSSL_clear_free(pem, strlen(pem));
	return said->cut ? err_set(err, "the key is too long") : 0;
}

static void say_in_force(const struct acme_cert *c)
{
	const struct tls_cert *cert = c->line->entry->cert;
	int64_t now = clock_wall().tv_sec;

	log_process(LOG_L_NOTICE, "acme '%s': '%s' has a new certificate, valid until %s.",
		    c->acme->name, c->line->entry->name, date_of(cert->age.until)->local);
	if (now < cert->age.from - 3600 || now > cert->age.until)
		log_process(LOG_L_WARNING,
			    "acme '%s': the new certificate of '%s' is valid from %s on, and "
			    "by the clock of this machine it is %s now: is the clock right?",
			    c->acme->name, c->line->entry->name, date_of(cert->age.from)->local,
			    date_of(now)->local);
}

/* Seconds, whatever the clock says: a third of its life, so that it never holds its renewal up. */
static int64_t rest_behind(const struct acme_cert *c)
{
	const struct tls_age *age = &c->line->entry->cert->age;
	int64_t rest = (age->until - age->from) / 3;

	if (rest < ACME_REST_LEAST_S)
		return ACME_REST_LEAST_S;
	return rest < ACME_REST_MOST_S ? rest : ACME_REST_MOST_S;
}

static int apply_certificate(struct acme_cert *c, const char *key, const char *chain,
			     struct err *err)
{
	size_t size = strlen(key) + strlen(chain) + 2;
	char *pem = malloc(size);
	struct tls_part part = { "", pem };
	int rc;

	if (!pem)
		return err_set(err, "out of memory");
	snprintf(pem, size, "%s\n%s", key, chain);
	rc = tls_transaction_at_once(c->line->entry->name, &part, 1, err);
	wipe_free(pem);
	if (rc < 0)
		return -1;
	c->running = c->asked = c->line->placeholder = false;
	c->failures = 0;
	c->not_before = clock_wall().tv_sec + rest_behind(c);
	c->reason[0] = 0;
	if (!change_first)
		return 0;
	say_in_force(c);
	save(c);
	write_state(c->acme);
	return 0;
}

/* The next of the strings; NULL: there is none. */
static const char *next_string(const char **at, const char *end)
{
	const char *text = *at, *stop = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	if (stop)
		*at = stop + 1;
	return stop ? text : NULL;
}

static int apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *at = bytes, *end = at + len, *strings[3] = { NULL, NULL, NULL };
	struct acme_cert *c;
	char op = len ? *at++ : 0;
	int64_t n = 0;
	int i, rc;

	for (i = 0; i < 3 && at < end; i++)
		strings[i] = next_string(&at, end);
	if (at != end || !strings[0])
		return err_set(err, "a broken change");
	if (op == 'T')
		return strings[1] ? apply_challenge(strings[0], strings[1], err) :
				    err_set(err, "a broken change");
	c = acme_cert_find(strings[0]);
	if (!c)
		return err_set(err, "no line with 'acme' names '%.*s'", STR_CUT(strings[0], 100));
	if (op == 'K')
		return apply_key(c, said, err);
	if (!strings[1] || (op != 'B' && !strings[2]) ||
	    (op != 'C' && !str_to_int(strings[1], 0, INT64_MAX, &n)))
		return err_set(err, "a broken change");
	rc = op == 'B'   ? apply_begin(c, n)
	     : op == 'F' ? apply_failed(c, n, strings[2])
	     : op == 'C' ? apply_certificate(c, strings[1], strings[2], err)
			 : err_set(err, "a broken change");
	if (acme_moved)
		acme_moved();
	return rc;
}

const struct change_kind acme_change = { .name = "acme", .apply = apply };
