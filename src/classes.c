/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of classes of scripts, and what scripts begin with: it stands above all classes. */
#include "lua/classes.h"

#include "lua/action.h"
#include "lua/filter.h"
#include "lua/own.h"

#include <stddef.h>

const struct class *const classes[] = {
	&core_class, &txn_class, &fetches_class, &string_fetches_class, &converters_class,
	&string_converters_class, &http_class, &channel_class, &http_message_class, &filter_table,
	&reply_class, &applet_http_class, &applet_tcp_class,
	&command_class,
	&socket_class, &httpclient_class, &concat_class, &queue_class, &regex_table, &regex_class, &map_table,
	&map_class, &patref_class, &proxy_list_class, &proxy_class, &server_list_class, &server_class,
	&listener_class, &stick_table_class,
	&subscription_class, &cert_cache_table,
	NULL,
};

void classes_begin(lua_State *L)
{
	const struct class *const *class;

	for (class = classes; *class; class++)
		if (!(*class)->is_table)
			class_add(L, *class);
	core_begin(L);
	action_begin(L);
	filter_begin(L);
	regex_begin(L);
	map_begin(L);
	cert_cache_begin(L);
	own_begin(L); /* behind all others: it copies what there is */
}
