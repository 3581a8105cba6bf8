/* SPDX-License-Identifier: BSD-2-Clause */
/* Stick tables as the configuration declares them: the words "stick-table" of proxies (manual
 * chapter 4.2). */
#ifndef PROXY_STICK_CONF_H
#define PROXY_STICK_CONF_H

#include "base/list.h"
#include "config/config.h"
#include "stick/table.h"

struct proxy;

struct stick_line {
	struct list node;              /* struct stick_conf, in the order of the files */
	const char *name;              /* of its proxy */
	struct proxy *proxy;
	struct location loc;
	struct stick_definition def;   /* complete from prepare on: rules add server_id */
	const char *peers;             /* the section of that name; NULL: none */
	bool by_address;               /* srvkey addr */
	struct stick_table *table;     /* NULL before prepare, and with -c */
};

struct stick_conf {
	struct list lines;
};

/* Its data are a struct stick_conf. */
extern const struct module stick_module;
/* Those of the running generation; never NULL. */
extern const struct stick_conf *stick_running;

/* While the configuration finishes, or later: by the name of a table; NULL: none. */
struct stick_line *stick_line_find(const struct stick_conf *conf, const char *name);
/* Of those that are open, from the last one to the first: that in front of line; line NULL: the last.
 * NULL: no more. */
struct stick_line *stick_line_before(const struct stick_conf *conf, const struct stick_line *line);
/* Rules store a data type though it was not declared: server_id, server_key. At finish. */
void stick_line_store(struct stick_line *line, enum stick_data what);
/* From now on this process takes out what expires, while it is the one that does so for all. */
void stick_sweep_start(void);
/* "ip", "ipv6", "integer", "string", "binary". */
const char *stick_key_type_name(enum stick_key_type type);
/* The data type of that name, whose argument is none of the name's; STICK_DATA: none. */
enum stick_data stick_data_find(struct span name);

#endif
