/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the process that asks has learnt of names, on its way through the ordered log: steps, each for
 * one server, many in one change. Every process carries them out in the same way; the one that speaks
 * for all writes the lines of the log, word for word as the reference. Bytes of a change come from
 * another process: all of it is read before anything is done.
 */
#include "names/server_names.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "dns/files.h"
#include "log/log.h"
#include "proxy/proxy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 512, FRAME_SIZE = 16384, TEXT_MOST = 255 };

/* As it stands in a change, in front of path, text and by, each with its NUL. */
struct step_head {
	uint8_t op, family;
	uint16_t port, path_len, text_len, by_len; /* with their NULs */
	uint32_t weight;
	uint8_t addr[16];
};

unsigned names_under_way;
static char frame[FRAME_SIZE];
static size_t frame_len;
static change_done *frame_done;

/* ---- submitting ------------------------------------------------------------------------------ */

static void submitted(void *arg, const char *error, const char *said, size_t len)
{
	names_under_way--;
	if (frame_done)
		frame_done(arg, error, said, len);
}

static void frame_submit(void)
{
	if (!frame_len)
		return;
	names_under_way++;
	change_submit(&names_change, frame, frame_len, submitted, NULL);
	frame_len = 0;
}

static void put(const char *text, size_t len)
{
	memcpy(frame + frame_len, text, len);
	frame_len += len;
}

void names_add(struct server *s, const struct names_step *step)
{
	char path[PATH_SIZE];
	const char *text = step->text ? step->text : "", *by = step->by ? step->by : "";
	struct step_head head = { .op = step->op, .family = (uint8_t)step->addr.family,
				  .port = step->addr.port, .weight = step->weight };

	head.path_len = (uint16_t)(snprintf(path, sizeof(path), "%s/%s", s->proxy->name, s->id) + 1);
	head.text_len = (uint16_t)(strlen(text) + 1);
	head.by_len = (uint16_t)(strlen(by) + 1);
	if (head.path_len > sizeof(path) || head.text_len > TEXT_MOST + 1 || head.by_len > TEXT_MOST + 1)
		return;
	if (head.family == AF_INET6)
		memcpy(head.addr, &step->addr.v6, sizeof(step->addr.v6));
	else
		memcpy(head.addr, &step->addr.v4, sizeof(step->addr.v4));
	if (frame_len + sizeof(head) + head.path_len + head.text_len + head.by_len > FRAME_SIZE)
		frame_submit();
	put((const char *)&head, sizeof(head));
	put(path, head.path_len);
	put(text, head.text_len);
	put(by, head.by_len);
}

void names_submit(change_done *done)
{
	frame_done = done;
	frame_submit();
}

/* ---- reading --------------------------------------------------------------------------------- */

/* A text of that length, its NUL at the end and nowhere else. NULL: it is none. */
static const char *take_text(const char **at, size_t *left, size_t len)
{
	const char *text = *at;

	if (!len || len > *left || memchr(text, 0, len) != text + len - 1)
		return NULL;
	*at += len;
	*left -= len;
	return text;
}

/* The next step, and its server. False: it is broken. */
static bool take_step(const char **at, size_t *left, struct names_step *step, const char **path)
{
	struct step_head head;

	if (*left < sizeof(head))
		return false;
	memcpy(&head, *at, sizeof(head));
	*at += sizeof(head);
	*left -= sizeof(head);
	*path = take_text(at, left, head.path_len);
	step->text = *path ? take_text(at, left, head.text_len) : NULL;
	step->by = step->text ? take_text(at, left, head.by_len) : NULL;
	step->op = head.op;
	step->weight = head.weight;
	step->addr = (struct addr){ .family = head.family, .port = head.port };
	if (head.family == AF_INET6)
		memcpy(&step->addr.v6, head.addr, sizeof(step->addr.v6));
	else
		memcpy(&step->addr.v4, head.addr, sizeof(step->addr.v4));
	return step->by && head.op < NAMES_OPS && 
	       (head.family == AF_INET || head.family == AF_INET6 ||
		(head.family == AF_UNSPEC && head.op != NAMES_ADDR)) &&
	       (head.op != NAMES_SERVICE || (*step->text && strlen(step->text) <= DNS_NAME_MOST));
}

/* ---- carrying out ---------------------------------------------------------------------------- */

static void say(const struct server *s, const char *text)
{
	if (!log_printf(s->proxy->set.log, LOG_L_NOTICE, "%s", text))
		log_stderr(LOG_L_WARNING, "%s", text);
}

static void print_addr(struct text *t, const struct addr *addr)
{
	if (addr->family == AF_UNSPEC)
		text_str(t, "(none)");
	else
		addr_print(addr, t);
}

static void change_addr(struct server *s, struct addr addr, const char *by)
{
	char memory[512];
	struct text t;

	if (!addr.port)
		addr.port = s->state->addr.port;
	if (addr_equal(&addr, &s->state->addr))
		return;
	text_init(&t, memory, sizeof(memory));
	text_printf(&t, "%s/%s changed its IP from ", s->proxy->name, s->id);
	print_addr(&t, &s->state->addr);
	text_str(&t, " to ");
	print_addr(&t, &addr);
	text_printf(&t, " by %s.", by);
	s->state->addr = addr;
	server_moved(s);
	say(s, memory);
}

