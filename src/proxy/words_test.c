/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the words of proxies, servers and the process come to: the numbers that they take, from the
 * least to the greatest, and what is said of the next one; what holds where they are not given; who
 * inherits them; the bits of options and how they are taken back; the names of enumerations.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/environment.h"
#include "config/load.h"
#include "net/bind_conf.h"
#include "proxy/check_target.h"
#include "proxy/observe_conf.h"
#include "proxy/proxy.h"
#include "proxy/test_words.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------- */

enum unit { NUMBER, MS, SECONDS };

struct number {
	const char *word;
	size_t at;
	enum unit unit;
	int64_t usual, least, most;
};

#define SET(field) offsetof(struct proxy, set.field)
#define TIMEOUT(field) offsetof(struct proxy, set.timeout.field)

static const struct number of_fronts[] = {
	{ "maxconn", SET(maxconn), NUMBER, 0, 0, INT_MAX },
	{ "backlog", SET(backlog), NUMBER, 0, 0, INT_MAX },
	{ "rate-limit sessions", SET(rate_limit), NUMBER, 0, 0, INT_MAX },
	{ "max-session-srv-conns", SET(max_session_conns), NUMBER, 5, 0, INT_MAX },
	{ "timeout client", TIMEOUT(client), MS, 0, 0, INT_MAX },
	{ "timeout client-fin", TIMEOUT(client_fin), MS, 0, 0, INT_MAX },
	{ "timeout http-request", TIMEOUT(http_request), MS, 0, 0, INT_MAX },
	{ "timeout http-keep-alive", TIMEOUT(http_keep_alive), MS, 0, 0, INT_MAX },
	{ "timeout tarpit", TIMEOUT(tarpit), MS, 0, 0, INT_MAX },
	{ "clitcpka-cnt", SET(clitcpka_cnt), NUMBER, 0, 0, 127 },
	{ "clitcpka-idle", SET(clitcpka_idle), SECONDS, 0, 0, INT_MAX },
	{ "clitcpka-intvl", SET(clitcpka_intvl), SECONDS, 0, 0, INT_MAX },
};

static const struct number of_backs[] = {
	{ "fullconn", SET(fullconn), NUMBER, 0, 0, INT_MAX },
	{ "retries", SET(retries), NUMBER, 3, 0, INT_MAX },
	{ "max-keep-alive-queue", SET(max_keep_alive_queue), NUMBER, -1, -1, INT_MAX },
	{ "timeout server", TIMEOUT(server), MS, 0, 0, INT_MAX },
	{ "timeout connect", TIMEOUT(connect), MS, 0, 0, INT_MAX },
	{ "timeout queue", TIMEOUT(queue), MS, 0, 0, INT_MAX },
	{ "timeout check", TIMEOUT(check), MS, 0, 0, INT_MAX },
	{ "timeout tunnel", TIMEOUT(tunnel), MS, 0, 0, INT_MAX },
	{ "timeout server-fin", TIMEOUT(server_fin), MS, 0, 0, INT_MAX },
	{ "timeout try", TIMEOUT(attempt), MS, 0, 0, INT_MAX },
	{ "timeout http-request", TIMEOUT(http_request), MS, 0, 0, INT_MAX },
	{ "timeout http-keep-alive", TIMEOUT(http_keep_alive), MS, 0, 0, INT_MAX },
	{ "timeout tarpit", TIMEOUT(tarpit), MS, 0, 0, INT_MAX },
	{ "srvtcpka-cnt", SET(srvtcpka_cnt), NUMBER, 0, 0, 127 },
	{ "srvtcpka-idle", SET(srvtcpka_idle), SECONDS, 0, 0, INT_MAX },
	{ "srvtcpka-intvl", SET(srvtcpka_intvl), SECONDS, 0, 0, INT_MAX },
};

#undef SET
#define SET(field) offsetof(struct server, set.field)

