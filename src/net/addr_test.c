/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as the configuration writes them, their printed and the system's forms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "net/addr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#define BIND (ADDR_PORT_NEEDED | ADDR_PORT_RANGE | ADDR_FDS | ADDR_UNIX | ADDR_STAR)
#define SERVER (ADDR_PORT_OFFSET | ADDR_UNIX | ADDR_STAR)

static struct arena *arena;

static int setup(void **state)
{
	(void)state;
	arena = arena_new(4096);
	return arena ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* "ADDRESS:PORT-LAST OFFSET" of what was parsed, or the message of what was refused. */
static const char *parsed(const char *text, unsigned allow)
{
	static char buf[700];
	struct addr_spec spec;
	struct err err = { "" };
	struct text t;

	if (addr_parse(text, allow, arena, &spec, &err)) {
		snprintf(buf, sizeof(buf), "! %s", err.text);
		return buf;
	}
	text_init(&t, buf, sizeof(buf));
	if (spec.addr.family == AF_UNIX)
		text_str(&t, spec.addr.path);
	else
		addr_print_port(&spec.addr, &t);
	if (spec.last_port != spec.addr.port)
		text_printf(&t, "-%u", spec.last_port);
	if (spec.has_offset)
		text_printf(&t, " %+d", spec.port_offset);
	return buf;
}

/* As sentences have it. */
static void for_people(void **state)
{
	static const char *const cases[][2] = {
		{ "127.0.0.1:8001", "127.0.0.1:8001" }, { "ipv6@::1:80", "[::1]:80" },
		{ "[2001:db8::1]:443", "[2001:db8::1]:443" }, { "/run/x.sock", "unix" },
	};
	struct addr_spec spec;
	char buf[100];
	struct err err;
	struct text t;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(addr_parse(cases[i][0], BIND, arena, &spec, &err), 0);
		text_init(&t, buf, sizeof(buf));
		addr_print_clear(&spec.addr, &t);
		assert_string_equal(buf, cases[i][1]);
	}
	assert_int_equal(addr_of_ip("::1", &spec.addr), 0);
	text_init(&t, buf, sizeof(buf));
	addr_print_clear(&spec.addr, &t);
	assert_string_equal(buf, "::1");
}

static void bind_addresses(void **state)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "127.0.0.1:8001", "127.0.0.1:8001" },
		{ ":80", "0.0.0.0:80" },
		{ "*:80", "0.0.0.0:80" },
		{ "ipv4@:80", "0.0.0.0:80" },
		{ "ipv6@*:80", ":::80" },
		{ "ipv6@:80", ":::80" },
		{ ":::80", ":::80" },
		{ "[::]:80", ":::80" },
		{ "::1:80", "::1:80" },
		{ "[::1]:80", "::1:80" },
		{ "ipv6@::1:80", "::1:80" },
		{ "tcp6@::1:80", "::1:80" },
		{ "tcp4@127.0.0.1:80", "127.0.0.1:80" },
		{ "stream+ipv4@127.0.0.1:80", "127.0.0.1:80" },
		{ "stream+127.0.0.1:80", "127.0.0.1:80" },
		{ "127.0.0.1:1000-1010", "127.0.0.1:1000-1010" },
		{ "127.0.0.1:65535", "127.0.0.1:65535" },
		{ "/run/x.sock", "/run/x.sock" },
		{ "/run/x:80", "/run/x:80" },
		{ "unix@run/x", "run/x" },
		{ "uxst@/run/x", "/run/x" },
		{ "abns@name", "@name" },
		{ "fd@3", "fd@3" },
		{ "sockpair@7", "sockpair@7" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(parsed(cases[i].text, BIND), cases[i].result);
}

static void without_a_port(void **state)
{
	(void)state;
	assert_string_equal(parsed("192.0.2.1", ADDR_PORT_NONE), "192.0.2.1");
	assert_string_equal(parsed("::1", ADDR_PORT_NONE), "::1");
	assert_string_equal(parsed("[::1]", ADDR_PORT_NONE), "::1");
	assert_string_equal(parsed("2001:db8::2:80", ADDR_PORT_NONE), "2001:db8::2:80");
}

