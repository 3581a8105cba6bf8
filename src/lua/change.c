/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of servers and frontends that scripts ask for, on their way through the ordered log: what
 * the commands of the stats socket do, under another name in the log. A frame is "what", the object
 * and up to two arguments, each with its NUL. */
#include "lua/object.h"
#include "lua/change.h"

#include "base/bug.h"
#include "base/err.h"
#include "base/str.h"
#include "check/checks.h"
#include "check/health.h"
#include "lua/script.h"
#include "proxy/proxy.h"
#include "proxy/server_asked.h"
#include "session/listening.h"
#include "stream/stream.h"

#include <lauxlib.h>

bool change_at_once;

static const char by_script[] = "changed from Lua script";

/* What a change is given. */
struct asked {
	struct server *server;
	struct proxy *proxy;
	const char *arg, *arg2; /* NULL: none */
	struct text *said;
};

/* ---- servers -------------------------------------------------------------------------------- */

static int server_weight(const struct asked *a, struct err *err)
{
	return server_set_weight(a->server, a->arg, err);
}

static int server_maxconn(const struct asked *a, struct err *err)
{
	return server_set_maxconn(a->server, a->arg, err);
}

static int server_addr(const struct asked *a, struct err *err)
{
	return server_set_addr(a->server, a->arg, a->arg2, "Lua script", a->said, err);
}

static int server_ready(const struct asked *a, struct err *err)
{
	(void)err;
	server_make_ready(a->server);
	return 0;
}

static int server_drain(const struct asked *a, struct err *err)
{
	(void)err;
	server_make_drain(a->server);
	return 0;
}

static int server_maint(const struct asked *a, struct err *err)
{
	(void)err;
	server_make_maint(a->server);
	return 0;
}

static int server_shut(const struct asked *a, struct err *err)
{
	(void)err;
	streams_end_server(a->server, END_KILLED);
	return 0;
}

static int server_up(const struct asked *a, struct err *err)
{
	(void)err;
	server_force_health(a->server, SERVER_UP, by_script);
	return 0;
}

static int server_nolb(const struct asked *a, struct err *err)
{
	(void)err;
	server_force_health(a->server, SERVER_STOPPING, by_script);
	return 0;
}

static int server_down(const struct asked *a, struct err *err)
{
	(void)err;
	server_force_health(a->server, SERVER_DOWN, by_script);
	return 0;
}

static int check_switch(const struct asked *a, bool paused)
{
	if (check_of(a->server))
		check_pause(a->server, paused);
	return 0;
}

static int check_on(const struct asked *a, struct err *err)
{
	(void)err;
	return check_switch(a, false);
}

static int check_off(const struct asked *a, struct err *err)
{
	(void)err;
	return check_switch(a, true);
}

static int agent_switch(const struct asked *a, bool paused)
{
	if (check_agent_of(a->server))
		check_pause_agent(a->server, paused);
	return 0;
}

static int agent_on(const struct asked *a, struct err *err)
{
	(void)err;
	return agent_switch(a, false);
}

static int agent_off(const struct asked *a, struct err *err)
{
	(void)err;
	return agent_switch(a, true);
}

static int agent_up(const struct asked *a, struct err *err)
{
	(void)err;
	health_force_agent(a->server, false);
	return 0;
}

static int agent_down(const struct asked *a, struct err *err)
{
	(void)err;
	health_force_agent(a->server, true);
	return 0;
}

/* ---- proxies -------------------------------------------------------------------------------- */

static int frontend_pause(const struct asked *a, struct err *err)
{
	if (a->proxy->run_state != PROXY_READY)
		return 0;
	return listening_pause_proxy(a->proxy, err);
}

static int frontend_resume(const struct asked *a, struct err *err)
{
	if (a->proxy->run_state != PROXY_PAUSED)
		return 0;
	return listening_resume_proxy(a->proxy, err);
}

static int frontend_stop(const struct asked *a, struct err *err)
{
	if (a->proxy->run_state == PROXY_STOPPED)
		return 0;
	return listening_stop_proxy(a->proxy, err);
}

/* The sessions on all backup servers of a backend. */
static int backup_shut(const struct asked *a, struct err *err)
{
	const struct server *s;

	(void)err;
	for (s = a->proxy->servers; s; s = s->next)
		if (s->set.options.on & SRV_BACKUP)
			streams_end_server(s, END_KILLED);
	return 0;
}

/* ---- carrying it out ------------------------------------------------------------------------ */

static const struct change {
	const char *name;
	unsigned caps; /* PROXY_*: of such a proxy; 0: of a server */
	unsigned args;
	int (*apply)(const struct asked *a, struct err *err);
} changes[] = {
	{ "weight", 0, 1, server_weight }, { "maxconn", 0, 1, server_maxconn },
	{ "addr", 0, 1, server_addr },     { "ready", 0, 0, server_ready },
	{ "drain", 0, 0, server_drain },   { "maint", 0, 0, server_maint },
	{ "shut", 0, 0, server_shut },     { "up", 0, 0, server_up },
	{ "nolb", 0, 0, server_nolb },     { "down", 0, 0, server_down },
	{ "check on", 0, 0, check_on },    { "check off", 0, 0, check_off },
	{ "agent on", 0, 0, agent_on },    { "agent off", 0, 0, agent_off },
	{ "agent up", 0, 0, agent_up },    { "agent down", 0, 0, agent_down },
	{ "pause", PROXY_FRONTEND, 0, frontend_pause },
	{ "resume", PROXY_FRONTEND, 0, frontend_resume },
	{ "stop", PROXY_FRONTEND, 0, frontend_stop },
	{ "shut backup", PROXY_BACKEND, 0, backup_shut },
};

