/* SPDX-License-Identifier: BSD-2-Clause */
/* Listening on abstract Unix sockets: opened, paused, resumed, shut down, waited for, and the soft
 * stop, which ends with the last session. The clock stands still but for what a test lets pass. */
#include "session/listening.h"

#include "base/err.h"
#include "exchange/test_served.h"
#include "exchange/test_world.h"
#include "net/listener.h"
#include "proxy/global.h"
#include "proxy/proxy.h"
#include "session/session.h"
#include "stream/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
/* cmocka wants the four above */
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static char name[60];
static struct proxy *front;
static struct err err;
static int fd = -1, holder = -1;
static unsigned attempts, finished;

static struct sockaddr_un address(void)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	memcpy(un.sun_path + 1, name, strlen(name));
	return un;
}

/* 0, or the error of the system. */
static int reach(void)
{
	struct sockaddr_un un = address();
	int rc;

	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	rc = connect(fd, (struct sockaddr *)&un, sizeof(un)) ? errno : 0;
	turns(QUIET);
	return rc;
}

static void leave(void)
{
	close(fd);
	fd = -1;
	turns(QUIET);
}

static void is_reached(bool expected)
{
	assert_int_equal(reach(), expected ? 0 : ECONNREFUSED);
	leave();
}

static bool is_closed(void)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 0;
}

static int begin(void **state)
{
	(void)state;
	sprintf(name, "%s-front", served_world_begin(
		"defaults\n mode tcp\n timeout connect 5s\n timeout client 60s\n"
		" timeout server 60s\n"
		"frontend f\n bind abns@%s-front\n default_backend b\n"
		"backend b\n server s abns@%s\n"));
	front = world_frontend("f");
	front->state->maxconn = global_state->maxconn = 1000;
	served.says = "";
	attempts = finished = 0;
	return 0;
}

static int end(void **state)
{
	listening_make_room = NULL;
	listening_each(listener_close);
	global_state->stopping = false;
	served_world_end(state);
	streams_few_left = NULL;
	return 0;
}

static void listen_now(void)
{
	assert_int_equal(listening_module.prepare(world_config(), NULL, &err), 0);
	assert_int_equal(front->run_state, PROXY_READY);
	assert_int_equal(listening_module.start(world_config(), NULL, &err), 0);
}

static void it_accepts(void **state)
{
	(void)state;
	listen_now();
	assert_int_equal(reach(), 0);
	assert_int_equal(front->fe->current, 1);
	assert_int_equal(streams_count, 1);
	leave();
	assert_int_equal(front->fe->current, 0);
}

static void it_is_paused_and_resumed(void **state)
{
	(void)state;
	listen_now();
	assert_int_equal(listening_resume_proxy(front, &err), -1);
	assert_string_equal(err.text, "Frontend is not paused.");
	assert_int_equal(listening_pause_proxy(front, &err), 0);
	assert_int_equal(front->run_state, PROXY_PAUSED);
	is_reached(false);
	assert_int_equal(listening_pause_proxy(front, &err), -1);
	assert_string_equal(err.text, "Frontend is already stopped or paused.");
	assert_int_equal(listening_resume_proxy(front, &err), 0);
	assert_int_equal(front->run_state, PROXY_READY);
	is_reached(true);
	listening_pause();
	assert_int_equal(front->run_state, PROXY_PAUSED);
	is_reached(false);
	listening_resume();
	assert_int_equal(front->run_state, PROXY_READY);
	is_reached(true);
}

static int hold(void)
{
	struct sockaddr_un un = address();

	holder = socket(AF_UNIX, SOCK_STREAM, 0);
	return bind(holder, (struct sockaddr *)&un, sizeof(un));
}

static void another_has_the_address(void **state)
{
	(void)state;
	listen_now();
	assert_int_equal(listening_pause_proxy(front, &err), 0);
	assert_int_equal(hold(), 0);
	assert_int_equal(listening_resume_proxy(front, &err), -1);
	assert_non_null(strstr(err.text, "Failed to resume frontend f (Address already in use)"));
	assert_int_equal(front->run_state, PROXY_PAUSED);
	close(holder);
	assert_int_equal(listening_resume_proxy(front, &err), 0);
	is_reached(true);
}

