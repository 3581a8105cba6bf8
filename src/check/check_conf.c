/* SPDX-License-Identifier: BSD-2-Clause */
#include "check/check_conf.h"

#include "base/arena.h"
#include "proxy/proxy.h"

struct check_conf *check_conf_own(struct config *cfg, struct proxy *px)
{
	struct check_conf *conf = px->set.check, *own;

	if (conf && conf->owner == px)
		return conf;
	own = arena_alloc(cfg->arena, sizeof(*own));
	if (conf)
		*own = *conf;
	own->owner = px;
	own->own_tcp = own->own_http = own->own_option = false;
	own->rules = NULL;
	px->set.check = own;
	return own;
}

const struct ruleset *check_conf_rules(const struct proxy *px)
{
	return px->set.check ? px->set.check->rules : NULL;
}
