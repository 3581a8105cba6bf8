/* SPDX-License-Identifier: BSD-2-Clause */
/* What the words of "log" and of rings make of targets and rings, member by member, what they
 * refuse, and where they point. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "config/diag.h"
#include "config/load.h"
#include "log/log_conf.h"
#include "log/profile.h"
#include "log/ring.h"
#include "log/ring_server.h"
#include "log/test_world.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct log_data *data(void)
{
	return config_data(cfg, &log_module);
}

static void loads(const char *text)
{
	if (!load(text))
		return;
	diag_print(cfg->diag, stderr, false, 0, DIAG_NOTE);
	fail();
}

/* The n-th target, from 0. */
static struct log_target *target(int n)
{
	struct log_target *t;

	list_for_each(t, &data()->targets, node)
		if (!n--)
			return t;
	fail_msg("there are not so many targets");
	return NULL;
}

static void is_ip(int n, enum log_target_kind kind, sa_family_t family, unsigned port)
{
	struct log_target *t = target(n);

	assert_int_equal(t->kind, kind);
	assert_int_equal(t->addr.family, family);
	assert_int_equal(t->addr.port, port);
	assert_int_equal(t->fd, -1);
}

static void addresses(void **state)
{
	(void)state;
	loads("global\n log 127.0.0.1 local0\n log [::1]:515 user\n log ::1:514 user\n"
			      " log ipv4@127.0.0.1 kern\n log udp@127.0.0.1 daemon\n"
			      " log udp4@127.0.0.1:1 mail\n log udp6@[::1] mail\n"
			      " log tcp4@127.0.0.1:2 mail\n log tcp6@::1:3 mail\n"
			      " log tcp@127.0.0.1:4 daemon\n log *:5 news\n");
	is_ip(0, LOG_TO_DATAGRAM, AF_INET, 514);
	is_ip(1, LOG_TO_DATAGRAM, AF_INET6, 515);
	is_ip(2, LOG_TO_DATAGRAM, AF_INET6, 514);
	is_ip(3, LOG_TO_DATAGRAM, AF_INET, 514);
	is_ip(4, LOG_TO_DATAGRAM, AF_INET, 514);
	is_ip(5, LOG_TO_DATAGRAM, AF_INET, 1);
	is_ip(6, LOG_TO_DATAGRAM, AF_INET6, 514);
	is_ip(7, LOG_TO_RING, AF_INET, 2);
	is_ip(8, LOG_TO_RING, AF_INET6, 3);
	is_ip(9, LOG_TO_RING, AF_INET, 4);
	is_ip(10, LOG_TO_DATAGRAM, AF_INET, 5);
	assert_string_equal(target(1)->name, "[::1]:515");
	assert_string_equal(target(9)->ring->name, "tcp@127.0.0.1:4");
	assert_true(target(9)->ring->implicit);
	assert_int_equal(target(9)->ring->loc.line, 11);
	assert_int_equal(target(3)->loc.line, 5);
	config_free(&cfg);
}

static void paths(void **state)
{
	(void)state;
	loads("global\n log /dev/log local7\n log uxdg@/tmp/a local7\n"
			      " log unix@/tmp/b local7\n log uxst@/tmp/c local7\n"
			      " log abns@d local7\n");
	for (int i = 0; i < 5; i++)
		is_ip(i, i == 3 ? LOG_TO_RING : LOG_TO_DATAGRAM, AF_UNIX, 0);
	assert_string_equal(target(0)->addr.path, "/dev/log");
	assert_string_equal(target(1)->addr.path, "/tmp/a");
	assert_string_equal(target(2)->addr.path, "/tmp/b");
	assert_string_equal(target(3)->addr.path, "/tmp/c");
	config_free(&cfg);
}

static void is_fd(int n, int fd)
{
	struct log_target *t = target(n);

	assert_int_equal(t->kind, LOG_TO_FD);
	assert_int_equal(t->addr.family, AF_FD);
	assert_int_equal(t->addr.fd, fd);
	assert_int_equal(log_target_is_standard(t), fd <= 2);
}

static void descriptors(void **state)
{
	(void)state;
	loads("global\n log stdout daemon\n log stderr daemon\n log fd@0 daemon\n"
			      " log fd@3 daemon\n log fd@65535 daemon\n");
	is_fd(0, 1);
	is_fd(1, 2);
	is_fd(2, 0);
	is_fd(3, 3);
	is_fd(4, 65535);
	config_free(&cfg);
}