static const struct number of_servers[] = {
	{ "weight", SET(weight), NUMBER, 1, 0, 256 },
	{ "maxconn", SET(maxconn), NUMBER, 0, 0, INT_MAX },
	{ "minconn", SET(minconn), NUMBER, 0, 0, INT_MAX },
	{ "maxqueue", SET(maxqueue), NUMBER, 0, 0, INT_MAX },
	{ "rise", SET(rise), NUMBER, 2, 1, INT_MAX },
	{ "fall", SET(fall), NUMBER, 3, 1, INT_MAX },
	{ "max-reuse", SET(max_reuse), NUMBER, -1, -1, INT_MAX },
	{ "pool-low-conn", SET(pool_low_conn), NUMBER, 0, 0, INT_MAX },
	{ "pool-max-conn", SET(pool_max_conn), NUMBER, -1, -1, INT_MAX },
	{ "inter", SET(inter), MS, 2000, 1, INT_MAX },
	{ "fastinter", SET(fastinter), MS, 0, 1, INT_MAX },
	{ "downinter", SET(downinter), MS, 0, 1, INT_MAX },
	{ "slowstart", SET(slowstart), MS, 0, 0, INT_MAX },
	{ "tcp-ut", SET(tcp_ut), MS, 0, 0, INT_MAX },
	{ "pool-purge-delay", SET(pool_purge_delay), MS, 5000, 0, INT_MAX },
};

static const struct number of_observing[] = {
	{ "error-limit", offsetof(struct observe_conf, limit), NUMBER, 10, 1, INT_MAX },
};

#define GLOBAL(field) offsetof(struct proxies, global.field)

static const struct number of_the_process[] = {
	{ "maxconn", GLOBAL(maxconn), NUMBER, 0, 0, INT_MAX },
	{ "maxconnrate", GLOBAL(maxconn_rate), NUMBER, 0, 0, INT_MAX },
	{ "maxsessrate", GLOBAL(maxsess_rate), NUMBER, 0, 0, INT_MAX },
	{ "maxcomprate", GLOBAL(max_comp_rate), NUMBER, 0, 0, INT_MAX },
	{ "maxcompcpuusage", GLOBAL(max_comp_cpu), NUMBER, 100, 0, 100 },
	{ "ulimit-n", GLOBAL(ulimit_n), NUMBER, 0, 0, INT_MAX },
	{ "fd-hard-limit", GLOBAL(fd_hard_limit), NUMBER, 0, 0, INT_MAX },
};

/* Where a word stands, and whom it is to reach: object() gives it behind read_lines. */
struct setting_place {
	const char *fmt; /* with the word and its value */
	void *(*object)(void);
};

static void *proxy_object(void)
{
	return last_proxy();
}

static void *server_object(void)
{
	return last_server();
}

static void *observe_object(void)
{
	return (void *)observe_conf_of(last_server());
}

static void *target_object(void)
{
	return (void *)check_target_of(last_server());
}

static void *process_object(void)
{
	return all();
}

static const struct setting_place fronts[] = {
	{ "frontend p\n %s%s\n", proxy_object },
	{ "listen p\n %s%s\n", proxy_object },
	{ "defaults\n %s%s\nfrontend p\n", proxy_object },
	{ "defaults d\n %s%s\ndefaults\nlisten p from d\n", proxy_object },
	{ "defaults a\n %s%s\ndefaults b from a\nfrontend p\n", proxy_object },
};
static const struct setting_place backs[] = {
	{ "backend p\n %s%s\n", proxy_object },
	{ "listen p\n %s%s\n", proxy_object },
	{ "defaults\n %s%s\nbackend p\n", proxy_object },
	{ "defaults d\n %s%s\ndefaults\nlisten p from d\n", proxy_object },
	{ "defaults a\n %s%s\ndefaults b from a\nbackend p\n", proxy_object },
};
/* Lines of servers, and defaults of them. */
#define SERVER_PLACES(object_) \
	{ "backend p\n server s 192.0.2.1:80 %s%s\n", object_ }, \
	{ "listen p\n server s 192.0.2.1:80 %s%s\n", object_ }, \
	{ "backend p\n default-server %s%s\n server s 192.0.2.1:80\n", object_ }, \
	{ "defaults\n default-server %s%s\nbackend p\n server s 192.0.2.1:80\n", object_ }, \
	{ "defaults d\n default-server %s%s\ndefaults\nbackend p from d\n" \
	  " default-server check\n server s 192.0.2.1:80\n", object_ }, \
	{ "backend p\n server-template s 3 192.0.2.1:80 %s%s\n", object_ }, \
	{ "backend p\n default-server %s%s\n server-template s 3 192.0.2.1:80\n", object_ }

