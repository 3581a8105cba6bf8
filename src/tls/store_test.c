/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries and their files, in a directory of the test's own: what lies beside a file, bundles,
 * chains from elsewhere, sentences about what is wrong; authorities and revocation lists. */
#include "tls/store.h"

#include "base/err.h"
#include "base/test_folder.h"
#include "tls/pem.h"
#include "tls/test_certs.h"
#include "tls/trust.h"

#include <openssl/pem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static EVP_PKEY *ec, *rsa, *ca_key;
static X509 *ca, *leaf, *rsa_leaf;

static void file_bytes(const char *name, const void *bytes, size_t len)
{
	FILE *f = fopen(test_path(name), "w");

	assert_non_null(f);
	fwrite(bytes, 1, len, f);
	fclose(f);
}

static struct tls_entry *loaded(const char *path)
{
	struct err err = { "" };
	struct tls_entry *entry = tls_entry_load(path, &err);

	if (!entry)
		fail_msg("%s", err.text);
	return entry;
}

static void refused(const char *path, const char *words)
{
	struct err err = { "" };

	assert_null(tls_entry_load(path, &err));
	if (!strstr(err.text, words) || !strstr(err.text, test_folder()))
		fail_msg("'%s' instead of '%s'", err.text, words);
	assert_null(tls_entry_find(path));
}

static char *bundle(void)
{
	return test_join(test_pem_cert(leaf), test_pem_key(ec, 1), NULL);
}

static void an_entry_is_loaded_once(void **state)
{
	const char *path = test_file("one.pem", bundle());
	struct tls_entry *entry = loaded(path), *copy;

	(void)state;
	assert_string_equal(entry->name, path);
	assert_ptr_equal(loaded(path), entry);
	assert_ptr_equal(tls_entry_find(path), entry);
	unlink(path);
	assert_ptr_equal(loaded(path), entry);
	copy = loaded(test_file("copy.pem", bundle()));
	assert_ptr_not_equal(copy, entry);
	assert_ptr_equal(copy->cert, entry->cert);
}

static void errors_name_the_file(void **state)
{
	(void)state;
	refused(test_path("absent.pem"), "No such file");
	refused(test_folder(), "Is a directory");
	refused(test_file("empty.pem", strdup("")), "no certificate in it");
	refused(test_file("keyless.pem", test_pem_cert(leaf)), "no private key in it");
	refused(test_file("wrong.pem", test_join(test_pem_cert(leaf), test_pem_key(rsa, 1), NULL)),
		"does not belong to the certificate");
	test_file("split.pem", test_pem_cert(leaf));
	test_file("split.pem.key", test_pem_key(rsa, 1));
	refused(test_path("split.pem"), "does not belong to the certificate");
	test_file("split.pem.key", strdup("nothing"));
	refused(test_path("split.pem"), "split.pem.key': no private key in it");
}

static void what_lies_beside_is_found(void **state)
{
	static const unsigned char sctl[] = { 0, 6, 0, 4, 1, 2, 3, 4 };
	struct tls_entry *entry;
	X509 *issuer;

	(void)state;
	test_file("beside.pem", test_pem_cert(leaf));
	test_file("beside.pem.key", test_pem_key(ec, 0));
	test_file("beside.pem.issuer", test_pem_cert(ca));
	test_file("beside.pem.ocsp", strdup(""));
	file_bytes("beside.pem.sctl", sctl, sizeof(sctl));
	entry = loaded(test_path("beside.pem"));
	assert_int_equal(entry->cert->sctl.len, sizeof(sctl));
	assert_int_equal(entry->cert->ocsp.len, 0);
	issuer = tls_cert_issuer(entry->cert);
	assert_non_null(issuer);
	assert_int_equal(X509_cmp(issuer, ca), 0);
	X509_free(issuer);
	assert_true(tls_store_is_extra("x/beside.pem.key"));
	assert_false(tls_store_is_extra("beside.pem"));
}

static void what_lies_beside_is_checked(void **state)
{
	(void)state;
	test_file("bad.pem", bundle());
	test_file("bad.pem.sctl", strdup("timestamps"));
	refused(test_path("bad.pem"), "bad.pem.sctl");
	unlink(test_path("bad.pem.sctl"));
	test_file("bad.pem.ocsp", strdup("response"));
	refused(test_path("bad.pem"), "bad.pem.ocsp");
	unlink(test_path("bad.pem.ocsp"));
	test_file("bad.pem.issuer", strdup("issuer"));
	refused(test_path("bad.pem"), "bad.pem.issuer");
	tls_store_settings.extra = EXTRA_KEY;
	loaded(test_path("bad.pem"));
	tls_store_settings.extra = EXTRA_ALL;
}

static void an_extension_may_be_replaced(void **state)
{
	(void)state;
	test_file("site.crt", test_pem_cert(leaf));
	test_file("site.key", test_pem_key(ec, 1));
	refused(test_path("site.crt"), "no private key in it");
	tls_store_settings.del_ext = true;
	loaded(test_path("site.crt"));
	tls_store_settings.del_ext = false;
	refused(test_file("other.crt", test_pem_cert(leaf)), "no private key in it");
}