/* What a line says of the messages, and what holds where it says nothing. */
static void is_line(int n, enum log_format format, unsigned len, unsigned facility, unsigned max,
		    unsigned min)
{
	struct log_target *t = target(n);

	assert_int_equal(t->format, format);
	assert_int_equal(t->max_len, len);
	assert_int_equal(t->facility, facility);
	assert_int_equal(t->max_level, max);
	assert_int_equal(t->min_level, min);
}

static void words_behind_the_address(void **state)
{
	(void)state;
	loads("global\n log 127.0.0.1 kern\n log 127.0.0.1 len 80 user alert\n"
			      " log 127.0.0.1 format raw len 65535 local7 notice crit\n"
			      " log 127.0.0.1 format rfc5424 sample 1,3-4:5 format iso auth debug emerg\n");
	is_line(0, LOG_FMT_LOCAL, 1024, 0, LOG_L_DEBUG, LOG_L_EMERG);
	is_line(1, LOG_FMT_LOCAL, 80, 1, LOG_L_ALERT, LOG_L_EMERG);
	is_line(2, LOG_FMT_RAW, 65535, 23, LOG_L_NOTICE, LOG_L_CRIT);
	is_line(3, LOG_FMT_ISO, 1024, 4, LOG_L_DEBUG, LOG_L_EMERG);
	assert_int_equal(target(0)->sample.period, 0);
	assert_int_equal(target(3)->sample.period, 5);
	assert_int_equal(target(3)->sample.count, 2);
	assert_int_equal(target(3)->sample.range[0].low, 1);
	assert_int_equal(target(3)->sample.range[0].high, 1);
	assert_int_equal(target(3)->sample.range[1].low, 3);
	assert_int_equal(target(3)->sample.range[1].high, 4);
	config_free(&cfg);
}

/* With a host name lines have it, unless they say their format. */
static void host_names(void **state)
{
	char name[HOST_NAME_MAX + 1] = "";

	(void)state;
	loads("global\n log-send-hostname\n log 127.0.0.1 kern\n"
			      " log 127.0.0.1 format local kern\n");
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(data()->hostname, name);
	is_line(0, LOG_FMT_RFC3164, 1024, 0, LOG_L_DEBUG, LOG_L_EMERG);
	is_line(1, LOG_FMT_LOCAL, 1024, 0, LOG_L_DEBUG, LOG_L_EMERG);
	config_free(&cfg);
	loads("global\n log-send-hostname a.b\n log-send-hostname c.d\n");
	assert_string_equal(data()->hostname, "a.b");
	config_free(&cfg);
	loads("global\n log 127.0.0.1 kern\n");
	assert_null(data()->hostname);
	config_free(&cfg);
}

static void load_ranges(const char *ranges, int result)
{
	char text[1024];

	snprintf(text, sizeof(text), "global\n log 127.0.0.1 sample %s local0\n", ranges);
	assert_int_equal(load(text), result);
}