static const struct setting_place servers[] = { SERVER_PLACES(server_object) };
static const struct setting_place observing[] = { SERVER_PLACES(observe_object) };
static const struct setting_place targets[] = { SERVER_PLACES(target_object) };
static const struct setting_place process[] = { { "global\n %s%s\n", process_object } };

static void read_at(const struct setting_place *place, const char *word, const char *value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	read_lines(place->fmt, word, value);
#pragma GCC diagnostic pop
}

static int64_t number_of(const struct setting_place *place, const struct number *n)
{
	return *(const int *)(const void *)((const char *)place->object() + n->at);
}

static void takes(const struct setting_place *place, const struct number *n, int64_t value)
{
	char text[32];
	const char *unit = n->unit == NUMBER ? "" : "ms";

	snprintf(text, sizeof(text), " %lld%s", (long long)value, unit);
	read_at(place, n->word, text);
	assert_null(strstr(said, "error"));
	assert_int_equal(number_of(place, n), value);
}

/* What is said of one line, without its number. */
static const char *behind_line(void)
{
	return said + strspn(said, "0123456789 ");
}

static void refuses(const struct setting_place *place, const struct number *n, int64_t value)
{
	const char *unit = n->unit == NUMBER ? "" : "ms";
	char text[32], expected[256];

	snprintf(text, sizeof(text), " %lld%s", (long long)value, unit);
	read_at(place, n->word, text);
	if (n->unit == NUMBER)
		snprintf(expected, sizeof(expected),
			 "error: '%s' must be a number from %lld to %lld, not '%lld'\n", n->word,
			 (long long)n->least, (long long)n->most, (long long)value);
	else if (value < 0)
		snprintf(expected, sizeof(expected),
			 "error: '%s' must be a time such as 500ms, 30s or 5m, not '%lldms'\n",
			 n->word, (long long)value);
	else if (value < n->least)
		snprintf(expected, sizeof(expected),
			 "error: '%s' must be from %lldms to %lldms, not '%lldms'\n", n->word,
			 (long long)n->least, (long long)n->most, (long long)value);
	else
		snprintf(expected, sizeof(expected),
			 "error: '%s': '%lldms' is more than 2147483647ms (24.8 days)\n", n->word,
			 (long long)value);
	assert_string_equal(behind_line(), expected);
}

static void numbers(const struct number *rows, size_t count, const struct setting_place *places,
		    size_t place_count)
{
	const char *nothing = "";
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < place_count; k++) {
			read_at(&places[k], nothing, nothing);
			assert_int_equal(number_of(&places[k], &rows[i]), rows[i].usual);
			takes(&places[k], &rows[i], rows[i].least);
			takes(&places[k], &rows[i], 77);
			takes(&places[k], &rows[i], rows[i].most);
			refuses(&places[k], &rows[i], rows[i].least - 1);
			refuses(&places[k], &rows[i], rows[i].most + 1);
		}
}

#define NUMBERS(rows, places) numbers(rows, ARRAY_LEN(rows), places, ARRAY_LEN(places))

static void numbers_of_frontends(void **state)
{
	(void)state;
	NUMBERS(of_fronts, fronts);
}

static void numbers_of_backends(void **state)
{
	(void)state;
	NUMBERS(of_backs, backs);
}

static void numbers_of_servers(void **state)
{
	(void)state;
	NUMBERS(of_servers, servers);
	NUMBERS(of_observing, observing);
}

static void numbers_of_the_process(void **state)
{
	(void)state;
	NUMBERS(of_the_process, process);
}

/* Times without a unit: milliseconds, but seconds between probes of TCP. */
static void times_without_a_unit(void **state)
{
	(void)state;
	read_lines("listen p\n timeout client 500\n clitcpka-idle 5\n srvtcpka-intvl 7\n"
		   " server s 192.0.2.1:80 check inter 300 slowstart 3s\n");
	assert_string_equal(said, "");
	assert_int_equal(last_proxy()->set.timeout.client, 500);
	assert_int_equal(last_proxy()->set.clitcpka_idle, 5000);
	assert_int_equal(last_proxy()->set.srvtcpka_intvl, 7000);
	assert_int_equal(last_server()->set.inter, 300);
	assert_int_equal(last_server()->set.slowstart, 3000);
}

