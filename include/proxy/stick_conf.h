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
	const char *name;              /* of its proxy; of a table in "peers": section/table */
	struct location loc;
	struct stick_definition def;   /* complete from prepare on: rules add server_id */
	const char *peers;             /* it belongs to the section of that name; NULL: to none */
	struct location peers_loc;
	const char *write_to;          /* name of the table; NULL: none */
	struct stick_line *written_to; /* the same, from finish on */
	bool recv_only;                /* peers fill it, nobody is told of it */
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
/* What any of these stores: a bit for each data type. */
extern uint64_t stick_stored;

/* The words of a table up to the end of the line, while files are read. peers: the section that it
 * stands in; NULL: the line may name one. name: in the arena, as that of struct stick_line. NULL:
 * reported. */
struct stick_line *stick_line_parse(struct statement *st, const char *name, const char *peers);
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
