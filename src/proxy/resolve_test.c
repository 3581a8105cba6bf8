/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of servers at the start: the methods of "init-addr" in their order, what is said of a name
 * without an address, how often names are asked for. The system's names are the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"
#include "proxy/test_config.h"
#include "share/segment.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------- */

static unsigned asked;
static struct sockaddr_in found_v4;
static struct sockaddr_in6 found_v6;
static struct addrinfo found;

/* "here" has an address of each family, all others have none. */
int getaddrinfo(const char *restrict name, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict list)
{
	(void)service;
	asked++;
	if (strcmp(name, "here") != 0)
		return EAI_NONAME;
	found_v4 = (struct sockaddr_in){ .sin_family = AF_INET };
	found_v4.sin_addr.s_addr = htonl(0xc0000201);
	found_v6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
	found = (struct addrinfo){ .ai_family = AF_INET, .ai_addr = (struct sockaddr *)&found_v4,
				   .ai_addrlen = sizeof(found_v4) };
	if (hints->ai_family == AF_INET6) {
		found.ai_addr = (struct sockaddr *)&found_v6;
		found.ai_addrlen = sizeof(found_v6);
	}
	*list = &found;
	return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

/* ---- the configuration ------------------------------------------------------------------- */

static const struct module *const list[] = { &environment_module, &bind_module, &proxy_module,
					     &server_module, NULL };
static struct config *cfg;
static char said[2048];

static int cleanup(void **state)
{
	(void)state;
	if (cfg)
		segment_free(&((struct proxies *)config_data(cfg, &proxy_module))->segment);
	config_free(&cfg);
	return 0;
}

static void finish(const char *text)
{
	struct text t;

	cleanup(NULL);
	asked = 0;
	text_init(&t, said, sizeof(said));
	cfg = test_config_try(list, text, true, &t);
}

static struct server *srv(const char *name)
{
	struct server *s = server_find(proxy_find(config_data(cfg, &proxy_module), "b", PROXY_BACKEND),
				       name);

	assert_non_null(s);
	return s;
}

#define B "defaults\n timeout connect 1s\n timeout server 1s\nbackend b\n"
#define WHY "could not resolve address 'nowhere': Name or service not known"

/* ---- tests ------------------------------------------------------------------------------- */

static void names_that_have_addresses(void **state)
{
	(void)state;
	finish(B " server a here:80\n server b ipv6@here:81\n server c here:82 init-addr libc\n"
		 " server d here:83 init-addr none,libc\n server e here:84 init-addr 192.0.2.7\n");
	assert_string_equal(said, "");
	assert_int_equal(srv("a")->spec.addr.v4.s_addr, htonl(0xc0000201));
	assert_int_equal(srv("a")->spec.addr.port, 80);
	assert_false(srv("a")->spec.unresolved);
	assert_int_equal(srv("a")->state->admin, 0);
	assert_true(IN6_IS_ADDR_LOOPBACK(&srv("b")->spec.addr.v6));
	assert_int_equal(srv("b")->spec.addr.port, 81);
	assert_int_equal(srv("c")->spec.addr.port, 82);
	assert_int_equal(srv("c")->spec.addr.v4.s_addr, htonl(0xc0000201));
	assert_true(srv("d")->spec.unresolved);
	assert_int_equal(srv("d")->state->admin, ADMIN_RESOLUTION);
	assert_int_equal(srv("d")->state->op, SERVER_DOWN);
	assert_int_equal(srv("e")->spec.addr.v4.s_addr, htonl(0xc0000207));
	assert_false(srv("e")->spec.unresolved);
	/* Each once, but for another family. */
	assert_int_equal(asked, 2);
}

static void names_without_an_address(void **state)
{
	static const struct {
		const char *line, *said;
	} cases[] = {
		{ " server s nowhere:80\n", "5 error: " WHY "\n" },
		{ " server s nowhere:80 init-addr libc\n", "5 error: " WHY "\n" },
		{ " server s nowhere:80 init-addr last\n", "" },
		{ " server s nowhere:80 init-addr libc,none\n",
		  "5 warning: " WHY "; server s starts disabled\n" },
		{ " server s nowhere:80 init-addr none\n", "" },
		{ " server s nowhere:80 init-addr libc,192.0.2.7\n",
		  "5 warning: " WHY "; server s starts with the address of 'init-addr'\n" },
		{ " server s nowhere:80 init-addr 192.0.2.7,libc\n", "" },
		/* Those of one line are told of once. */
		{ " server-template s 3 nowhere:80\n", "5 error: " WHY "\n" },
		{ " server s nowhere:80 init-addr libc,none\n"
		  " server t nowhere:81 init-addr libc,none\n",
		  "5 warning: " WHY "; server s starts disabled\n"
		  "6 warning: " WHY "; server t starts disabled\n" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		char text[400];
		struct text t;

		text_init(&t, text, sizeof(text));
		text_printf(&t, "%s%s", B, cases[i].line);
		finish(text);
		assert_string_equal(said, cases[i].said);
		assert_true(asked <= 1);
	}
}

/* Nobody is asked for a file that is wrong. */
static void a_wrong_file(void **state)
{
	(void)state;
	finish(B " server s here:80\n server t\n");
	assert_string_equal(said, "6 error: the server's address expected here\n");
	assert_int_equal(asked, 0);
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_that_have_addresses), TEST(names_without_an_address), TEST(a_wrong_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
