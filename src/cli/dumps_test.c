/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What commands that dump things say, byte for byte: wrong messages with their bytes, descriptors,
 * sessions, what functions took. On a world made by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "event/loop.h"
#include "event/profile.h"
#include "exchange/bad_message.h"
#include "peers/life.h"
#include "peers/section.h"
#include "relay/pipe.h"
#include "stats/test_world.h"
#include "stream/kind.h"
#include "stream/stream.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char said[1 << 16];
static struct world *w;
static struct bad_message request, response;

static int set_up(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	w = world_new();
	list_init(&bad_messages);
	request = (struct bad_message){ .proxy = w->fe, .event = 7, .when = { 1700000000, 12345 },
					.stream = 99, .text = "invalid header", .position = 4 };
	request.src = (struct addr){ .family = AF_INET, .port = 4321 };
	request.src.v4.s_addr = htonl(0x7f000005);
	response = (struct bad_message){ .proxy = w->one, .other = w->fe, .server = w->s1,
					 .response = true, .event = 8,
					 .when = { 1700000060, 999999 }, .stream = 100,
					 .src = request.src };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	list_init(&bad_messages);
	world_free(&w);
	return 0;
}

/* The answer to one line. */
static const char *ask(const char *line)
{
	struct cli *cli = cli_new(LEVEL_ADMIN, CLI_SEVERITY_NONE);
	size_t len = 0, n;

	assert_int_equal(cli_input(cli, line, strlen(line)), strlen(line));
	assert_int_equal(cli_input(cli, "\n", 1), 1);
	while ((n = cli_output(cli, said + len, CLI_OUTPUT_MIN))) {
		len += n;
		assert_true(len + CLI_OUTPUT_MIN < sizeof(said));
	}
	said[len] = 0;
	assert_true(cli_done(cli));
	cli_free(&cli);
	return said;
}

/* ---- show errors ------------------------------------------------------------------------- */

static void put(struct bad_message *bad, const char *bytes, uint32_t len)
{
	bad->bytes = (char *)(uintptr_t)bytes;
	bad->len = len;
	list_append(&bad_messages, &bad->node);
}

/* The answer behind its first line, in which the time stands. */
static const char *errors(const char *line)
{
	const char *answer = ask(line);

	assert_int_equal(strncmp(answer, "Total events captured on [", 26), 0);
	return strchr(answer, '\n') + 1;
}

#define REQUEST                                                                             \
	" \n[14/Nov/2023:22:13:20.012] frontend fe (#3): invalid request\n"                \
	"  backend <NONE> (#-1), server <NONE> (#-1), event #7, src 127.0.0.5:4321\n"      \
	"  session #99, len 3, error at position 4\n"                                      \
	"  invalid header\n  \n  00000  abc\n"
#define RESPONSE                                                                            \
	" \n[14/Nov/2023:22:14:20.999] backend one (#2): invalid response\n"               \
	"  frontend fe (#3), server s1 (#1), event #8, src 127.0.0.5:4321\n"               \
	"  session #100, len 2, error at position 0\n"                                     \
	"  accepted by option accept-invalid-http-*\n  \n  00000  de\n"

static void wrong_messages(void **state)
{
	(void)state;
	w->global_tally.bad_messages = 12;
	assert_string_equal(errors("show errors"), "\n");
	assert_non_null(strstr(said, "] : 12\n"));
	put(&request, "abc", 3);
	put(&response, "de", 2);
	assert_string_equal(errors("show errors"), REQUEST RESPONSE "\n");
	assert_string_equal(errors("show errors request"), REQUEST "\n");
	assert_string_equal(errors("show errors response"), RESPONSE "\n");
	assert_string_equal(errors("show errors -1"), REQUEST RESPONSE "\n");
	/* Whose it is, on either side; by name or number. */
	assert_string_equal(errors("show errors one"), RESPONSE "\n");
	assert_string_equal(errors("show errors 2"), RESPONSE "\n");
	assert_string_equal(errors("show errors fe"), REQUEST RESPONSE "\n");
	assert_string_equal(errors("show errors fe request"), REQUEST "\n");
	assert_string_equal(errors("show errors fe response"), RESPONSE "\n");
	assert_string_equal(errors("show errors be"), "\n");
	assert_string_equal(ask("show errors 99"), "No such proxy.\n\n");
	assert_string_equal(ask("show errors -2"), "No such proxy.\n\n");
}

