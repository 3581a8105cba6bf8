/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one list of modules, in the order in which they finish and start; they stop in reverse.
 * What a build leaves out is absent here. Nothing registers itself.
 */
#include "config/environment.h"
#include "config/module.h"
#include "net/bind_conf.h"
#include "proxy/proxy.h"

#include <stddef.h>

const struct module *const modules[] = {
	&environment_module,
	&bind_module,
	&proxy_module,
	&server_module,
	NULL,
};
