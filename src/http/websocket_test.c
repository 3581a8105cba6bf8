/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers to keys of WebSocket: the example of RFC 6455 1.3, and keys of any length, compared with
 * what another SHA-1 came to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "http/websocket.h"

static void keys_have_their_answers(void **state)
{
	static const struct {
		size_t len; /* so many x; 0: the example */
		const char *accept;
	} rows[] = {
		{ 0, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" },
		{ 1, "JVxkmtKFjDcI/Pm/AGPEKSN6wT8=" },
		{ 18, "bZspPpS+bbHX4iBWnSe4VZeDAH8=" },
		{ 19, "qQsxh2Nb/vsnD9od6HBiP6Igif0=" },
		{ 20, "7jD6MP55bPPoLSNhT1mD/AE8sjc=" },
		{ 24, "Y07WG9qFFXFhuXL47RVhrhkrtes=" },
		{ 27, "WWp/NRXr3+N4xy7O/17rN1JrRGc=" },
		{ 28, "atUL8kQGe4qplhq19Y5TKRw/Uj4=" },
		{ 29, "EoHUgLwSj5LVfz4NhAZzg2z0i4Y=" },
		{ 63, "OTqK+HCGN2o5BUIXLcgz6zlDBPE=" },
		{ 64, "4FGVtn97aCcao3xzZ5Y1zkEgvLc=" },
		{ 92, "N6jQH9SY1VrfN6p4qvkUdTUUhwQ=" },
		{ 1000, "4HJC4L551QMnEp8N9epJkCtSKYs=" },
	};
	char *key, got[WEBSOCKET_ACCEPT];
	struct span span;
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		key = malloc(rows[i].len + 1);
		memset(key, 'x', rows[i].len);
		span = rows[i].len ? (struct span){ key, rows[i].len } : span_of("dGhlIHNhbXBsZSBub25jZQ==");
		websocket_accept(span, got);
		free(key);
		if (memcmp(got, rows[i].accept, WEBSOCKET_ACCEPT))
			fail_msg("%zu: %.28s", rows[i].len, got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_have_their_answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
