/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys of tickets: files, replacement at run time, which tickets are still opened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"
#include "event/change.h"
#include "tls/test_pair.h"
#include "tls/base64.h"
#include "tls/tickets.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

/* Keys of so many bytes, filled with their number. */
static const char *file(const char *text)
{
	FILE *out;
	int fd;

	snprintf(path, sizeof(path), "/tmp/penstock-tickets-XXXXXX");
	fd = mkstemp(path);
	out = fdopen(fd, "w");
	fputs(text, out);
	fclose(out);
	return path;
}

static void add_key(struct text *t, size_t size, int fill)
{
	unsigned char key[100];

	memset(key, fill, size);
	base64_encode(t, key, size);
	text_char(t, '\n');
}

static const char *keys_file(size_t size, int first, int count)
{
	char memory[2000];
	struct text t;
	int i;

	text_init(&t, memory, sizeof(memory));
	for (i = 0; i < count; i++)
		add_key(&t, size, first + i);
	return file(t.ptr);
}

static struct tls_ticket_keys *load(const char *name)
{
	struct err err;
	struct tls_ticket_keys *keys = tls_tickets_file(name, &err);

	unlink(name);
	assert_non_null(keys);
	return keys;
}

static void base64_is_strict(void **state)
{
	static const char *const bad[] = { "A", "AA", "AAA", "AA=", "A===", "AA==A", "AA==AAAA",
					   "AAB=", "AB==", "A-AA", "AAAA=", "====", "AA=A" };
	char memory[64], bytes[64];
	struct text t;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(base64_decode(span_of(bad[i]), bytes, sizeof(bytes)), -1);
	assert_int_equal(base64_decode(span_of(""), bytes, sizeof(bytes)), 0);
	assert_int_equal(base64_decode(span_of("Zm9v\nYmE="), bytes, sizeof(bytes)), 5);
	assert_memory_equal(bytes, "fooba", 5);
	assert_int_equal(base64_decode(span_of("Zm9vYmE="), bytes, 4), -1);
	for (i = 0; i < 10; i++) {
		text_init(&t, memory, sizeof(memory));
		base64_encode(&t, "penstock!!", i);
		assert_int_equal(base64_decode((struct span){ t.ptr, t.len }, bytes, i), i);
		assert_memory_equal(bytes, "penstock!!", i);
	}
}

static void refuse(const char *text, const char *why)
{
	struct err err = { "" };
	const char *name = file(text);

	assert_null(tls_tickets_file(name, &err));
	unlink(name);
	if (!strstr(err.text, why))
		fail_msg("'%s' says nothing of '%s'", err.text, why);
}

static void refuses_bad_files(void **state)
{
	char memory[2000];
	struct text t;
	struct err err;

	(void)state;
	refuse("", "at least 3");
	refuse("hello\n", "line 1: a key is not 48 or 80 bytes");
	text_init(&t, memory, sizeof(memory));
	add_key(&t, 48, 1);
	add_key(&t, 48, 2);
	refuse(memory, "it has 2 keys");
	add_key(&t, 80, 3);
	refuse(memory, "line 3: keys of 48 and of 80");
	text_init(&t, memory, sizeof(memory));
	add_key(&t, 64, 1);
	refuse(memory, "line 1");
	assert_null(tls_tickets_file("/nonexistent/keys", &err));
	assert_non_null(strstr(err.text, "No such file"));
	assert_null(tls_tickets_next(NULL)); /* nothing of them is left */
}

/* Of more than three the last ones count. */
static void takes_the_last_three(void **state)
{
	struct tls_ticket_keys *keys = load(keys_file(48, 1, 5));
	const unsigned char *bytes;
	char reference[16];
	unsigned i;

	(void)state;
	for (i = 0; i < TLS_TICKET_KEYS; i++) {
		assert_int_equal(tls_tickets_key(keys, i, &bytes), 48);
		assert_int_equal(bytes[0], 3 + i);
	}
	snprintf(reference, sizeof(reference), "#%u", tls_tickets_id(keys));
	assert_ptr_equal(tls_tickets_find(reference), keys);
	assert_ptr_equal(tls_tickets_find(tls_tickets_name(keys)), keys);
	assert_null(tls_tickets_find("#99"));
	assert_null(tls_tickets_find(""));
	assert_null(tls_tickets_find("#"));
}