static void apply_addr(struct server *s, const struct names_step *step)
{
	char memory[512];

	change_addr(s, step->addr, step->by);
	if (!(s->state->admin & ADMIN_RESOLUTION))
		return;
	server_set_admin(s, 0, ADMIN_RESOLUTION);
	snprintf(memory, sizeof(memory), "Server %s/%s administratively READY thanks to valid DNS answer.",
		 s->proxy->name, s->id);
	say(s, memory);
}

static void apply_unresolved(struct server *s, const char *reason)
{
	uint16_t port = s->state->addr.port;

	server_set_unresolved(s, reason);
	s->state->addr = (struct addr){ .port = port };
	server_moved(s);
}

static void hostname_set(struct server *s, char **name, const char *by, struct text *said)
{
	const char *before = server_hostname(s);

	text_printf(said, "%s/%s changed its FQDN from %s to %s by '%s'", s->proxy->name, s->id,
		    before ? before : "(null)", *name, by);
	free(s->state->hostname);
	s->state->hostname = *name;
	*name = NULL;
}

/* name: a copy of the step's, taken over. */
static void apply_service(struct server *s, const struct names_step *step, char **name)
{
	char memory[1024];
	struct text said;

	text_init(&said, memory, sizeof(memory));
	if (step->addr.family != AF_UNSPEC)
		change_addr(s, step->addr, step->by);
	server_set_port(s, false, step->addr.port);
	server_moved(s);
	hostname_set(s, name, "SRV record", &said);
	say(s, memory);
	if (step->weight <= WEIGHT_MOST)
		server_take_weight(s, step->weight);
	if (step->addr.family != AF_UNSPEC)
		server_set_admin(s, 0, ADMIN_RESOLUTION);
}

static void apply_gone(struct server *s)
{
	apply_unresolved(s, "entry removed from SRV record");
	free(s->state->hostname);
	s->state->hostname = NULL;
	server_set_port(s, false, 0);
}

static void apply_step(struct server *s, const struct names_step *step, char **name)
{
	switch ((enum names_op)step->op) {
	case NAMES_ADDR:
		apply_addr(s, step);
		break;
	case NAMES_UNRESOLVED:
		apply_unresolved(s, step->text);
		break;
	case NAMES_SERVICE:
		apply_service(s, step, name);
		break;
	case NAMES_GONE:
		apply_gone(s);
		break;
	case NAMES_WEIGHT:
		if (step->weight <= WEIGHT_MOST)
			server_take_weight(s, step->weight);
		break;
	case NAMES_OPS:
		break;
	}
	if (step->op == NAMES_SERVICE || step->op == NAMES_GONE)
		names_changed(s);
}

/* Is each step whole, and of a server that is asked for? One that was deleted meanwhile is passed
 * over. */
static int check_steps(const char *at, size_t left, struct err *err)
{
	struct names_step step;
	const struct server *s;
	const char *path;

	while (left) {
		if (!take_step(&at, &left, &step, &path))
			return err_set(err, "a broken change");
		s = server_find_path(path, NULL);
		if (s && !s->resolvers)
			return err_set(err, "a broken change");
	}
	return 0;
}

static int names_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *at = bytes, *path;
	struct names_step step;
	size_t left = len;
	struct server *s;
	char *name;

	(void)said;
	if (check_steps(at, left, err))
		return -1;
	while (left) {
		BUG_ON(!take_step(&at, &left, &step, &path));
		s = server_find_path(path, NULL);
		if (!s)
			continue;
		name = step.op == NAMES_SERVICE ? strdup(step.text) : NULL;
		if (step.op == NAMES_SERVICE && !name)
			return err_set(err, "Out of memory.");
		apply_step(s, &step, &name);
		free(name);
	}
	return 0;
}

const struct change_kind names_change = { .name = "names", .apply = names_apply };

/* ---- set server fqdn -------------------------------------------------------------------------- */

int server_set_hostname(struct server *s, const char *text, const char *by, struct text *said,
			struct err *err)
{
	char name[DNS_NAME_MOST + 1], *copy;

	if (!s->resolvers)
		return err_set(err, "set server <b>/<s> fqdn failed because no resolution is configured.");
	if (s->is_service)
		return err_set(err, "set server <b>/<s> fqdn failed because SRV resolution is configured.");
	if (!dns_name(span_of(text), name))
		return err_set(
			err, "set server <b>/<s> fqdn failed because '%.*s' is no name of a host.",
			STR_CUT(text, 200));
	if (server_hostname(s) && !strcmp(server_hostname(s), name)) {
		text_printf(said, "no need to change the FDQN by '%s'", by);
		return 0;
	}
	copy = strdup(name);
	if (!copy)
		return err_set(err, "Out of memory.");
	hostname_set(s, &copy, by, said);
	say(s, said->ptr);
	names_changed(s);
	return 0;
}