static const struct change *change_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(changes); i++)
		if (!strcmp(changes[i].name, name))
			return &changes[i];
	return NULL;
}

enum { WORDS = 4, FRAME = 1024 };

/* The words of a frame; false: it is broken. */
static bool take_frame(const char *bytes, size_t len, const char *words[WORDS])
{
	const char *at = bytes, *end = bytes + len;
	unsigned n = 0;

	if (!len || end[-1])
		return false;
	for (; at < end && n < WORDS; at += strlen(at) + 1)
		words[n++] = at;
	return at == end && n >= 2;
}

static int change_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const char *words[WORDS] = { NULL };
	const struct change *change;
	struct asked a;

	change = take_frame(bytes, len, words) ? change_find(words[0]) : NULL;
	if (!change || (change->args && !words[2]))
		return err_set(err, "a broken change");
	a = (struct asked){ .arg = words[2], .arg2 = words[3], .said = said };
	if (change->caps)
		a.proxy = proxy_find(proxies_running, words[1], change->caps);
	else
		a.server = server_find_path(words[1], err);
	if (!a.proxy && !a.server)
		return err_set(err, "there is no '%.*s'", STR_CUT(words[1], 200));
	return change->apply(&a, err);
}

const struct change_kind lua_change = { .name = "script", .apply = change_apply };

/* ---- asking for it -------------------------------------------------------------------------- */

/* A userdata on the stack of who waits. It may outlive its script, and is forgotten then. */
struct submission {
	unsigned ticket;
	bool submitted, answered, failed;
	char said[256];
};
static const char submission_kind;

static void answer(void *arg, const char *error, const char *said, size_t len)
{
	struct submission *sub = arg;
	struct text t;

	sub->answered = true;
	sub->failed = error != NULL;
	text_init(&t, sub->said, sizeof(sub->said));
	text_add(&t, error ? error : said, error ? strlen(error) : len);
	while (t.len && t.ptr[t.len - 1] == '\n')
		t.ptr[--t.len] = 0;
}

static void submission_end(void *memory)
{
	struct submission *sub = memory;

	if (sub->submitted && !sub->answered)
		change_forget(sub->ticket);
	sub->answered = true;
}

/* On the stack. */
static struct submission *submission_new(lua_State *L)
{
	struct submission *sub = collected_new(L, sizeof(*sub), &submission_kind, submission_end);

	return sub;
}

static int push_answer(lua_State *L, const struct submission *sub, int says)
{
	switch (says) {
	case CHANGE_SAYS:
		lua_pushstring(L, *sub->said ? sub->said : NULL); /* NULL: nil */
		return 1;
	case CHANGE_RAISES:
		return sub->failed ? luaL_error(L, "%s", sub->said) : 0;
	case CHANGE_RESULT:
		if (!sub->failed) {
			lua_pushboolean(L, 1);
			return 1;
		}
		lua_pushnil(L);
		lua_pushstring(L, sub->said);
		return 2;
	default:
		return 0;
	}
}

/* The submission lies at 1. Nobody wakes the script, as it may have ended by then: it looks, at
 * first behind what is on the loop already. */
static int answered(lua_State *L, int status, lua_KContext says)
{
	const struct submission *sub = lua_touserdata(L, 1);

	(void)status;
	if (!sub->answered)
		return script_sleep(L, 1, answered, says);
	return push_answer(L, sub, (int)says);
}

static bool add_word(char *frame, size_t *len, const char *word)
{
	size_t size = word ? strlen(word) + 1 : 0;

	if (size > FRAME - *len)
		return false;
	if (word)
		memcpy(frame + *len, word, size);
	*len += size;
	return true;
}

/* No process runs yet that would hear of it. */
static void make_now(struct submission *sub, const struct change_kind *kind, const void *bytes,
		     size_t len)
{
	char memory[512];
	struct text said;
	struct err err;

	text_init(&said, memory, sizeof(memory));
	if (kind->apply(bytes, len, &said, &err))
		answer(sub, err.text, NULL, 0);
	else
		answer(sub, NULL, memory, said.len);
}

int change_send(lua_State *L, const struct change_kind *kind, const void *bytes, size_t len, int says)
{
	struct submission *sub = submission_new(L);

	lua_insert(L, 1);
	if (change_at_once) {
		make_now(sub, kind, bytes, len);
		return push_answer(L, sub, says);
	}
	if (!script_may_wait(L)) {
		change_submit(kind, bytes, len, NULL, NULL);
		return push_answer(L, sub, says);
	}
	sub->submitted = true;
	sub->ticket = change_submit(kind, bytes, len, answer, sub);
	lua_settop(L, 1);
	return script_sleep(L, SCRIPT_TURN, answered, says);
}

int change_ask(lua_State *L, const char *what, const char *object, const char *arg,
	       const char *arg2, int says)
{
	char frame[FRAME];
	size_t len = 0;

	if (!add_word(frame, &len, what) || !add_word(frame, &len, object) ||
	    !add_word(frame, &len, arg) || !add_word(frame, &len, arg2))
		return luaL_error(L, "the argument is too long");
	return change_send(L, &lua_change, frame, len, says);
}