static void it_is_shut_down(void **state)
{
	(void)state;
	listen_now();
	assert_int_equal(listening_stop_proxy(front, &err), 0);
	assert_int_equal(front->run_state, PROXY_STOPPED);
	is_reached(false);
	assert_int_equal(listening_stop_proxy(front, &err), -1);
	assert_string_equal(err.text, "Frontend was already shut down.");
}

/* ---- addresses that are in use ---------------------------------------------------------------- */

/* Fails; how often is it said on stderr that the address cannot be had? */
static unsigned complaints(void)
{
	int to = memfd_create("stderr", 0), was = dup(2);
	const char *at_text;
	unsigned times = 0;
	char text[2000];
	ssize_t len;

	assert_int_equal(dup2(to, 2), 2);
	assert_int_equal(listening_module.prepare(world_config(), NULL, &err), -1);
	assert_int_equal(dup2(was, 2), 2);
	len = pread(to, text, sizeof(text) - 1, 0);
	assert_true(len >= 0);
	text[len] = 0;
	for (at_text = text; (at_text = strstr(at_text, "cannot listen on")); at_text++)
		times++;
	close(to);
	close(was);
	return times;
}

static void it_fails(void **state)
{
	(void)state;
	assert_int_equal(hold(), 0);
	assert_int_equal(complaints(), 1);
	assert_string_equal(err.text,
			    "nothing was started, because an address could not be listened on");
	close(holder);
}

/* At the third attempt it is free. */
static bool makes_room(unsigned n)
{
	assert_int_equal(n, attempts++);
	if (n == 2)
		close(holder);
	return true;
}

static void room_is_made(void **state)
{
	(void)state;
	assert_int_equal(hold(), 0);
	listening_make_room = makes_room;
	listen_now();
	assert_int_equal(attempts, 3);
	is_reached(true);
}

static bool gives_up(unsigned n)
{
	attempts++;
	return n < 1;
}

static void no_room_can_be_made(void **state)
{
	(void)state;
	assert_int_equal(hold(), 0);
	listening_make_room = gives_up;
	assert_int_equal(complaints(), 1);
	assert_int_equal(attempts, 2);
	close(holder);
}

/* ---- the soft stop ---------------------------------------------------------------------------- */

static void done(void)
{
	finished++;
}

static void it_ends_with_the_last_session(void **state)
{
	(void)state;
	listen_now();
	assert_int_equal(reach(), 0);
	listening_finish(FINISH_ALONE, done);
	assert_true(global_state->stopping);
	assert_int_equal(front->run_state, PROXY_FINISHES);
	pass(50000);
	assert_int_equal(finished, 0);
	assert_false(is_closed());
	leave();
	assert_int_equal(finished, 1);
	is_reached(false);
}

static void without_sessions_it_ends_at_once(void **state)
{
	(void)state;
	listen_now();
	listening_finish(FINISH_SOME, done);
	assert_int_equal(front->run_state, PROXY_READY);
	assert_int_equal(finished, 1);
}

/* Who asks (a stats socket) is waited for some seconds. */
static void who_asks_gets_some_time(void **state)
{
	(void)state;
	listen_now();
	front->stats_socket = true;
	assert_int_equal(reach(), 0);
	assert_int_equal(streams_asking, 1);
	listening_finish(FINISH_ALONE, done);
	assert_int_equal(finished, 0);
	pass(9999);
	assert_int_equal(finished, 0);
	pass(1);
	assert_int_equal(finished, 1);
	streams_few_left = NULL;
	leave();
	assert_int_equal(streams_asking, 0);
	assert_int_equal(streams_count, 0);
	front->stats_socket = false;
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(it_accepts), EACH(it_is_paused_and_resumed), EACH(another_has_the_address),
		EACH(it_is_shut_down), EACH(it_fails), EACH(room_is_made),
		EACH(no_room_can_be_made), EACH(it_ends_with_the_last_session),
		EACH(without_sessions_it_ends_at_once), EACH(who_asks_gets_some_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