/* ---- bits -------------------------------------------------------------------------------- */

struct bit {
	const char *sections, *word; /* of "fb": frontend, backend */
	uint64_t bit;
};

static const struct bit options[] = {
	{ "b", "abortonclose", OPT_ABORTONCLOSE },
	{ "f", "accept-invalid-http-request", OPT_ACCEPT_BAD_REQUEST },
	{ "f", "accept-unsafe-violations-in-http-request", OPT_ACCEPT_BAD_REQUEST },
	{ "b", "accept-invalid-http-response", OPT_ACCEPT_BAD_RESPONSE },
	{ "b", "accept-unsafe-violations-in-http-response", OPT_ACCEPT_BAD_RESPONSE },
	{ "b", "allbackups", OPT_ALLBACKUPS },
	{ "b", "checkcache", OPT_CHECKCACHE },
	{ "f", "clitcpka", OPT_CLITCPKA },
	{ "f", "contstats", OPT_CONTSTATS },
	{ "f", "disable-h2-upgrade", OPT_NO_H2_UPGRADE },
	{ "f", "dontlog-normal", OPT_DONTLOG_NORMAL },
	{ "f", "dontlognull", OPT_DONTLOGNULL },
	{ "f", "h1-case-adjust-bogus-client", OPT_ADJUST_CLIENT },
	{ "b", "h1-case-adjust-bogus-server", OPT_ADJUST_SERVER },
	{ "b", "http-drop-request-trailers", OPT_NO_REQUEST_TRAILERS },
	{ "f", "http-drop-response-trailers", OPT_NO_RESPONSE_TRAILERS },
	{ "fb", "http-buffer-request", OPT_BUFFER_REQUEST },
	{ "f", "http-ignore-probes", OPT_IGNORE_PROBES },
	{ "fb", "http-no-delay", OPT_NO_DELAY },
	{ "b", "http-pretend-keepalive", OPT_PRETEND_KEEPALIVE },
	{ "f", "http-use-proxy-header", OPT_PROXY_HEADER },
	{ "f", "idle-close-on-response", OPT_IDLE_CLOSE },
	{ "b", "prefer-last-server", OPT_PREFER_LAST },
	{ "fb", "independent-streams", OPT_INDEPENDENT },
	{ "fb", "kernel-relay", OPT_KERNEL_RELAY },
	{ "b", "log-health-checks", OPT_LOG_HEALTH_CHECKS },
	{ "f", "log-separate-errors", OPT_LOG_SEPARATE_ERRORS },
	{ "f", "logasap", OPT_LOGASAP },
	{ "fb", "nolinger", OPT_NOLINGER },
	{ "b", "redispatch", OPT_REDISPATCH },
	{ "f", "socket-stats", OPT_SOCKET_STATS },
	{ "fb", "splice-auto", OPT_SPLICE_AUTO },
	{ "fb", "splice-request", OPT_SPLICE_REQUEST },
	{ "fb", "splice-response", OPT_SPLICE_RESPONSE },
	{ "b", "srvtcpka", OPT_SRVTCPKA },
	{ "f", "tcp-smart-accept", OPT_SMART_ACCEPT },
	{ "b", "tcp-smart-connect", OPT_SMART_CONNECT },
	{ "b", "transparent", OPT_TRANSPARENT },
	{ "fb", "http-keep-alive", OPT_KEEP_ALIVE },
	{ "fb", "http-server-close", OPT_SERVER_CLOSE },
	{ "fb", "httpclose", OPT_HTTP_CLOSE },
};

static void option_is(const struct bit *row, uint64_t on, uint64_t given)
{
	const struct options *o = &last_proxy()->set.options;

	assert_string_equal(said, "");
	assert_int_equal(o->on, on ? row->bit : 0);
	assert_int_equal(o->given, given ? row->bit : 0);
}

