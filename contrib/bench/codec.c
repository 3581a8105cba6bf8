/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the HTTP/1 codec costs: parses and writes typical heads over and over and prints
 * nanoseconds a head. Under `valgrind --tool=callgrind` instructions can be counted, which a busy
 * machine does not disturb (doc/internals/http_codec.md). Usage: codec [rounds [case]]
 */
#include "http/h1.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { FIELDS = 101 };

struct sample {
	const char *name, *head;
	bool response;
};

static const struct sample samples[] = {
	{ "small request",
	  "GET /1k.bin HTTP/1.1\r\n"
	  "Host: 127.0.0.1:8080\r\n"
	  "\r\n",
	  false },
	{ "browser request",
	  "GET /assets/app.4f2a1c.js?v=12 HTTP/1.1\r\n"
	  "Host: www.example.org\r\n"
	  "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0\r\n"
	  "Accept: */*\r\n"
	  "Accept-Language: en-US,en;q=0.5\r\n"
	  "Accept-Encoding: gzip, deflate, br\r\n"
	  "Referer: https://www.example.org/index.html\r\n"
	  "Connection: keep-alive\r\n"
	  "\r\n",
	  false },
	{ "large request",
	  "GET /account/orders/2026/11/?page=3&sort=date&filter=open%20or%20paid HTTP/1.1\r\n"
	  "Host: shop.example.org\r\n"
	  "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Firefox/115.0\r\n"
	  "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8\r\n"
	  "Accept-Language: en-US,en;q=0.5\r\n"
	  "Accept-Encoding: gzip, deflate, br\r\n"
	  "Referer: https://shop.example.org/account/\r\n"
	  "Connection: keep-alive\r\n"
	  "Cookie: sid=0123456789abcdef0123456789abcdef; theme=dark; consent=1; "
	  "_ga=GA1.2.1234567890.1700000000; _gid=GA1.2.987654321.1700000000; "
	  "cart=eyJpdGVtcyI6W3siaWQiOjEsImNvdW50IjoyfSx7ImlkIjo3LCJjb3VudCI6MX1dfQ==\r\n"
	  "Upgrade-Insecure-Requests: 1\r\n"
	  "Sec-Fetch-Dest: document\r\n"
	  "Sec-Fetch-Mode: navigate\r\n"
	  "Sec-Fetch-Site: same-origin\r\n"
	  "Sec-Fetch-User: ?1\r\n"
	  "\r\n",
	  false },
	{ "nginx response",
	  "HTTP/1.1 200 OK\r\n"
	  "Server: nginx/1.22.1\r\n"
	  "Date: Sat, 21 Nov 2026 05:00:00 GMT\r\n"
	  "Content-Type: application/octet-stream\r\n"
	  "Content-Length: 1024\r\n"
	  "Last-Modified: Sat, 21 Nov 2026 01:35:00 GMT\r\n"
	  "Connection: keep-alive\r\n"
	  "ETag: \"65dc1234-400\"\r\n"
	  "Accept-Ranges: bytes\r\n"
	  "\r\n",
	  true },
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static struct field fields[FIELDS];
static struct message msg;

static void parse(const struct sample *s, size_t len)
{
	struct h1_parser parser = { 0 };
	struct message_error error;
	enum h1_result r;

	message_init(&msg, s->response, fields, FIELDS);
	if (s->response)
		r = h1_response_head(&parser, s->head, len, 0, METHOD_GET, &msg, &error);
	else
		r = h1_request_head(&parser, s->head, len, 0, &msg, &error);
	if (r != H1_DONE)
		abort();
}

static void measure(const struct sample *s, unsigned long rounds)
{
	size_t len = strlen(s->head);
	uint64_t start, parsed, written;
	static char out[4096];
	unsigned long i;

	start = now_ns();
	for (i = 0; i < rounds; i++)
		parse(s, len);
	parsed = now_ns();
	for (i = 0; i < rounds; i++)
		if (!h1_write_head(&msg, out, sizeof(out)))
			abort();
	written = now_ns();
	printf("%-16s %4zu bytes, %2u fields: parse %6.1f ns, write %6.1f ns\n", s->name, len,
	       msg.count, (double)(parsed - start) / (double)rounds,
	       (double)(written - parsed) / (double)rounds);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000, i;
	unsigned long only = argc > 2 ? strtoul(argv[2], NULL, 10) : (unsigned long)-1;

	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++)
		if (only == (unsigned long)-1 || only == i)
			measure(&samples[i], rounds);
	return 0;
}