static void variables_are_replaced(void **state)
{
	(void)state;
	setenv("T_HOST", "127.0.0.9", 1);
	setenv("T_PORT", "80", 1);
	setenv("T_DIR", "/run", 1);
	unsetenv("T_NONE");
	assert_string_equal(parsed("$T_HOST:${T_PORT}", BIND), "127.0.0.9:80");
	assert_string_equal(parsed(":${T_NONE}80${T_PORT}", BIND), "0.0.0.0:8080");
	assert_string_equal(parsed("unix@$T_DIR/$T_PORT.sock", BIND), "/run/80.sock");
	assert_string_equal(parsed("${T_DIR}/a$", BIND), "/run/a$");
	assert_string_equal(parsed("/run/${T_DIR", BIND), "/run/${T_DIR");
	assert_string_equal(parsed("$T_HOST", SERVER), "127.0.0.9 +0");
}

static void server_addresses(void **state)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "192.0.2.1:80", "192.0.2.1:80" },
		{ "192.0.2.1", "192.0.2.1 +0" },
		{ "192.0.2.1:", "192.0.2.1 +0" },
		{ "192.0.2.1:0", "192.0.2.1 +0" },
		{ "192.0.2.1:+10", "192.0.2.1 +10" },
		{ "192.0.2.1:-10", "192.0.2.1 -10" },
		{ "[2001:db8::1]", "2001:db8::1 +0" },
		{ "[2001:db8::1]:80", "2001:db8::1:80" },
		{ "*:80", "0.0.0.0:80" },
		{ "*", "0.0.0.0 +0" },
		{ "unix@/x", "/x" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(parsed(cases[i].text, SERVER), cases[i].result);
}

