/* SPDX-License-Identifier: BSD-2-Clause */
/* What messages call a listener. Its socket is listen_socket.c, its life accept.c. */
#include "net/listener.h"

#include "base/str.h"

const char *listener_name(const struct listener *l, char *buf, size_t size)
{
	struct text t;

	text_init(&t, buf, size);
	if (l->addr.family == AF_UNIX && l->addr.path && *l->addr.path == '@')
		text_printf(&t, "abns%s", l->addr.path);
	else if (l->addr.family == AF_UNIX && l->addr.path)
		text_str(&t, l->addr.path);
	else
		addr_print_clear(&l->addr, &t);
	return buf;
}
