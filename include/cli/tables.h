/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of commands, one a file; src/commands.c lists them. */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

#include "cli/command.h"

extern const struct cli_command cli_mode_commands[];
extern const struct cli_command cli_stats_commands[];
extern const struct cli_command cli_sess_commands[];
extern const struct cli_command cli_servers_commands[];
extern const struct cli_command cli_resolvers_commands[];
extern const struct cli_command cli_process_commands[];
extern const struct cli_command cli_profiling_commands[];
extern const struct cli_command cli_program_commands[];
extern const struct cli_command cli_dynamic_cookie_commands[];
extern const struct cli_command cli_errors_commands[];
extern const struct cli_command cli_fd_commands[];
extern const struct cli_command cli_events_commands[];
extern const struct cli_command cli_trace_commands[];
extern const struct cli_command cli_vars_commands[];
extern const struct cli_command cli_set_server_commands[];
extern const struct cli_command cli_add_server_commands[];
extern const struct cli_command cli_add_backend_commands[];
extern const struct cli_command cli_wait_commands[];
extern const struct cli_command cli_set_process_commands[];
extern const struct cli_command cli_getsocks_commands[];
extern const struct cli_command cli_debug_commands[];
extern const struct cli_command cli_tls_cert_commands[];
extern const struct cli_command cli_tls_list_commands[];
extern const struct cli_command cli_tls_tickets_commands[];
extern const struct cli_command cli_tls_trust_commands[];
extern const struct cli_command cli_tls_ocsp_commands[];
extern const struct cli_command cli_acme_commands[];
extern const struct cli_command cli_later_commands[];
extern const struct cli_command cli_maps_commands[];
extern const struct cli_command cli_maps_load_commands[];
extern const struct cli_command cli_httpclient_commands[];
extern const struct cli_command cli_stick_commands[];
extern const struct cli_command cli_peers_commands[];

#endif
