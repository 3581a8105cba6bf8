/* SPDX-License-Identifier: BSD-2-Clause */
/* What holds of "observe" where no word says so. Its words are read by server_conf.c. */
#include "proxy/observe_conf.h"

const struct observe_conf observe_conf_usual = { .limit = 10, .on_error = ON_ERROR_FAIL_CHECK };

static void observe_init(void *part)
{
	*(struct observe_conf *)part = observe_conf_usual;
}

struct server_part observe_conf_part = { SERVER_SETTINGS("observe", struct observe_conf),
					 .kind.init = observe_init };