static void a_bundle_is_several_files(void **state)
{
	struct tls_entry *entries[TLS_BUNDLE_MAX];
	struct err err = { "" };

	(void)state;
	test_file("multi.pem.ecdsa", bundle());
	test_file("multi.pem.rsa", test_join(test_pem_cert(rsa_leaf), test_pem_key(rsa, 1), NULL));
	assert_int_equal(tls_entries_load(test_path("multi.pem"), entries, &err), 2);
	assert_int_equal(entries[0]->cert->algorithm, EVP_PKEY_RSA);
	assert_int_equal(entries[1]->cert->algorithm, EVP_PKEY_EC);
	assert_int_equal(tls_entries_load(test_path("none.pem"), entries, &err), -1);
	assert_non_null(strstr(err.text, "none.pem.rsa"));
	tls_store_settings.extra = EXTRA_KEY;
	assert_int_equal(tls_entries_load(test_path("multi.pem"), entries, &err), -1);
	tls_store_settings.extra = EXTRA_ALL;
}

static void a_chain_comes_from_elsewhere(void **state)
{
	struct err err = { "" };
	struct tls_entry *entry;

	(void)state;
	mkdir(test_path("chains"), 0700);
	test_file("chains/other.pem", test_pem_cert(rsa_leaf));
	test_file("chains/ca.pem", test_pem_cert(ca));
	assert_int_equal(tls_files_chains(test_path("chains"), &err), 0);
	entry = loaded(test_file("unchained.pem", bundle()));
	assert_int_equal(sk_X509_num(tls_cert_chain(entry->cert)), 1);
	assert_int_equal(X509_cmp(sk_X509_value(tls_cert_chain(entry->cert), 0), ca), 0);
	entry = loaded(test_file("alone.pem", test_join(test_pem_cert(ca), test_pem_key(ca_key, 1),
							NULL)));
	assert_null(tls_cert_chain(entry->cert));
	test_file("chains/broken.pem", strdup("nothing"));
	assert_int_equal(tls_files_chains(test_path("chains"), &err), -1);
	assert_non_null(strstr(err.text, "broken.pem"));
}

static int told;

static void count_change(struct tls_user *user, struct tls_cert *old)
{
	(void)old;
	told++;
	tls_user_leave(user);
}

static void users_leave_while_they_are_told(void **state)
{
	struct tls_user users[3] = { { .changed = count_change }, { .changed = count_change },
				     { .changed = count_change } };
	struct tls_entry *entry = loaded(test_file("used.pem", bundle()));
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		tls_entry_use(entry, &users[i]);
	tls_user_leave(&users[1]);
	tls_user_leave(&users[1]);
	told = 0;
	tls_users_changed(entry->users, entry->cert);
	assert_int_equal(told, 2);
	assert_null(entry->users);
}

/* -- authorities ------------------------------------------------------------------------------- */

static int refuse(struct tls_user *user, struct tls_cert *fresh, struct err *err)
{
	(void)user;
	assert_null(fresh);
	return err_set(err, "no");
}

static bool trusted(struct tls_trust *trust, X509 *x)
{
	X509_STORE_CTX *ctx = X509_STORE_CTX_new();
	bool good;

	assert_int_equal(X509_STORE_CTX_init(ctx, tls_trust_store(trust), x, NULL), 1);
	good = X509_verify_cert(ctx) == 1;
	X509_STORE_CTX_free(ctx);
	return good;
}

static char *crl_of(X509 *revoked)
{
	X509_CRL *crl = X509_CRL_new();
	ASN1_TIME *time = X509_gmtime_adj(NULL, -60);
	X509_REVOKED *entry;
	BIO *bio = BIO_new(BIO_s_mem());
	char *data, *text;
	long len;

	X509_CRL_set_version(crl, 1);
	X509_CRL_set_issuer_name(crl, X509_get_subject_name(ca));
	X509_CRL_set1_lastUpdate(crl, time);
	if (revoked) {
		entry = X509_REVOKED_new();
		X509_REVOKED_set_serialNumber(entry, X509_get_serialNumber(revoked));
		X509_REVOKED_set_revocationDate(entry, time);
		X509_CRL_add0_revoked(crl, entry);
	}
	X509_gmtime_adj(time, 3600);
	X509_CRL_set1_nextUpdate(crl, time);
	ASN1_TIME_free(time);
	X509_CRL_sign(crl, ca_key, EVP_sha256());
	PEM_write_bio_X509_CRL(bio, crl);
	X509_CRL_free(crl);
	len = BIO_get_mem_data(bio, &data);
	text = strndup(data, (size_t)len);
	BIO_free(bio);
	return text;
}