static void options_of(const char *section, const struct bit *row)
{
	read_lines("%s p\n option %s\n", section, row->word);
	option_is(row, 1, 1);
	read_lines("%s p\n no option %s\n", section, row->word);
	option_is(row, 0, 1);
	read_lines("defaults\n option %s\n%s p\n", row->word, section);
	option_is(row, 1, 1);
	read_lines("defaults\n option %s\n%s p\n no option %s\n", row->word, section, row->word);
	option_is(row, 0, 1);
	read_lines("defaults\n option %s\n%s p\n default option %s\n", row->word, section, row->word);
	option_is(row, 0, 0);
	read_lines("defaults\n no option %s\n%s p\n option %s\n", row->word, section, row->word);
	option_is(row, 1, 1);
}

static void options_are_given_and_taken_back(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_LEN(options); i++) {
		options_of("listen", &options[i]);
		if (strchr(options[i].sections, 'f'))
			options_of("frontend", &options[i]);
		if (strchr(options[i].sections, 'b'))
			options_of("backend", &options[i]);
	}
}

static const struct {
	const char *word, *back; /* which takes it back; NULL: none does */
	uint64_t bit;
} server_bits[] = {
	{ "agent-check", "no-agent-check", SRV_AGENT_CHECK },
	{ "backup", "no-backup", SRV_BACKUP },
	{ "check", "no-check", SRV_CHECK },
	{ "check-send-proxy", "no-check-send-proxy", SRV_CHECK_SEND_PROXY },
	{ "disabled", "enabled", SRV_DISABLED },
	{ "non-stick", "stick", SRV_NON_STICK },
	{ "send-proxy", "no-send-proxy", SRV_SEND_PROXY },
	{ "send-proxy-v2", "no-send-proxy-v2", SRV_SEND_PROXY_V2 },
	{ "check-via-socks4", NULL, SRV_CHECK_SOCKS4 },
	{ "strict-maxconn", NULL, SRV_STRICT },
	{ "tfo", "no-tfo", SRV_TFO },
	{ "on-marked-down shutdown-sessions", NULL, SRV_DOWN_SHUTDOWN_SESSIONS },
	{ "on-marked-up shutdown-backup-sessions", NULL, SRV_UP_SHUTDOWN_BACKUP },
};

static void server_bits_are(uint64_t on, uint64_t given)
{
	assert_null(strstr(said, "error"));
	assert_int_equal(last_server()->set.options.on, on);
	assert_int_equal(last_server()->set.options.given, given);
}

static void bits_of_servers(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < ARRAY_LEN(server_bits); i++) {
		for (k = 0; k < ARRAY_LEN(servers); k++) {
			read_at(&servers[k], server_bits[i].word, "");
			/* one of the places has a "check" of its own */
			server_bits_are(server_bits[i].bit | (k == 4 ? SRV_CHECK : 0),
					server_bits[i].bit | (k == 4 ? SRV_CHECK : 0));
		}
		if (!server_bits[i].back)
			continue;
		read_lines("backend p\n default-server %s\n server s 192.0.2.1:80 %s\n",
			   server_bits[i].word, server_bits[i].back);
		server_bits_are(0, server_bits[i].bit);
		read_lines("backend p\n default-server %s\n server s 192.0.2.1:80 %s\n",
			   server_bits[i].back, server_bits[i].word);
		server_bits_are(server_bits[i].bit, server_bits[i].bit);
	}
}

/* ---- names ------------------------------------------------------------------------------- */

struct named {
	const char *word, *value;
	size_t at;
	int number;
};

#define OBSERVE(field) offsetof(struct observe_conf, field)

static const struct named names_of_observing[] = {
	{ "observe", "none", OBSERVE(layer), OBSERVE_NONE },
	{ "observe", "layer4", OBSERVE(layer), OBSERVE_LAYER4 },
	{ "observe", "layer7", OBSERVE(layer), OBSERVE_LAYER7 },
	{ "on-error", "fastinter", OBSERVE(on_error), ON_ERROR_FASTINTER },
	{ "on-error", "fail-check", OBSERVE(on_error), ON_ERROR_FAIL_CHECK },
	{ "on-error", "sudden-death", OBSERVE(on_error), ON_ERROR_SUDDEN_DEATH },
	{ "on-error", "mark-down", OBSERVE(on_error), ON_ERROR_MARK_DOWN },
};