/* The lines of the bytes alone. */
static const char *lines_of(const char *bytes, uint32_t len)
{
	const char *lines;

	list_init(&bad_messages);
	put(&request, bytes, len);
	lines = strstr(errors("show errors"), "\n  00000 ");
	return lines ? lines + 1 : "";
}

static void bytes_of_wrong_messages(void **state)
{
	(void)state;
	assert_string_equal(lines_of("", 0), "");
	assert_string_equal(lines_of("a\r\nb\n", 5), "  00000  a\\r\\n\n  00003  b\\n\n\n");
	assert_string_equal(lines_of("\t\033\\\0\1\37 ~\177\200\377", 11),
			    "  00000  \\t\\e\\\\\\x00\\x01\\x1F ~\\x7F\\x80\\xFF\n\n");
	/* A line has 70 columns, and a byte is never cut. */
	assert_string_equal(
		lines_of("0123456789012345678901234567890123456789012345678901234567890123456789x",
			 71),
		"  00000  0123456789012345678901234567890123456789012345678901234567890123456789\n"
		"  00070+ x\n\n");
	assert_string_equal(
		lines_of("01234567890123456789012345678901234567890123456789012345678901234567\1x",
			 70),
		"  00000  01234567890123456789012345678901234567890123456789012345678901234567\n"
		"  00068+ \\x01x\n\n");
}

/* ---- show fd ----------------------------------------------------------------------------- */

static struct listener *listener_of(struct proxy *px)
{
	struct bind_conf *bind = list_first(&px->binds, struct bind_conf, node);

	return list_first(&bind->listeners, struct listener, node);
}

static void descriptors(void **state)
{
	static const struct {
		enum listener_state state;
		const char *shown;
	} cases[] = {
		{ LISTENER_NEW, "NEW" },     { LISTENER_READY, "RDY" }, { LISTENER_FULL, "FUL" },
		{ LISTENER_LIMITED, "LIM" }, { LISTENER_PAUSED, "PAU" }, { LISTENER_CLOSED, "CLO" },
	};
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = 0 };
	int fd = socket(AF_INET, SOCK_STREAM, 0), null = open("/dev/null", O_RDONLY);
	socklen_t len = sizeof(sin);
	char line[64], expected[200];
	size_t i;

	(void)state;
	sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_int_equal(bind(fd, (struct sockaddr *)&sin, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sin, &len), 0);
	listener_of(w->one)->src.fd = fd;
	snprintf(line, sizeof(line), "show fd %d", fd);
	for (i = 0; i < ARRAY_LEN(cases); i++) {
		listener_of(w->one)->state = cases[i].state;
		snprintf(expected, sizeof(expected),
			 "%7d : kind=listener l.st=%s fe=one fam=ipv4 lport=%u\n\n", fd,
			 cases[i].shown, ntohs(sin.sin_port));
		assert_string_equal(ask(line), expected);
	}
	snprintf(expected, sizeof(expected), "%7d : kind=other name=/dev/null\n", null);
	assert_non_null(strstr(ask("show fd"), expected));
	snprintf(expected, sizeof(expected), "%7d : kind=listener ", fd);
	assert_non_null(strstr(said, expected));
	snprintf(line, sizeof(line), "show fd %d", null);
	assert_null(strstr(ask(line), "listener"));
	assert_string_equal(ask("show fd -1"), "The number of a descriptor is expected.\n\n");
	close(fd);
	close(null);
}

/* ---- show sess --------------------------------------------------------------------------- */

static const struct step steps[] = { { .name = "first" }, { .name = "second" } };
static const struct stream_kind kind = { .name = "test", .request = steps };
static struct origin origin;
static struct stream stream;
static struct pipe pipe_of_response = { .held = 31 };

