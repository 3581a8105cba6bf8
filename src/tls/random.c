/* SPDX-License-Identifier: BSD-2-Clause */
/* Random bytes in stock (tls/random.h): a handshake wants four times some, and each question to
 * OpenSSL is a system call and 6,000 instructions. Called by sessions.c and tickets.c. The stock
 * lies in a page that the kernel clears in a child, so that no two processes hand out the same;
 * where it does not do that there is no stock. */
#include "tls/random.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096 };

struct stock {
	uint32_t left; /* bytes, at the begin; 0 in a fresh process */
	unsigned char bytes[PAGE - sizeof(uint32_t)];
};

static struct stock *stock_new(void)
{
	struct stock *stock = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stock == MAP_FAILED)
		return NULL;
	if (!madvise(stock, PAGE, MADV_WIPEONFORK) && !madvise(stock, PAGE, MADV_DONTDUMP))
		return stock;
	munmap(stock, PAGE);
	return NULL;
}

static struct stock *stock_get(void)
{
	static struct stock *stock;
	static bool tried;

	if (!tried)
		stock = stock_new();
	tried = true;
	return stock;
}

bool tls_random(void *to, size_t len)
{
	struct stock *stock = stock_get();

	if (!stock || len > sizeof(stock->bytes))
		return RAND_bytes(to, (int)len) == 1;
	if (stock->left < len) {
		stock->left = 0;
		if (RAND_bytes(stock->bytes, sizeof(stock->bytes)) != 1)
			return false;
		stock->left = sizeof(stock->bytes);
	}
	stock->left -= (uint32_t)len;
	memcpy(to, stock->bytes + stock->left, len);
	OPENSSL_cleanse(stock->bytes + stock->left, len);
	return true;
}
