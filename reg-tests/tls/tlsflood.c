/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A client that makes work: once its handshake is done it sends one kind of message over and over,
 * as fast as it is taken, and says how many it was and what came of it: "keys: 100000 sent, taken"
 * or "hellos: 5 sent, closed". What the TLS library would not send is sealed here (TLS 1.2,
 * AES128-GCM, RFC 5288). Started by floods.sh.
 *
 * 	tlsflood PORT KIND COUNT
 *
 * keys: KeyUpdates that ask for one in return (TLS 1.3); deaf: the same, without reading any;
 * hellos: new handshakes (renegotiation); empty: records without bytes; warnings: alerts that mean
 * nothing.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BLOCK = 40, /* two keys, two fixed parts of nonces */
       PATIENCE_MS = 60000 };

static SSL *ssl;
static int fd;
static EVP_CIPHER_CTX *seal;
static uint8_t block[BLOCK];
static uint64_t number = 1; /* of the next record; Finished was 0 */
static uint8_t hello[1024]; /* ours, as it was sent */
static size_t hello_len;

static void die(const char *what)
{
	perror(what);
	ERR_print_errors_fp(stderr);
	exit(1);
}

static void note_hello(int write, int version, int type, const void *buf, size_t len, SSL *s, void *arg)
{
	(void)version;
	(void)s;
	(void)arg;
	if (!write || type != SSL3_RT_HANDSHAKE || hello_len || len > sizeof(hello))
		return;
	memcpy(hello, buf, len);
	hello_len = len;
}

static void connect_to(int port, int version)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port),
				   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

	SSL_CTX_set_min_proto_version(ctx, version);
	SSL_CTX_set_max_proto_version(ctx, version);
	SSL_CTX_set_cipher_list(ctx, "ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES128-GCM-SHA256");
	SSL_CTX_set_msg_callback(ctx, note_hello);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (struct sockaddr *)&sin, sizeof(sin)) < 0)
		die("connect");
	ssl = SSL_new(ctx);
	SSL_set_fd(ssl, fd);
	if (SSL_connect(ssl) != 1)
		die("SSL_connect");
	fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* RFC 5246 6.3. */
static void make_keys(void)
{
	uint8_t master[48], server[32], client[32], label[] = "key expansion";
	size_t len = SSL_SESSION_get_master_key(SSL_get_session(ssl), master, sizeof(master));
	EVP_KDF *kdf = EVP_KDF_fetch(NULL, OSSL_KDF_NAME_TLS1_PRF, NULL);
	EVP_KDF_CTX *ctx = EVP_KDF_CTX_new(kdf);
	char digest[] = "SHA256";
	OSSL_PARAM params[] = {
		OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SECRET, master, len),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, label, sizeof(label) - 1),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, server, sizeof(server)),
		OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SEED, client, sizeof(client)),
		OSSL_PARAM_construct_end(),
	};

	SSL_get_server_random(ssl, server, sizeof(server));
	SSL_get_client_random(ssl, client, sizeof(client));
	if (EVP_KDF_derive(ctx, block, sizeof(block), params) != 1)
		die("EVP_KDF_derive");
	EVP_KDF_CTX_free(ctx);
	EVP_KDF_free(kdf);
	seal = EVP_CIPHER_CTX_new();
}

static void put(uint8_t *at, uint64_t n, unsigned bytes)
{
	while (bytes-- > 0) {
		at[bytes] = (uint8_t)n;
		n >>= 8;
	}
}

/* The record's length. */
static size_t seal_record(uint8_t *out, uint8_t type, const uint8_t *bytes, size_t len)
{
	uint8_t nonce[12], with[13];
	int n = 0;

	memcpy(nonce, block + 32, 4);
	put(nonce + 4, number, 8);
	put(with, number++, 8);
	with[8] = type;
	put(with + 9, 0x0303, 2);
	put(with + 11, len, 2);
	EVP_EncryptInit_ex(seal, EVP_aes_128_gcm(), NULL, block, nonce);
	EVP_EncryptUpdate(seal, NULL, &n, with, sizeof(with));
	EVP_EncryptUpdate(seal, out + 13, &n, bytes, (int)len);
	EVP_EncryptFinal_ex(seal, out + 13 + len, &n);
	EVP_CIPHER_CTX_ctrl(seal, EVP_CTRL_GCM_GET_TAG, 16, out + 13 + len);
	out[0] = type;
	put(out + 1, 0x0303, 2);
	put(out + 3, 8 + len + 16, 2);
	memcpy(out + 5, nonce + 4, 8);
	return 13 + len + 16;
}