/* A stream that has got as far as it can; each number is another one. */
static void begin_stream(void)
{
	static union {
		struct buf buf;
		char room[sizeof(struct buf) + 64];
	} held = { .buf = { .size = 64, .len = 21 } };

	origin = (struct origin){ .frontend = w->fe, .listener = listener_of(w->one),
				  .accepted_ms = clock_now_ms - 61000,
				  .accepted = { 1700000000, 12345 } };
	origin.src = (struct addr){ .family = AF_INET, .port = 4321 };
	origin.src.v4.s_addr = htonl(0x7f000005);
	stream = (struct stream){ .origin = &origin, .kind = &kind, .backend = w->one,
				  .server = w->s1, .id = 0x1f, .failures = 2,
				  .request = { .step = 1 } };
	stream.expires = true;
	stream.expire_ms = clock_now_ms + 5000;
	stream.relay.request = (struct pump){ .buf = &held.buf, .copied = 22, .spliced = 23,
					      .calls = 24, .flags = PUMP_OPEN | PUMP_DATA,
					      .allowed = UINT64_MAX };
	stream.relay.response = (struct pump){ .pipe = &pipe_of_response, .copied = 32, .spliced = 33,
					       .calls = 34, .flags = PUMP_OPEN | PUMP_SPLICING,
					       .mode = PUMP_COPY, .allowed = 35 };
	list_append(&streams_all, &stream.node);
}

static void end_stream(void)
{
	list_remove(&stream.node);
	list_init(&streams_all);
}

static void each_field_of_a_session(void **state)
{
	(void)state;
	begin_stream();
	assert_string_equal(
		ask("show sess"),
		"0x1f: proto=tcpv4 src=127.0.0.5:4321 fe=fe be=one srv=s1 ts=01 age=1m1s calls=58 "
		"rq[way=copy,held=21,copied=22,spliced=23,calls=24] "
		"rp[way=splice,held=31,copied=32,spliced=33,calls=34] s0=[fd=-1] s1=[fd=-1] exp=5s "
		"rc=2\n\n");
	stream.relay.request.flags = 0;
	stream.backend = NULL;
	stream.server = NULL;
	stream.expires = false;
	listener_of(w->one)->addr.family = AF_INET6;
	assert_non_null(strstr(ask("show sess"), "proto=tcpv6 src=127.0.0.5:4321 fe=fe be=<NONE> "
						  "srv=<none> ts=01"));
	assert_non_null(strstr(said, " rq[way=none,"));
	assert_non_null(strstr(said, " exp=<NEVER> rc=2\n"));
	stream.expires = true;
	stream.expire_ms = clock_now_ms - 5000;
	listener_of(w->one)->addr.family = AF_UNIX;
	origin.src.family = AF_UNIX;
	assert_non_null(strstr(ask("show sess"), "proto=unix_stream src=unix:1 fe=fe"));
	assert_non_null(strstr(said, " exp=0s rc=2\n"));
	listener_of(w->one)->addr.family = AF_UNSPEC;
	assert_non_null(strstr(ask("show sess"), "proto=fd "));
	end_stream();
}

static void everything_about_a_session(void **state)
{
	static const char expected[] =
		"0x1f: [14/Nov/2023:22:13:20.012345] id=31 proto=tcpv4 source=127.0.0.5:4321\n"
		"  step=second conn_retries=2 age=1m1s exp=5s\n"
		"  frontend=fe (id=3 mode=tcp), listener=sockone (id=1) addr=127.0.0.1:29080\n"
		"  backend=one (id=2 mode=http)\n"
		"  server=s1 (id=1) addr=127.0.0.1:29001\n"
		"  client=<none>\n"
		"  server=<none>\n"
		"  req: way=copy mode=adaptive flags=open|data\n"
		"      copied=22 spliced=23 calls=24 held=21 buffer=64 pipe=0 forward=all\n"
		"  res: way=splice mode=copy flags=open|splicing\n"
		"      copied=32 spliced=33 calls=34 held=31 buffer=0 pipe=31 forward=35\n\n";

	(void)state;
	begin_stream();
	w->one->set.mode = MODE_HTTP;
	assert_string_equal(ask("show sess all"), expected);
	assert_string_equal(ask("show sess 0x1f"), expected);
	assert_string_equal(ask("show sess 31"), expected);
	assert_string_equal(ask("show sess 0x1e"), "Session not found.\n\n");
	stream.backend = NULL;
	stream.server = NULL;
	listener_of(w->one)->bind->name = NULL;
	stream.relay.response.flags = 0;
	ask("show sess all");
	assert_non_null(strstr(said, "listener=? (id=1) "));
	assert_non_null(strstr(said, "\n  backend=<NONE> (id=-1 mode=-)\n  server=<none> (id=-1)\n"));
	assert_non_null(strstr(said, "\n  res: way=none mode=copy flags=-\n"));
	end_stream();
}