/* The largest number, and 32 ranges, but no more; ranges may touch, in any order. */
static void limits_of_samples(void **state)
{
	char text[300] = "";

	(void)state;
	load_ranges("2147483647:2147483647", 0);
	assert_int_equal(target(0)->sample.period, INT_MAX);
	config_free(&cfg);
	load_ranges("1:2147483648", -1);
	config_free(&cfg);
	load_ranges("5,3-4,1-2:5", 0);
	assert_int_equal(target(0)->sample.count, 3);
	config_free(&cfg);
	load_ranges("1-3,3:5", -1);
	config_free(&cfg);
	load_ranges("3,1-3:5", -1);
	config_free(&cfg);
	load_ranges("3-3:3", 0);
	config_free(&cfg);
	for (int i = 1; i <= 32; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%d", i > 1 ? "," : "", i);
	strcat(text, ":40");
	load_ranges(text, 0);
	assert_int_equal(target(0)->sample.count, 32);
	config_free(&cfg);
	strcpy(strchr(text, ':'), ",33:40");
	load_ranges(text, -1);
	config_free(&cfg);
}

/* -- who goes on where ----------------------------------------------------------------------- */

/* A proxy, as it were, that has lines of its own or those of another. */
struct holder {
	struct log_conf *conf;
};

static const struct keyword holder_keyword = { .name = "log", .offset = offsetof(struct holder, conf) };

/* Its line, as "log ..." in a section that is not global. 0, or -1. */
static int line_of(struct holder *holder, keyword_parse *parse, const char *words[], bool no)
{
	struct word given[8] = { { 0 } };
	struct statement st = { .cfg = cfg, .words = given, .no = no, .at = 1 };

	given[0].text = "log";
	for (st.count = 1; *words; words++)
		given[st.count++].text = (char *)*words;
	st.loc = (struct location){ .file = "test", .line = 77 };
	return parse(&st, &holder_keyword, holder);
}

static void adds(struct holder *holder, const char *address)
{
	assert_int_equal(line_of(holder, log_parse_proxy,
				 (const char *[]){ address, "local0", NULL }, false), 0);
}

static void adds_global(struct holder *holder)
{
	assert_int_equal(line_of(holder, log_parse_proxy, (const char *[]){ "global", NULL }, false),
			 0);
}

static void tags(struct holder *holder, const char *tag)
{
	assert_int_equal(line_of(holder, log_parse_proxy_tag, (const char *[]){ tag, NULL }, false),
			 0);
}

/* Lines are added to the copy of who says something; targets are those of the one before. */
static void lines_are_inherited_until_changed(void **state)
{
	struct holder above = { NULL }, below, third;

	(void)state;
	loads("global\n log 127.0.0.1 local0\n");
	adds(&above, "127.0.0.1:1");
	adds(&above, "127.0.0.1:2");
	below = third = above;
	adds(&below, "127.0.0.1:3");
	tags(&below, "below");
	assert_int_equal(above.conf->count, 2);
	assert_null(above.conf->tag);
	assert_ptr_equal(third.conf, above.conf);
	assert_int_equal(below.conf->count, 3);
	assert_string_equal(below.conf->tag, "below");
	assert_ptr_equal(below.conf->owner, &below);
	assert_ptr_equal(below.conf->targets[0], above.conf->targets[0]);
	assert_ptr_equal(below.conf->targets[1], above.conf->targets[1]);
	assert_int_equal(below.conf->targets[2]->addr.port, 3);
	assert_int_equal(line_of(&third, log_parse_proxy, (const char *[]){ NULL }, true), 0);
	assert_int_equal(third.conf->count, 0);
	assert_int_equal(above.conf->count, 2);
	assert_int_equal(target(3)->addr.port, 3); /* all are opened at start */
	assert_int_equal(target(3)->loc.line, 77);
	config_free(&cfg);
}

/* "log global" stands once; it leads to lines if the global section has one. */
static void global_lines(void **state)
{
	struct holder holder = { NULL }, none = { NULL };

	(void)state;
	loads("global\n log 127.0.0.1 local0\n");
	adds_global(&holder);
	adds_global(&holder);
	assert_int_equal(holder.conf->count, 1);
	assert_int_equal(holder.conf->targets[0]->kind, LOG_TO_GLOBAL);
	assert_true(log_has_targets(holder.conf, cfg));
	assert_int_equal(data()->wanted.line, 77);
	assert_false(log_has_targets(none.conf, cfg));
	config_free(&cfg);
	loads("global\n");
	holder.conf = NULL;
	adds_global(&holder);
	assert_false(log_has_targets(holder.conf, cfg));
	adds(&holder, "127.0.0.1");
	assert_true(log_has_targets(holder.conf, cfg));
	config_free(&cfg);
}

/* How many notes there are once all has been read. */
static unsigned notes(void)
{
	cfg->diag->verbose = true;
	assert_int_equal(log_module.finish(cfg, data()), 0);
	return cfg->diag->count[DIAG_NOTE];
}

/* "log global" that leads nowhere is worth a note; whoever does not say it, or has lines, gets none. */
static void global_lines_that_lead_nowhere(void **state)
{
	struct holder holder = { NULL };

	(void)state;
	loads("global\n");
	assert_int_equal(notes(), 0);
	adds_global(&holder);
	assert_int_equal(notes(), 1);
	assert_string_equal(cfg->diag->first->message,
			    "'log global' leads nowhere: section 'global' has no line 'log'");
	assert_int_equal(cfg->diag->first->place.line, 77);
	config_free(&cfg);
	holder.conf = NULL;
	loads("global\n log 127.0.0.1 local0\n");
	assert_int_equal(notes(), 0);
	adds_global(&holder);
	assert_int_equal(notes(), 0);
	config_free(&cfg);
}

/* -- rings ----------------------------------------------------------------------------------- */

static struct ring *ring(const char *name)
{
	struct ring *found = ring_of_name(data(), name);

	assert_non_null(found);
	return found;
}

static void words_of_rings(void **state)
{
	struct ring_server *s;

	(void)state;
	loads("ring a\nring b\n description \"of b\"\n format iso\n maxlen 1200\n"
			      " size 2k\n timeout connect 3s\n timeout server 4s\n"
			      " server s1 127.0.0.1:5 log-proto octet-count\n"
			      " server s2 /tmp/s log-proto legacy\n server s3 127.0.0.1:6\n");
	assert_string_equal(ring("a")->description, "a");
	assert_int_equal(ring("a")->format, LOG_FMT_RAW);
	assert_int_equal(ring("a")->size, 16384);
	assert_int_equal(ring("a")->max_len, 0);
	assert_false(ring("a")->implicit);
	assert_int_equal(ring("b")->loc.line, 2);
	assert_string_equal(ring("b")->description, "of b");
	assert_int_equal(ring("b")->format, LOG_FMT_ISO);
	assert_int_equal(ring("b")->max_len, 1200);
	assert_int_equal(ring("b")->size, 2048);
	assert_int_equal(ring("b")->connect_ms, 3000);
	assert_int_equal(ring("b")->server_ms, 4000);
	s = list_first(&ring("b")->servers, struct ring_server, reader.node);
	assert_string_equal(s->name, "s1");
	assert_true(s->octet_count);
	assert_int_equal(s->addr.port, 5);
	assert_int_equal(s->loc.line, 9);
	assert_ptr_equal(s->ring, ring("b"));
	assert_int_equal(s->src.fd, -1);
	s = list_entry(s->reader.node.next, struct ring_server, reader.node);
	assert_string_equal(s->name, "s2");
	assert_string_equal(s->addr.path, "/tmp/s");
	assert_false(s->octet_count);
	s = list_entry(s->reader.node.next, struct ring_server, reader.node);
	assert_false(s->octet_count);
	assert_int_equal(s->addr.port, 6);
	config_free(&cfg);
}

/* Lines to the same address share a ring, which has one server. */
static void rings_of_addresses(void **state)
{
	struct ring *r;

	(void)state;
	loads("global\n log tcp@127.0.0.1:1 local0\n log tcp@127.0.0.1:1 local1\n"
			      " log tcp@127.0.0.1:2 local1\n");
	r = ring("tcp@127.0.0.1:1");
	assert_ptr_equal(target(0)->ring, r);
	assert_ptr_equal(target(1)->ring, r);
	assert_ptr_equal(target(2)->ring, ring("tcp@127.0.0.1:2"));
	assert_ptr_equal(r->servers.next, r->servers.prev);
	assert_int_equal(list_first(&r->servers, struct ring_server, reader.node)->addr.port, 1);
	assert_int_equal(target(0)->format, LOG_FMT_LOCAL);
	config_free(&cfg);
}

/* A line to a ring has the format of the ring, and no more bytes than the ring keeps. */
static void lines_to_rings(void **state)
{
	(void)state;
	loads("global\n log ring@r format rfc5424 local0\n log ring@r len 90 local0\n"
			      " log ring@q len 3000 local0\nring r\n format short\n maxlen 100\nring q\n");
	is_line(0, LOG_FMT_SHORT, 100, 16, LOG_L_DEBUG, LOG_L_EMERG);
	is_line(1, LOG_FMT_SHORT, 90, 16, LOG_L_DEBUG, LOG_L_EMERG);
	is_line(2, LOG_FMT_RAW, 3000, 16, LOG_L_DEBUG, LOG_L_EMERG);
	assert_ptr_equal(target(0)->ring, ring("r"));
	config_free(&cfg);
}

/* Four bytes of the ring are a message's length. */
static void messages_fit_into_their_ring(void **state)
{
	(void)state;
	loads("ring r\n size 1024\n maxlen 1020\n");
	assert_int_equal(cfg->diag->count[DIAG_WARNING], 0);
	assert_int_equal(ring("r")->max_len, 1020);
	config_free(&cfg);
	loads("ring r\n size 1024\n maxlen 1021\n");
	assert_int_equal(cfg->diag->count[DIAG_WARNING], 1);
	assert_int_equal(cfg->diag->first->place.line, 1);
	assert_int_equal(ring("r")->max_len, 1020);
	config_free(&cfg);
}

/* -- what is said ---------------------------------------------------------------------------- */

/* What was read was refused with this sentence, at this line and column; hint NULL: any. */
static void was_refused(const char *message, unsigned line, unsigned column, const char *hint)
{
	const struct problem *p;

	for (p = cfg->diag->first; p && p->severity != DIAG_ERROR; p = p->next)
		;
	assert_non_null(p);
	assert_string_equal(p->message, message);
	if (p->place.column != column)
		fail_msg("column %u of %u: %s", p->place.column, p->place.line, message);
	assert_int_equal(p->place.line, line);
	assert_int_equal(p->place.column, column);
	if (hint) {
		assert_non_null(p->hint);
		assert_non_null(strstr(p->hint, hint));
	}
	config_free(&cfg);
}

static void refused(const char *text, const char *message, unsigned line, unsigned column,
		    const char *hint)
{
	assert_int_equal(load(text), -1);
	was_refused(message, line, column, hint);
}

/* A facility alone may be meant as one, whatever it is as an address. */
static void a_line_without_address(void **state)
{
	(void)state;
	assert_int_equal(check("global\n log local0\n"), -1);
	was_refused("log facility expected here", 2, 13,
		    "the address stands in front of it, as in 'log 127.0.0.1 local0'");
	assert_int_equal(check("global\n log local9\n"), -1);
	was_refused("log facility expected here", 2, 13, NULL);
}

static void refusals_point_at_their_word(void **state)
{
	(void)state;
	refused("global\n log 127.0.0.1 locl0\n", "unknown log facility 'locl0'", 2, 16, "local0");
	refused("global\n log 127.0.0.1 local0 eror\n", "unknown log level 'eror'", 2, 23, NULL);
	refused("global\n log 127.0.0.1 local0 err nix\n", "unknown minimum log level 'nix'", 2, 27,
		NULL);
	refused("global\n log 127.0.0.1 sample 1: local0\n",
		"the size of the sample must be a number from 1 on", 2, 23, NULL);
	refused("global\n log global\n",
		"'log global' belongs into proxies: the global section needs an address", 2, 6, NULL);
	refused("global\n log fd@65536 daemon\n", "a descriptor must be a number from 0 to 65535", 2,
		6, NULL);
	refused("global\n log-tag \"\"\n", "the tag must not be empty", 2, 10, NULL);
	refused("global\n log ring@eventz daemon\nring events\n", "log ring@eventz: there is no ring 'eventz'", 2, 11,
		"events");
	refused("ring a\nring a\n", "ring 'a' exists already, since test:1", 2, 6, NULL);
	refused("ring\n", "name of the ring expected here", 1, 6, NULL);
	refused("ring r\n server\n", "name of the server expected here", 2, 9, NULL);
	refused("ring r\n server s\n", "address of the server expected here", 2, 11, NULL);
	refused("ring r\n server s 127.0.0.1:1 weight 3\n", "'weight' is not supported yet for a "
		"ring's server: only log-proto is", 2, 23, NULL);
	refused("ring r\n server s 127.0.0.1:1 log-proto x\n", "'legacy' or 'octet-count' expected",
		2, 33, NULL);
}

static void addresses_that_are_none(void **state)
{
	static const char *const lines[] = {
		"global\n log 127.0.0.1:70000 local0\n", "global\n log tcp@127.0.0.1 local0\n",
		"global\n log udp4@::1 local0\n", "global\n log tcp@*:1 local0\n",
		"global\n log tcp6@127.0.0.1:1 local0\n", "ring r\n server s 127.0.0.1\n",
		"ring r\n server s *:1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (!load(lines[i]))
			fail_msg("taken: %s", lines[i]);
		assert_int_equal(cfg->diag->first->place.line, 2);
		config_free(&cfg);
	}
}

/* Names that nobody knows here are no reason to refuse a file that is only checked. */
static void names_that_are_not_known(void **state)
{
	(void)state;
	assert_int_equal(load("global\n log name.invalid local0\n"), -1);
	config_free(&cfg);
	assert_int_equal(load("ring r\n server s name.invalid:1\n"), -1);
	config_free(&cfg);
	assert_int_equal(check("global\n log name.invalid local0\nring r\n"
			       " server s other.invalid:1\n"), 0);
	assert_int_equal(cfg->diag->count[DIAG_WARNING], 2);
	config_free(&cfg);
}

/* -- sinks, profiles ------------------------------------------------------------------------- */

static void sinks(void **state)
{
	struct location loc = { .file = "sinks", .line = 5 };
	struct err err = { "" };
	struct log_target *t;

	(void)state;
	loads("ring r\n format short\n");
	assert_null(log_sink(cfg, &loc, "nosuch", &err));
	assert_non_null(strstr(err.text, "there is no 'nosuch'"));
	t = log_sink(cfg, &loc, "stdout", &err);
	assert_int_equal(t->addr.fd, 1);
	assert_int_equal(t->kind, LOG_TO_FD);
	assert_int_equal(t->format, LOG_FMT_RAW);
	assert_int_equal(t->max_len, LOG_SINK_LEN);
	assert_int_equal(t->loc.line, 5);
	assert_ptr_equal(target(0), t);
	assert_int_equal(log_sink(cfg, &loc, "stderr", &err)->addr.fd, 2);
	t = log_sink(cfg, &loc, "r", &err);
	assert_int_equal(t->kind, LOG_TO_RING);
	assert_ptr_equal(t->ring, ring("r"));
	assert_int_equal(t->format, LOG_FMT_SHORT);
	t = log_sink(cfg, &loc, "buf0", &err);
	assert_string_equal(ring("buf0")->description, "in-memory ring buffer");
	assert_int_equal(ring("buf0")->loc.line, 5);
	assert_int_equal(t->format, LOG_FMT_TIMED);
	assert_ptr_equal(log_sink(cfg, &loc, "buf0", &err)->ring, t->ring);
	config_free(&cfg);
}

/* A step that was killed is one with an error; what is not said of a step holds for any. */
static void forms_of_profiles(void **state)
{
	struct log_profile p = { .form[LOG_STEP_ERROR].set = true, .form[LOG_STEP_CLOSE].set = true };

	(void)state;
	assert_null(log_profile_form(NULL, LOG_STEP_CLOSE));
	assert_ptr_equal(log_profile_form(&p, LOG_STEP_CLOSE), &p.form[LOG_STEP_CLOSE]);
	assert_ptr_equal(log_profile_form(&p, LOG_STEP_KILLED), &p.form[LOG_STEP_ERROR]);
	assert_null(log_profile_form(&p, LOG_STEP_ACCEPT));
	p.any.set = true;
	assert_ptr_equal(log_profile_form(&p, LOG_STEP_ACCEPT), &p.any);
	assert_ptr_equal(log_profile_form(&p, LOG_STEP_CLOSE), &p.form[LOG_STEP_CLOSE]);
	assert_int_equal(log_step_find("accept"), LOG_STEP_ACCEPT);
	assert_int_equal(log_step_find("http-after-res"), LOG_STEP_HTTP_AFTER_RES);
	assert_int_equal(log_step_find("nosuch"), LOG_STEP_NONE);
}

static void profiles_that_are_missing(void **state)
{
	(void)state;
	refused("global\n log 127.0.0.1 profile p local0\n", "there is no log-profile 'p'", 2, 0,
		NULL);
	refused("global\n log 127.0.0.1 profile\n", "name of a log-profile expected here", 2, 24,
		NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses),
		cmocka_unit_test(paths),
		cmocka_unit_test(descriptors),
		cmocka_unit_test(words_behind_the_address),
		cmocka_unit_test(host_names),
		cmocka_unit_test(limits_of_samples),
		cmocka_unit_test(lines_are_inherited_until_changed),
		cmocka_unit_test(global_lines),
		cmocka_unit_test(global_lines_that_lead_nowhere),
		cmocka_unit_test(words_of_rings),
		cmocka_unit_test(rings_of_addresses),
		cmocka_unit_test(lines_to_rings),
		cmocka_unit_test(messages_fit_into_their_ring),
		cmocka_unit_test(a_line_without_address),
		cmocka_unit_test(refusals_point_at_their_word),
		cmocka_unit_test(addresses_that_are_none),
		cmocka_unit_test(names_that_are_not_known),
		cmocka_unit_test(sinks),
		cmocka_unit_test(forms_of_profiles),
		cmocka_unit_test(profiles_that_are_missing),
	};

	return cmocka_run_group_tests(tests, log_world, NULL);
}
