/* SPDX-License-Identifier: BSD-2-Clause */
/* core.register_service: rows of services, which use-service of later lines finds. Called by scripts
 * while the files are read; rows stay for the life of the process. What runs is lua/applet.h. */
#include "lua/service.h"

#include "base/bug.h"
#include "exchange/exchange.h"
#include "lua/applet.h"
#include "lua/register.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lauxlib.h>

static struct service *services;

/* ---- what rules do -------------------------------------------------------------------------- */

static int open_http(struct exchange *x, struct end *end)
{
	return applet_open_http(end, x->stream, x->service_data);
}

static enum action_result serve_http(const struct http_service *row, struct exchange *x)
{
	const struct service *service = container_of(row, const struct service, http);

	exchange_serve(x, service->shown, open_http, service);
	x->service_rules = true;
	return ACTION_REPLY;
}

static int open_tcp(const struct stream_service *row, struct stream *s, struct end *end)
{
	return applet_open_tcp(end, s, container_of(row, const struct service, tcp));
}

/* ---- registering ---------------------------------------------------------------------------- */

static struct service *find(const char *name, bool http)
{
	struct service *s;

	for (s = services; s; s = s->next)
		if (!strcmp(s->function->name + 4, name) && http == (s->http.serve != NULL))
			return s;
	return NULL;
}

/* As the line of a stream has it, and what the script has failed with. While the configuration is
 * read memory does not run out. */
static void show(struct registered *function)
{
	size_t size = strlen(function->name) + 3;
	char *shown = malloc(size);

	BUG_ON(!shown);
	snprintf(shown, size, "<%s>", function->name);
	function->shown = shown;
}

static struct service *service_new(struct registered *function, bool http)
{
	struct service *s = calloc(1, sizeof(*s));

	BUG_ON(!s);
	s->function = function;
	s->shown = function->shown;
	s->next = services;
	services = s;
	if (http) {
		s->http = (struct http_service){ .name = function->name, .serve = serve_http };
		http_service_add(&s->http);
	} else {
		s->tcp = (struct stream_service){ .name = function->name, .shown = s->shown,
						  .open = open_tcp };
		stream_service_add(&s->tcp);
	}
	return s;
}

/* core.register_service(name, mode, func): the later one of a name counts. */
int register_service(lua_State *L)
{
	const char *name, *mode;
	struct registered *function;
	struct service *again;
	bool http;

	if (lua_gettop(L) != 3)
		return luaL_error(L, "'register_service' needs 3 arguments");
	name = register_name(L, "register_service");
	mode = luaL_checkstring(L, 2);
	http = !strcmp(mode, "http");
	if (!http && strcmp(mode, "tcp") != 0)
		return luaL_error(L, "Lua service environment '%s' is unknown. 'tcp' or 'http' are "
				  "expected.", mode);
	luaL_checktype(L, 3, LUA_TFUNCTION);
	function = registered_new(L, name, 3);
	show(function);
	again = find(name, http);
	if (again)
		again->function = function;
	else
		service_new(function, http);
	return 0;
}