static void authorities_are_shared_and_changed(void **state)
{
	struct tls_user user = { .check = refuse, .changed = count_change };
	const char *path = test_file("ca.pem", test_pem_cert(ca));
	struct err err = { "" };
	struct tls_trust *trust = tls_trust_load(path, NULL, NULL, &err), *other;
	X509_STORE *fresh;
	char *text = test_pem_cert(rsa_leaf);

	(void)state;
	assert_non_null(trust);
	other = tls_trust_load(path, test_path("ca.pem"), NULL, &err);
	assert_ptr_equal(tls_trust_load(path, NULL, NULL, &err), trust);
	assert_ptr_not_equal(other, trust);
	assert_true(trusted(trust, leaf));
	assert_false(trusted(trust, rsa_leaf));
	fresh = tls_ca_parse(span_of(text), TLS_CA, &err);
	assert_non_null(fresh);
	free(text);
	assert_false(tls_ca_is_used(tls_ca_find(path, TLS_CA)));
	tls_trust_use(other, &user);
	assert_true(tls_ca_is_used(tls_ca_find(path, TLS_CA)));
	told = 0;
	assert_int_equal(tls_ca_replace(tls_ca_find(path, TLS_CA), fresh, &err), -1);
	assert_string_equal(err.text, "no");
	assert_true(trusted(trust, leaf));
	user.check = NULL;
	assert_int_equal(tls_ca_replace(tls_ca_find(path, TLS_CA), fresh, &err), 0);
	assert_int_equal(told, 1);
	assert_false(trusted(trust, leaf));
	assert_false(trusted(other, leaf));
	assert_true(trusted(trust, rsa_leaf));
}

static void revoked_ones_are_refused(void **state)
{
	const char *authority = test_file("ca2.pem", test_pem_cert(ca));
	const char *nobody = test_file("none.crl", crl_of(NULL));
	const char *list = test_file("leaf.crl", crl_of(leaf));
	struct err err = { "" };

	(void)state;
	assert_true(trusted(tls_trust_load(authority, NULL, nobody, &err), leaf));
	assert_false(trusted(tls_trust_load(authority, NULL, list, &err), leaf));
	assert_true(trusted(tls_trust_load(authority, NULL, NULL, &err), leaf));
	assert_int_equal(tls_trust_read(list, &err), 0);
	assert_null(tls_trust_load(list, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "leaf.crl': no certificate in it"));
	assert_null(tls_trust_load(authority, NULL, authority, &err));
	assert_non_null(strstr(err.text, "no list of revocations"));
	assert_int_equal(tls_trust_read(test_path("absent"), &err), -1);
	assert_null(tls_ca_find(test_path("absent"), TLS_CA));
}

static void a_directory_of_authorities(void **state)
{
	STACK_OF(X509_NAME) *names;
	struct tls_trust *trust;
	struct err err = { "" };

	(void)state;
	mkdir(test_path("cas"), 0700);
	test_file("cas/a.pem", test_pem_cert(ca));
	test_file("cas/b.crt", test_pem_cert(ca));
	test_file("cas/c.crt", test_pem_cert(rsa_leaf));
	test_file("cas/readme", strdup("-----BEGIN CERTIFICATE-----\nMII"));
	trust = tls_trust_load(test_path("cas"), NULL, NULL, &err);
	if (!trust)
		fail_msg("%s", err.text);
	assert_int_equal(tls_ca_count(tls_trust_store(trust), TLS_CA), 2);
	names = tls_trust_names(trust);
	assert_int_equal(sk_X509_NAME_num(names), 2);
	sk_X509_NAME_pop_free(names, X509_NAME_free);
	test_file("cas/d.pem", strdup("-----BEGIN CERTIFICATE-----\nMII"));
	mkdir(test_path("cas2"), 0700);
	test_file("cas2/d.pem", strdup("-----BEGIN CERTIFICATE-----\nMII"));
	assert_null(tls_trust_load(test_path("cas2"), NULL, NULL, &err));
	assert_non_null(strstr(err.text, "cas2/d.pem': "));
}

static int setup(void **state)
{
	(void)state;
	ec = test_key("EC");
	rsa = test_key("RSA");
	ca_key = test_key("EC");
	ca = test_cert(ca_key, "authority", NULL, NULL, NULL);
	leaf = test_cert(ec, "leaf", "DNS:a.example", ca, ca_key);
	rsa_leaf = test_cert(rsa, "rsa", NULL, NULL, NULL);
	test_folder_begin();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	EVP_PKEY_free(ec);
	EVP_PKEY_free(rsa);
	EVP_PKEY_free(ca_key);
	X509_free(ca);
	X509_free(leaf);
	X509_free(rsa_leaf);
	test_folder_end();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_entry_is_loaded_once),
		cmocka_unit_test(errors_name_the_file),
		cmocka_unit_test(what_lies_beside_is_found),
		cmocka_unit_test(what_lies_beside_is_checked),
		cmocka_unit_test(an_extension_may_be_replaced),
		cmocka_unit_test(a_bundle_is_several_files),
		cmocka_unit_test(a_chain_comes_from_elsewhere),
		cmocka_unit_test(users_leave_while_they_are_told),
		cmocka_unit_test(authorities_are_shared_and_changed),
		cmocka_unit_test(revoked_ones_are_refused),
		cmocka_unit_test(a_directory_of_authorities),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
