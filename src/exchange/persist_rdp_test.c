/* SPDX-License-Identifier: BSD-2-Clause */
/* Which server an RDP cookie leads to: address and port as numbers whose lowest byte comes first. No
 * server listens; whom the stream has chosen is what counts. */
#include "exchange/test_bytes.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"

#include "proxy/proxy.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

static struct bytes_client c;

static int begin(void **state)
{
	(void)state;
	served_world_begin("defaults\n mode tcp\n timeout connect 5s\n timeout client 60s\n"
			   " timeout server 60s\n"
			   "listen r\n tcp-request inspect-delay 5s\n"
			   " tcp-request content accept if RDP_COOKIE\n persist rdp-cookie\n"
			   " balance first\n"
			   " server other 127.0.0.1:1\n"
			   " server nine 127.0.0.9:153\n" /* 150995071, 39168 */
			   " server most 127.255.255.255:65535\n" /* 4294967167, 65535 */
			   " server off 127.0.0.7:1 disabled\n" /* 117440639, 256 */
			   "listen always\n tcp-request inspect-delay 5s\n option persist\n"
			   " tcp-request content accept if RDP_COOKIE\n persist rdp-cookie\n"
			   " balance first\n server other 127.0.0.1:1\n"
			   " server off 127.0.0.7:1 disabled\n");
	return 0;
}

static void leads_to(const char *listen, const char *cookie, const char *server)
{
	char bytes[200] = "\3\0\0\53\46\340\0\0\0\0\0";
	int len = 11 + sprintf(bytes + 11, "Cookie: msts=%s\r\n", cookie);

	bytes_open_with(&c, world_frontend(listen), bytes, (size_t)len);
	assert_non_null(c.end);
	assert_non_null(c.stream->server);
	assert_string_equal(c.stream->server->id, server);
	stream_end(c.stream, END_KILLED);
	turns(QUIET);
	bytes_free(&c);
}

static void to_its_server(void **state)
{
	(void)state;
	leads_to("r", "150995071.39168.0000", "nine");
	leads_to("r", "4294967167.65535.0000", "most");
	leads_to("r", "16777343.256.0000", "other");
	leads_to("r", "150995071.39168.", "nine");
}

static void or_to_any(void **state)
{
	static const char *const cookies[] = {
		"150995071.39169.0000", "150995072.39168.0000", "4294967296.39168.0000",
		"150995071.65536.0000", "150995071.39168", "150995071", "150995071.", ".39168.",
		"15099507100.39168.0000", "1509950:1.39168.0000", "15099507/.39168.0000", "", ".",
		"4445962367.39168.0000", /* 2^32 more */
		"150995071.104704.0000", /* 2^16 more */
	};
	unsigned i;

	(void)state;
	for (i = 0; i < sizeof(cookies) / sizeof(cookies[0]); i++)
		leads_to("r", cookies[i], "other");
}

/* One that cannot serve is passed over, unless the backend wants it so. */
static void to_a_server_that_is_off(void **state)
{
	(void)state;
	leads_to("r", "117440639.256.0000", "other");
	leads_to("always", "117440639.256.0000", "off");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(to_its_server), cmocka_unit_test(or_to_any),
		cmocka_unit_test(to_a_server_that_is_off),
	};

	return cmocka_run_group_tests(tests, begin, served_world_end);
}
