/* SPDX-License-Identifier: BSD-2-Clause */
/* The class AppletTCP: a service that talks with a client in the place of a server, in mode tcp. */
#include "lua/applet.h"
#include "lua/classes.h"
#include "lua/sample_calls.h"
#include "lua/txn.h"

static const struct end_ops applet_ops = {
	.name = "lua",
	.recv = applet_recv,
	.send = applet_send,
	.finish = applet_finish,
	.close = applet_close,
	.busy = applet_busy,
};

int applet_open_tcp(struct end *end, struct stream *s, const struct service *service)
{
	struct applet *a = applet_new(end, s, service, &applet_ops, false);

	if (!a)
		return -1;
	applet_begin(a, &applet_tcp_class);
	return 0;
}

static const struct class_method methods[] = {
	{ "getline", applet_getline, "", "string",
	  "a line with its end; without one it was the last; empty: nothing comes any more", METHOD_WAITS },
	{ "receive", applet_receive, "[size]", "string",
	  "so many bytes, or all up to the end; fewer where the client has ended", METHOD_WAITS },
	{ "send", applet_send_method, "text", "integer", "sends to the client", METHOD_WAITS },
	TXN_METHODS_OF_STREAMS,
	{ 0 },
};

const struct class applet_tcp_class = {
	"AppletTCP", methods, calls_field, .help = "the client of a service in mode tcp",
	.where = "services of mode tcp, by the script that was given the object",
};