/* The words for bits stand in the order of the bits. */
static void flags_of_a_direction(void **state)
{
	static const char *const names[] = { "open",	 "look",      "eof",	  "finished",
					     "readerr",	 "writeerr",  "nomem",	  "data",
					     "done",	 "splicing",  "pulled",	  "trusted",
					     "unsplice", "stopped" };
	char expected[64];
	size_t i;

	(void)state;
	begin_stream();
	for (i = 0; i < ARRAY_LEN(names); i++) {
		stream.relay.request.flags = (uint16_t)(1u << i);
		snprintf(expected, sizeof(expected), " mode=adaptive flags=%s\n", names[i]);
		assert_non_null(strstr(ask("show sess all"), expected));
	}
	end_stream();
}

/* ---- show profiling ---------------------------------------------------------------------- */

static void once(void)
{
}

static void twice(void)
{
}

/* The rows are those; of each function how often it was called: what it took is the clock's. */
static void took(const char *line, const char *expected)
{
	static const char head[] = "Tasks activity:\n  function                      calls   "
				   "cpu_tot   cpu_avg   lat_tot   lat_avg\n";
	char rows[400] = "", function[100], *at;
	unsigned long calls;
	size_t len = 0;
	int end;

	at = strstr(ask(line), head);
	assert_non_null(at);
	at += sizeof(head) - 1;
	while (sscanf(at, " %99s %lu%n", function, &calls, &end) == 2) {
		len += (size_t)sprintf(rows + len, "%s %lu\n", function, calls);
		at = strchr(at, '\n') + 1;
	}
	assert_string_equal(at, "\n");
	assert_string_equal(rows, expected);
}

static void functions_of_the_loop(void **state)
{
	char all[400], first[200];
	bool in_order = (uintptr_t)once < (uintptr_t)twice;

	(void)state;
	profile_set(PROFILE_ON);
	profile_called(once);
	profile_called(twice);
	profile_called(twice);
	snprintf(first, sizeof(first), "%p %d\n", in_order ? (void *)(uintptr_t)once :
		 (void *)(uintptr_t)twice, in_order ? 1 : 2);
	snprintf(all, sizeof(all), "%s%p %d\n", first, in_order ? (void *)(uintptr_t)twice :
		 (void *)(uintptr_t)once, in_order ? 2 : 1);
	took("show profiling byaddr", all);
	took("show profiling all byaddr", all);
	took("show profiling tasks byaddr", all);
	took("show profiling tasks byaddr 1", first);
	took("show profiling tasks 0", "");
	assert_null(strstr(ask("show profiling status"), "Tasks activity"));
	assert_non_null(strstr(said, "profiling              : on "));
	assert_null(strstr(ask("show profiling tasks"), "set profiling"));
	assert_non_null(strstr(ask("show profiling nonsense"), "Expects either 'all'"));
	assert_non_null(strstr(ask("show profiling 1x"), "Expects either 'all'"));
	profile_set(PROFILE_AUTO);
	assert_non_null(strstr(ask("show profiling"), "profiling              : auto-off "));
	profile_set(PROFILE_OFF);
	assert_non_null(strstr(ask("show profiling"), "profiling              : off "));
}

/* ---- show peers -------------------------------------------------------------------------- */

#define NO_COUNTS                                                                           \
	" confirm=0 tx_hbt=0 rx_hbt=0 no_hbt=0 new_conn=0 proto_err=0 coll=0\n"            \
	"        accepted=0 refused=0 rx_upd=0 tx_upd=0 rx_ack=0 tx_ack=0 "                 \
	"rx_bytes=0 tx_bytes=0 ignored=0\n"
