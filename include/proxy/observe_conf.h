/* SPDX-License-Identifier: BSD-2-Clause */
/* What lines "server" and "default-server" say of checks by the traffic: observe, error-limit,
 * on-error. */
#ifndef PROXY_OBSERVE_CONF_H
#define PROXY_OBSERVE_CONF_H

#include "proxy/part.h"

enum { OBSERVE_NONE, OBSERVE_LAYER4, OBSERVE_LAYER7 };
/* What happens at so many errors. */
enum { ON_ERROR_FASTINTER, ON_ERROR_FAIL_CHECK, ON_ERROR_SUDDEN_DEATH, ON_ERROR_MARK_DOWN };

struct observe_conf {
	int layer;    /* OBSERVE_* */
	int limit;    /* 10 */
	int on_error; /* ON_ERROR_*; ON_ERROR_FAIL_CHECK */
};

extern struct server_part observe_conf_part;
extern const struct observe_conf observe_conf_usual; /* where nothing is said */

static inline const struct observe_conf *observe_conf_of(const struct server *s)
{
	const struct observe_conf *conf = server_part(s, &observe_conf_part);

	return conf ? conf : &observe_conf_usual;
}

#endif
