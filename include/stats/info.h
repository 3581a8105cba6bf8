/* SPDX-License-Identifier: BSD-2-Clause */
/* The lines of "show info": numbers of the process. */
#ifndef STATS_INFO_H
#define STATS_INFO_H

#include "stats/value.h"

enum info_field {
#define FIELD(id, name, tags, help) INFO_##id,
#define HOLE(id) INFO_##id,
#include "stats/info_fields.def"
#undef FIELD
#undef HOLE
	INFO_FIELDS
};

extern const struct stats_field info_fields[INFO_FIELDS]; /* holes have no name */

struct info {
	struct stats_value values[INFO_FIELDS];
	struct stats_strings strings;
};

/* Of the global section and the command line. */
struct info_conf {
	const char *node;        /* NULL: the name of the host */
	const char *description; /* NULL: none */
	unsigned memmax_mb;      /* -m; 0: no limit */
};
extern struct info_conf info_conf;
/* The node's name, given or not. */
const char *info_node_name(void);

/* From now on the tallies of this process hold what other layers count. Before workers are
 * forked. */
void info_begin(void);
/* Takes all values as they are now. as_float: those that are more exact then. */
void info_fill(struct info *info, bool as_float);

#endif
