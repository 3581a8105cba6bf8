/* SPDX-License-Identifier: BSD-2-Clause */
/* The check that asks for a TCP connection and nothing else. */
#include "check/check.h"

static void check_tcp_connected(struct check *check)
{
	check_report(check, CHECK_L4OK);
}

const struct check_ops check_tcp_ops = {
	.name = "tcp",
	.connected = check_tcp_connected,
	.timeout = CHECK_L4TOUT,
};