static const struct named names_of_targets[] = {
	{ "check-proto", "none", offsetof(struct check_target, proto), PROTO_NONE },
	{ "check-proto", "h1", offsetof(struct check_target, proto), PROTO_H1 },
	{ "check-proto", "h2", offsetof(struct check_target, proto), PROTO_H2 },
};

static const struct named names_of_servers[] = {
	{ "hash-key", "id", SET(hash_key), HASH_KEY_ID },
	{ "hash-key", "id32", SET(hash_key), HASH_KEY_ID32 },
	{ "hash-key", "guid", SET(hash_key), HASH_KEY_GUID },
	{ "hash-key", "addr", SET(hash_key), HASH_KEY_ADDR },
	{ "hash-key", "addr-port", SET(hash_key), HASH_KEY_ADDR_PORT },
	{ "init-state", "none", SET(init_state), INIT_STATE_NONE },
	{ "init-state", "fully-up", SET(init_state), INIT_STATE_FULLY_UP },
	{ "init-state", "up", SET(init_state), INIT_STATE_UP },
	{ "init-state", "down", SET(init_state), INIT_STATE_DOWN },
	{ "init-state", "fully-down", SET(init_state), INIT_STATE_FULLY_DOWN },
	{ "proto", "none", SET(proto), PROTO_NONE },
	{ "proto", "h1", SET(proto), PROTO_H1 },
	{ "proto", "h2", SET(proto), PROTO_H2 },
	{ "ws", "auto", SET(ws), PROTO_UNSET },
	{ "ws", "h1", SET(ws), PROTO_H1 },
	{ "ws", "h2", SET(ws), PROTO_H2 },
};

#undef SET
#define SET(field) offsetof(struct proxy, set.field)

static const struct named names_of_backs[] = {
	{ "mode", "tcp", SET(mode), MODE_TCP },
	{ "mode", "http", SET(mode), MODE_HTTP },
	{ "http-reuse", "safe", SET(http_reuse), REUSE_SAFE },
	{ "http-reuse", "never", SET(http_reuse), REUSE_NEVER },
	{ "http-reuse", "aggressive", SET(http_reuse), REUSE_AGGRESSIVE },
	{ "http-reuse", "always", SET(http_reuse), REUSE_ALWAYS },
	{ "added-servers", "forget", SET(keep_added), 0 },
	{ "added-servers", "keep", SET(keep_added), 1 },
	{ "option http-restrict-req-hdr-names", "preserve", SET(restrict_names), NAMES_PRESERVE },
	{ "option http-restrict-req-hdr-names", "delete", SET(restrict_names), NAMES_DELETE },
	{ "option http-restrict-req-hdr-names", "reject", SET(restrict_names), NAMES_REJECT },
};

static void names(const struct named *rows, size_t count, const struct setting_place *places,
		  size_t place_count)
{
	char value[64];
	size_t i, k;

	for (i = 0; i < count; i++)
		for (k = 0; k < place_count; k++) {
			snprintf(value, sizeof(value), " %s", rows[i].value);
			read_at(&places[k], rows[i].word, value);
			assert_null(strstr(said, "error"));
			assert_int_equal(*(int *)(void *)((char *)places[k].object() + rows[i].at),
					 rows[i].number);
		}
}

static void names_are_numbers(void **state)
{
	(void)state;
	names(names_of_servers, ARRAY_LEN(names_of_servers), servers, ARRAY_LEN(servers));
	names(names_of_observing, ARRAY_LEN(names_of_observing), observing, ARRAY_LEN(observing));
	names(names_of_targets, ARRAY_LEN(names_of_targets), targets, ARRAY_LEN(targets));
	names(names_of_backs, ARRAY_LEN(names_of_backs), backs, ARRAY_LEN(backs));
}

#define TEST(f) cmocka_unit_test_teardown(f, cleanup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(numbers_of_frontends), TEST(numbers_of_backends), TEST(numbers_of_servers),
		TEST(numbers_of_the_process), TEST(times_without_a_unit),
		TEST(options_are_given_and_taken_back), TEST(bits_of_servers),
		TEST(names_are_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
