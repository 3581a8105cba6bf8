/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mkcerts DIRECTORY COUNT: self-signed certificates, each with its key in one PEM file, with three
 * names; every twentieth is RSA-2048, the others ECDSA P-256.
 */
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>

enum { RSA_EVERY = 20, RSA_KEYS = 4 /* making one takes long */ };

static X509 *make(EVP_PKEY *key, int number)
{
	char name[64], san[256];
	X509 *x = X509_new();
	X509_NAME *subject = X509_get_subject_name(x);
	X509_EXTENSION *extension;

	snprintf(name, sizeof(name), "h%05d.example.com", number);
	snprintf(san, sizeof(san), "DNS:%s,DNS:www.%s,DNS:*.%s", name, name, name);
	X509_set_version(x, X509_VERSION_3);
	ASN1_INTEGER_set(X509_get_serialNumber(x), number + 1);
	X509_gmtime_adj(X509_getm_notBefore(x), 0);
	X509_gmtime_adj(X509_getm_notAfter(x), 365L * 86400);
	X509_set_pubkey(x, key);
	X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (unsigned char *)name, -1, -1, 0);
	X509_set_issuer_name(x, subject);
	extension = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, san);
	X509_add_ext(x, extension, -1);
	X509_EXTENSION_free(extension);
	X509_sign(x, key, EVP_sha256());
	return x;
}

static int write_one(const char *directory, int number, EVP_PKEY *key)
{
	char path[4096];
	X509 *x = make(key, number);
	FILE *f;

	snprintf(path, sizeof(path), "%s/h%05d.pem", directory, number);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		return 1;
	}
	PEM_write_X509(f, x);
	PEM_write_PrivateKey(f, key, NULL, NULL, 0, NULL, NULL);
	X509_free(x);
	return fclose(f) != 0;
}

int main(int argc, char **argv)
{
	EVP_PKEY *rsa[RSA_KEYS], *key;
	int i, count = argc == 3 ? atoi(argv[2]) : 0;

	if (count <= 0) {
		fprintf(stderr, "usage: mkcerts DIRECTORY COUNT\n");
		return 2;
	}
	for (i = 0; i < RSA_KEYS; i++)
		rsa[i] = EVP_RSA_gen(2048);
	for (i = 0; i < count; i++) {
		key = i % RSA_EVERY ? EVP_EC_gen("P-256") : rsa[i / RSA_EVERY % RSA_KEYS];
		if (write_one(argv[1], i, key))
			return 1;
		if (i % RSA_EVERY)
			EVP_PKEY_free(key);
	}
	return 0;
}
