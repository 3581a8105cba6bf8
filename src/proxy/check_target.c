/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds of the target of checks where no word says so. Its words are read by server_conf.c and
 * server_tls.c. */
#include "proxy/check_target.h"

#include "config/keyword.h"

const struct check_target check_target_usual;

struct server_part check_target_part = { SERVER_SETTINGS("check target", struct check_target) };

void *check_target_within(struct statement *st, void *object)
{
	return server_part_make(object, &check_target_part, st->cfg->arena);
}