#define TABLES                                                                              \
	"        shared tables:\n"                                                          \
	"        Dictionary cache not dumped (use \"show peers dict\")\n"

/* One of whom nothing is known, one that is called again in a second and a half, and one that has
 * refused the last call. */
static const char members[] =
	" id=p disabled=0 resync=asked resync_timeout=3s teacher=calls\n"
	"  0x8: id=quiet(local,inactive) addr=<NONE> last_status=NONE last_hdshk=<NEVER>\n"
	"        reconnect=<NEVER> heartbeat=<NEVER>" NO_COUNTS TABLES
	"  0x9: id=calls(remote,inactive) addr=<NONE> last_status=CONN last_hdshk=<NEVER>\n"
	"        reconnect=2s heartbeat=<NEVER>" NO_COUNTS TABLES
	"  0xa: id=refuses(remote,inactive) addr=<NONE> last_status=502 last_hdshk=5s\n"
	"        reconnect=<PAST> heartbeat=<NEVER> confirm=0 tx_hbt=2 rx_hbt=1 no_hbt=3 new_conn=4 "
	"proto_err=9 coll=5\n"
	"        accepted=6 refused=7 rx_upd=11 tx_upd=12 rx_ack=13 tx_ack=14 rx_bytes=15 tx_bytes=16 "
	"ignored=8\n"
	"        last=it is gone\n"
	"        shard=1 of 2\n" TABLES;

static void never_fires(struct timer *timer)
{
	(void)timer;
}

static void members_of_a_section(void **state)
{
	struct section_life life = { .resync = RESYNC_ASKED };
	struct peers_section p = { .name = "p", .loc.line = 7, .life = &life, .shards = 2 };
	struct peer quiet = { .section = &p, .name = "quiet", .loc.line = 8, .local = true };
	struct peer calls = { .section = &p, .name = "calls", .loc.line = 9 };
	struct peer refuses = { .section = &p, .name = "refuses", .loc.line = 10, .shard = 1 };
	struct peer_life called = { .peer = &calls, .tried_ms = 1 };
	struct peer_life refused = {
		.peer = &refuses, .tried_ms = 1, .hello_ms = clock_now_ms - 5999, .refused = true,
		.status = 502, .why = "it is gone", .silences = 3, .calls = 4, .collisions = 5,
		.accepted = 6, .refusals = 7,
		.before = { .ignored = 8, .errors = 9, .beats_in = 1, .beats_out = 2, .updates_in = 11,
			    .updates_out = 12, .acks_in = 13, .acks_out = 14, .bytes_in = 15,
			    .bytes_out = 16 },
	};
	struct peers_conf conf = { .local_name = "quiet" };
	const struct peers_conf *kept = peers_running;

	(void)state;
	list_init(&conf.sections);
	list_init(&p.peers);
	list_append(&conf.sections, &p.node);
	list_append(&p.peers, &quiet.node);
	list_append(&p.peers, &calls.node);
	list_append(&p.peers, &refuses.node);
	calls.life = life.teacher = &called;
	refuses.life = &refused;
	life.resync_timer.when = clock_now_ms + 3000;
	timer_init(&called.timer, never_fires);
	timer_set(&called.timer, clock_now_ms + 1001);
	timer_init(&refused.timer, never_fires);
	timer_set(&refused.timer, clock_now_ms);
	peers_running = &conf;
	assert_string_equal(ask("show peers nosuch"), "No such peers\n\n");
	assert_int_equal(strncmp(ask("show peers"), "0x7: [", 6), 0);
	assert_int_equal(strncmp(strchr(said, ']') + 1, members, strlen(members)), 0);
	assert_string_equal(strchr(said, ']') + 1 + strlen(members), "\n");
	timer_cancel(&called.timer);
	timer_cancel(&refused.timer);
	peers_running = kept;
}

#define test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(wrong_messages), test(bytes_of_wrong_messages), test(descriptors),
		test(each_field_of_a_session), test(everything_about_a_session),
		test(flags_of_a_direction), test(functions_of_the_loop),
		test(members_of_a_section),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