/* False: the other side takes no more. */
static bool wait_for(short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };
	int n = poll(&pfd, 1, PATIENCE_MS);

	if (n == 0)
		puts("FAILED  nothing moves for a minute");
	return n > 0;
}

static bool send_bytes(const uint8_t *bytes, size_t len)
{
	ssize_t n;

	while (len) {
		n = send(fd, bytes, len, MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			return false;
		if (n < 0 && !wait_for(POLLOUT))
			return false;
		if (n > 0) {
			bytes += n;
			len -= (size_t)n;
		}
	}
	return true;
}

static bool send_record(const char *kind)
{
	static const uint8_t warning[] = { SSL3_AL_WARNING, SSL_AD_USER_CANCELLED };
	uint8_t record[2048];
	size_t len;

	if (!strcmp(kind, "hellos"))
		len = seal_record(record, SSL3_RT_HANDSHAKE, hello, hello_len);
	else if (!strcmp(kind, "warnings"))
		len = seal_record(record, SSL3_RT_ALERT, warning, sizeof(warning));
	else
		len = seal_record(record, SSL3_RT_APPLICATION_DATA, NULL, 0);
	return send_bytes(record, len);
}

/* Takes what comes; false: the end. */
static bool hear(void)
{
	uint8_t buf[4096];
	int n;

	do {
		ERR_clear_error();
		n = SSL_read(ssl, buf, sizeof(buf));
	} while (n > 0);
	n = SSL_get_error(ssl, n);
	return n == SSL_ERROR_WANT_READ || n == SSL_ERROR_WANT_WRITE;
}

static bool send_keys(bool deaf)
{
	int n;

	if (!deaf && !hear())
		return false;
	if (SSL_key_update(ssl, SSL_KEY_UPDATE_REQUESTED) != 1)
		return false;
	for (;;) {
		ERR_clear_error();
		n = SSL_do_handshake(ssl);
		if (n == 1)
			return true;
		n = SSL_get_error(ssl, n);
		if ((n != SSL_ERROR_WANT_WRITE && n != SSL_ERROR_WANT_READ) || !wait_for(POLLOUT))
			return false;
	}
}

static const char request[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/* Is there an answer, maybe behind new keys? */
static bool answered(void)
{
	uint8_t buf[4096];
	int n;

	while (SSL_write(ssl, request, sizeof(request) - 1) <= 0)
		if (!hear() || !wait_for(POLLIN | POLLOUT))
			return false;
	for (;;) {
		ERR_clear_error();
		n = SSL_read(ssl, buf, sizeof(buf));
		if (n > 0)
			return true;
		if (SSL_get_error(ssl, n) != SSL_ERROR_WANT_READ || !wait_for(POLLIN))
			return false;
	}
}

/* False: the end. */
static bool receive(uint8_t *to, size_t len)
{
	ssize_t n;

	while (len) {
		n = recv(fd, to, len, 0);
		if (n == 0 || (n < 0 && errno != EAGAIN) || (n < 0 && !wait_for(POLLIN)))
			return false;
		if (n > 0) {
			to += n;
			len -= (size_t)n;
		}
	}
	return true;
}

/* The same, read as records: the library would end with the sixth warning. */
static bool answered_by_record(void)
{
	uint8_t record[5 + 17000];
	size_t len = seal_record(record, SSL3_RT_APPLICATION_DATA, (const uint8_t *)request, sizeof(request) - 1);

	if (!send_bytes(record, len))
		return false;
	while (receive(record, 5)) {
		len = (size_t)record[3] << 8 | record[4];
		if (len > 17000 || !receive(record + 5, len))
			return false;
		if (record[0] == SSL3_RT_APPLICATION_DATA)
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	bool v13;
	unsigned long count, sent = 0;

	if (argc != 4)
		return 1;
	signal(SIGPIPE, SIG_IGN);
	v13 = !strcmp(argv[2], "keys") || !strcmp(argv[2], "deaf");
	count = strtoul(argv[3], NULL, 10);
	connect_to(atoi(argv[1]), v13 ? TLS1_3_VERSION : TLS1_2_VERSION);
	if (!v13)
		make_keys();
	while (sent < count && (v13 ? send_keys(argv[2][0] == 'd') : send_record(argv[2])))
		sent++;
	printf("%s: %lu sent, %s\n", argv[2], sent,
	       sent == count && (seal ? answered_by_record() : answered()) ? "taken" : "closed");
	return 0;
}
