/* SPDX-License-Identifier: BSD-2-Clause */
/* The one list of the tables of commands: it stands above all that bring one. */
#include "cli/tables.h"

#include "base/tables.h"
#include "cli/help.h"
#include "cli/program.h"

#include "config.h"

static bool is_missing(const void *row)
{
	return ((const struct cli_command *)row)->flags & CLI_LATER;
}

struct tables cli_tables = {
	.what = "command",
	.row_size = sizeof(struct cli_command),
	.yields = is_missing,
	.table = {
		cli_mode_commands,
		cli_stats_commands,
		cli_sess_commands,
		cli_servers_commands,
		cli_process_commands,
		cli_profiling_commands,
		cli_program_commands,
		cli_startup_commands,
		cli_errors_commands,
		cli_fd_commands,
		cli_events_commands,
		cli_trace_commands,
		cli_set_server_commands,
		cli_add_server_commands,
		cli_add_backend_commands,
		cli_wait_commands,
		cli_set_process_commands,
		cli_dynamic_cookie_commands,
		cli_vars_commands,
		cli_getsocks_commands,
		cli_debug_commands,
		cli_maps_commands,
		cli_maps_load_commands,
		cli_httpclient_commands,
		cli_stick_commands,
		cli_peers_commands,
		cli_resolvers_commands,
#ifdef HAVE_OPENSSL
		cli_tls_cert_commands,
		cli_tls_list_commands,
		cli_tls_tickets_commands,
		cli_tls_trust_commands,
		cli_tls_ocsp_commands,
		cli_acme_commands,
#endif
		cli_later_commands,
		cli_help_commands,
	},
};