/* What the message must speak of. */
static void refused(void **state)
{
	static const struct {
		const char *text;
		unsigned allow;
		const char *about;
	} cases[] = {
		{ "", BIND, "empty" },
		{ "127.0.0.1", BIND, "port is missing" },
		{ "127.0.0.1:", BIND, "port is missing" },
		{ "127.0.0.1:0", BIND, "port 0" },
		{ "127.0.0.1:65536", BIND, "'65536' is not a port" },
		{ "127.0.0.1:abc", BIND, "'abc' is not a port" },
		{ "127.0.0.1:10x", BIND, "'10x' is not a port" },
		{ "127.0.0.1: 10", BIND, "not a port" },
		{ "127.0.0.1:20-10", BIND, "ends before it begins" },
		{ "127.0.0.1:10-", BIND, "'' is not a port" },
		{ "127.0.0.1:10-70000", BIND, "'70000' is not a port" },
		{ "127.0.0.1:0-10", BIND, "port 0" },
		{ "127.0.0.1:+10", BIND, "offset" },
		{ "127.0.0.1:-10", BIND, "offset" },
		{ "127.0.0.1:10-20", SERVER, "range" },
		{ "127.0.0.1:+70000", SERVER, "'70000' is not a port" },
		{ "::1", SERVER, "write [ADDRESS]" },
		{ "[::1", BIND, "address" },
		{ "[::1:80", BIND, "not an address" },
		{ "::1]:80", BIND, "not an address" },
		{ "[127.0.0.1.1]:80", BIND, "not an IPv6 address" },
		{ "ipv6@[127.0.0.1]:80", BIND, "not an IPv6 address" },
		{ "ipv4@[::1]:80", BIND, "address" },
		{ "ipv4@::1:80", BIND, "not an IPv4 address" },
		{ "ipv6@127.0.0.1:80", BIND, "name cannot be used" },
		{ "name:80", BIND, "name cannot be used" },
		{ "foo@bar:80", BIND, "unknown address prefix 'foo@'" },
		{ "udp@127.0.0.1:80", BIND, "datagrams" },
		{ "dgram+127.0.0.1:80", BIND, "datagrams" },
		{ "uxdg@/x", BIND, "datagrams" },
		{ "tcp@127.0.0.1:80", BIND | ADDR_DGRAM, "streams" },
		{ "quic4@:443", BIND, "QUIC" },
		{ "unix@", BIND, "path" },
		{ "abns@", BIND, "path" },
		{ "/x", ADDR_STAR, "Unix socket" },
		{ "fd@3", SERVER, "file descriptor cannot" },
		{ "fd@", BIND, "number of a file descriptor" },
		{ "fd@x", BIND, "number of a file descriptor" },
		{ "fd@-1", BIND, "number of a file descriptor" },
		{ "*:80", ADDR_PORT_NEEDED, "address is missing" },
		{ "192.0.2.1:80", ADDR_PORT_NONE, "port cannot be given" },
		{ "fe80::1%nosuchif:80", BIND, "not an address" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		const char *result = parsed(cases[i].text, cases[i].allow);

		if (*result != '!' || !strstr(result, cases[i].about))
			fail_msg("'%s' gave '%s', not '%s'", cases[i].text, result,
				 cases[i].about);
	}
}

static void long_paths_are_refused(void **state)
{
	char path[200];

	(void)state;
	memset(path, 'x', sizeof(path));
	path[0] = '/';
	path[107] = 0;
	assert_string_equal(parsed(path, BIND), path);
	path[107] = 'x';
	path[108] = 0;
	assert_non_null(strstr(parsed(path, BIND), "longer than 107"));
}

static void names_are_resolved(void **state)
{
	struct addr_spec spec;
	struct err err;

	(void)state;
	assert_int_equal(addr_parse("localhost:80", BIND | ADDR_NAMES, arena, &spec, &err), 0);
	assert_false(spec.unresolved);
	assert_string_equal(spec.hostname, "localhost");
	assert_int_equal(spec.addr.port, 80);
	assert_true(spec.addr.family == AF_INET || spec.addr.family == AF_INET6);
	/* A host of digits and dots is never a name. */
	assert_int_equal(addr_parse("256.1.1.1:80", BIND | ADDR_NAMES, arena, &spec, &err), -1);
	assert_int_equal(addr_parse("a b:80", BIND | ADDR_NAMES, arena, &spec, &err), -1);
}

/* Through the system's form and back nothing is lost. */
static void system_form(void **state)
{
	static const char *const texts[] = { "192.0.2.7:1234", "[2001:db8::7]:65535", ":1" };
	struct sockaddr_storage ss;
	struct addr_spec spec;
	struct addr back;
	socklen_t len;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(texts); i++) {
		assert_int_equal(addr_parse(texts[i], BIND, arena, &spec, NULL), 0);
		len = addr_to_sockaddr(&spec.addr, &ss);
		addr_from_sockaddr(&back, &ss, len);
		assert_true(addr_equal(&spec.addr, &back));
		back.port++;
		assert_false(addr_equal(&spec.addr, &back));
	}
}

/* An abstract name takes all of sun_path, a path its own length and a NUL. */
static void unix_forms(void **state)
{
	struct sockaddr_storage ss;
	struct sockaddr_un *un = (struct sockaddr_un *)&ss;
	struct addr abstract = { .family = AF_UNIX, .path = "@name" };
	struct addr file = { .family = AF_UNIX, .path = "/x" };

	(void)state;
	assert_int_equal(addr_to_sockaddr(&abstract, &ss), sizeof(*un));
	assert_memory_equal(un->sun_path, "\0name\0", 6);
	assert_int_equal(addr_to_sockaddr(&file, &ss), offsetof(struct sockaddr_un, sun_path) + 3);
	assert_string_equal(un->sun_path, "/x");
	assert_true(addr_equal(&file, &file));
	assert_false(addr_equal(&file, &abstract));
}

static void is_small(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct addr), 24);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bind_addresses), cmocka_unit_test(without_a_port),
		cmocka_unit_test(server_addresses), cmocka_unit_test(for_people),
		cmocka_unit_test(variables_are_replaced),
		cmocka_unit_test(refused),	    cmocka_unit_test(long_paths_are_refused),
		cmocka_unit_test(names_are_resolved), cmocka_unit_test(system_form),
		cmocka_unit_test(unix_forms),	    cmocka_unit_test(is_small),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
