/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of the tables of commands. */
#include "cli/tables.h"

#include "cli/help.h"

#include "config.h"

const struct cli_command *const cli_tables[] = {
	cli_talk_commands,
	cli_stats_commands,
	cli_sess_commands,
	cli_servers_commands,
	cli_process_commands,
	cli_errors_commands,
	cli_fd_commands,
	cli_events_commands,
	cli_set_server_commands,
	cli_set_process_commands,
	cli_getsocks_commands,
	cli_debug_commands,
#ifdef HAVE_OPENSSL
	cli_tls_cert_commands,
	cli_tls_list_commands,
	cli_tls_tickets_commands,
	cli_tls_trust_commands,
	cli_tls_ocsp_commands,
#endif
	cli_later_commands,
	cli_help_commands,
	NULL,
};
