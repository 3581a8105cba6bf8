/* SPDX-License-Identifier: BSD-2-Clause */
/* What a section says of checks is a part that its heirs share, until one of them says a word. */
#include "check/check_conf.h"

struct proxy_part check_conf_part = { PROXY_SETTINGS("checks", struct check_conf) };

struct check_conf *check_conf_own(struct config *cfg, struct proxy *px)
{
	struct check_conf *own = proxy_part_make(px, &check_conf_part, cfg->arena);

	if (own->owner == px)
		return own;
	own->owner = px;
	own->own_tcp = own->own_http = own->own_option = false;
	own->rules = NULL;
	return own;
}

const struct ruleset *check_conf_rules(const struct proxy *px)
{
	const struct check_conf *conf = check_conf_of(px);

	return conf ? conf->rules : NULL;
}