static SSL_CTX *server(int version, struct tls_ticket_keys *keys)
{
	SSL_CTX *ctx = test_server(version);

	SSL_CTX_set_session_id_context(ctx, (const unsigned char *)"x", 1);
	assert_int_equal(tls_tickets_attach(ctx, keys), 0);
	return ctx;
}

/* A ticket is opened with the key before; behind two fresh keys it is not any more. Another server
 * with the same keys opens it, too. */
static void seals_and_opens(int version, struct tls_ticket_keys *keys, size_t size)
{
	SSL_CTX *client = test_client(), *ctx = server(version, keys);
	SSL_CTX *other = server(version, keys);
	SSL_SESSION *session = test_fresh_session(client, ctx);
	unsigned char key[TLS_TICKET_KEY_MOST];
	int i;

	assert_non_null(session);
	assert_true(SSL_SESSION_has_ticket(session));
	assert_int_equal(test_connect(client, other, session), TEST_RESUMED);
	for (i = 0; i < 2; i++) {
		memset(key, 100 + i, sizeof(key));
		assert_false(tls_tickets_push(keys, key, size - 1));
		assert_true(tls_tickets_push(keys, key, size));
		assert_int_equal(test_connect(client, ctx, session),
				 i < 1 ? TEST_RESUMED : TEST_FULL);
	}
	SSL_SESSION_free(session);
	SSL_SESSION_free(test_last_session);
	test_last_session = NULL;
	SSL_CTX_free(client);
	SSL_CTX_free(ctx);
	SSL_CTX_free(other);
}

static void seals_and_opens_all(void **state)
{
	(void)state;
	seals_and_opens(TLS1_2_VERSION, load(keys_file(48, 1, 3)), 48);
	seals_and_opens(TLS1_3_VERSION, load(keys_file(48, 1, 3)), 48);
	seals_and_opens(TLS1_2_VERSION, load(keys_file(80, 1, 3)), 80);
	seals_and_opens(TLS1_3_VERSION, load(keys_file(80, 1, 3)), 80);
}

/* Keys of our own are random, and are replaced through the log. */
static void makes_its_own(void **state)
{
	SSL_CTX *client = test_client(), *ctx = server(TLS1_3_VERSION, NULL);
	const unsigned char *bytes;
	unsigned char change[81] = { 0 }, before[80];
	struct tls_ticket_keys *own = NULL, *keys = NULL;
	SSL_SESSION *session;
	struct err err;

	(void)state;
	assert_int_equal(tls_tickets_prepare(1000, &err), 0);
	while ((keys = tls_tickets_next(keys)))
		if (!*tls_tickets_name(keys))
			own = keys;
	assert_non_null(own);
	assert_int_equal(tls_tickets_key(own, 1, &bytes), 80);
	memcpy(before, bytes, 80);
	tls_tickets_key(own, 0, &bytes);
	assert_memory_not_equal(before, bytes, 80);
	session = test_fresh_session(client, ctx);
	memset(change + 1, 9, 80);
	assert_int_equal(tls_tickets_change.apply(change, 80, NULL, &err), -1);
	assert_int_equal(tls_tickets_change.apply(change, 1, NULL, &err), -1);
	assert_int_equal(tls_tickets_change.apply("none", 5, NULL, &err), -1);
	assert_int_equal(tls_tickets_change.apply(change, 81, NULL, &err), 0);
	tls_tickets_key(own, 0, &bytes);
	assert_memory_equal(before, bytes, 80);
	tls_tickets_key(own, 2, &bytes);
	assert_memory_equal(change + 1, bytes, 80);
	assert_int_equal(test_connect(client, ctx, session), TEST_RESUMED);
	SSL_SESSION_free(session);
	SSL_SESSION_free(test_last_session);
	test_last_session = NULL;
	SSL_CTX_free(client);
	SSL_CTX_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_is_strict),
		cmocka_unit_test(refuses_bad_files),
		cmocka_unit_test(takes_the_last_three),
		cmocka_unit_test(seals_and_opens_all),
		cmocka_unit_test(makes_its_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
