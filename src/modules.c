/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The one list of modules, in the order in which they finish and start; they stop in reverse.
 * What a build leaves out is absent here. Nothing registers itself.
 */
#include "check/check_conf.h"
#include "check/checks.h"
#include "check/eject.h"
#include "check/report.h"
#include "cli/shared.h"
#include "cli/stats_conf.h"
#include "client/client_conf.h"
#include "client/own_request.h"
#include "config/environment.h"
#include "config/module.h"
#include "dns/lookup.h"
#include "dns/resolvers.h"
#include "exchange/bad_message.h"
#include "exchange/doubts.h"
#include "exchange/early_part.h"
#include "exchange/errors.h"
#include "exchange/exchange.h"
#include "exchange/forwarded.h"
#include "exchange/forwarded_field.h"
#include "exchange/h1_conf.h"
#include "exchange/http_rules.h"
#include "exchange/idle.h"
#include "exchange/monitor.h"
#include "exchange/persist.h"
#include "exchange/tarpit.h"
#include "exchange/tune_http.h"
#include "expr/capture.h"
#include "expr/expr.h"
#include "expr/expr_conf.h"
#include "expr/logformat.h"
#include "expr/pattern_change.h"
#include "expr/proc_vars.h"
#include "expr/userlist.h"
#include "filter/compress.h"
#include "filter/filter.h"
#include "filter/limit.h"
#include "filter/trace.h"
#include "h2/tune.h"
#include "lb/balance.h"
#include "log/log.h"
#include "names/server_names.h"
#include "net/bind_conf.h"
#include "net/bind_part.h"
#include "net/netns.h"
#include "peers/peers_conf.h"
#include "process/caps.h"
#include "process/later_conf.h"
#include "process/parent_cli_conf.h"
#include "process/process.h"
#include "process/state_file.h"
#include "process/threads_conf.h"
#include "proxy/agent_conf.h"
#include "proxy/check_target.h"
#include "proxy/eject_conf.h"
#include "proxy/guid.h"
#include "proxy/observe_conf.h"
#include "proxy/part.h"
#include "proxy/proxy.h"
#include "proxy/server_add.h"
#include "proxy/stick_conf.h"
#include "queue/queue.h"
#include "session/handshake.h"
#include "session/listening.h"
#include "stats/form.h"
#include "stats/history.h"
#include "stats/page.h"
#include "stats/page_conf.h"
#include "stats/service.h"
#include "stream/do_resolve.h"
#include "stream/filtering.h"
#include "stream/nameserver_words.h"
#include "stream/persist_rdp.h"
#include "stream/persist_rules.h"
#include "stream/persist_table.h"
#include "stream/proxyheader.h"
#include "stream/server_part.h"
#include "stream/source.h"
#include "stream/stream.h"
#include "stream/tcp_rules.h"
#include "stream/track.h"
#include "stream/tune.h"
#include "udp/lb.h"
#include "udp/udp_conf.h"

#include "config.h"

#include <stddef.h>

#ifdef HAVE_OPENSSL
#include "acme/acme.h"
#include "ocsp/update.h"
#include "proxy/frontend_certs.h"
#include "proxy/server_tls.h"
#include "stream/connect_tls.h"
#include "tls/bind.h"
#include "tls/client.h"
#include "tls/notes.h"
#include "tls/ocsp.h"
#include "tls/sessions.h"
#include "tls/store.h"
#include "tls/tickets.h"
#endif

#ifdef HAVE_LUA
#include "lua/change.h"
#include "lua/events.h"
#include "lua/lua_conf.h"
#endif

const struct module *const modules[] = {
	&environment_module,
#ifdef HAVE_OPENSSL
	&tls_notes_module,
	&tls_store_module,
	&frontend_certs_module,
	&tls_bind_module,
	&tls_client_module,
#endif
	&process_module,
	&threads_module,
	&later_module,
	&parent_cli_module,
	&tune_module,
	&track_module,
	&exchange_module,
	&tune_http_module,
	&h2_tune_module,
#ifdef HAVE_OPENSSL
	&tls_sessions_module,
#endif
	&h1_module,
	&bind_module,
	&guid_module,
	&handshake_module,
	&namespaces_module,
	&udp_words_module,
	&ring_module,
	&log_module,
	&log_run_module,
	&stats_conf_module,
	&resolvers_module,
	&names_words_module,
#ifdef HAVE_OPENSSL
	&ocsp_module,
#endif
	&client_module,
	&proxy_module,
	&server_module,
	&queue_module,
	&names_module,
	&stick_module,
#ifdef HAVE_OPENSSL
	&server_tls_module,
	&sni_module,
#endif
	&peers_module,
#ifdef HAVE_LUA
	&lua_module,
#endif
	&own_request_module,
	&dns_module,
	&lb_module,
	&userlist_module,
	&expr_conf_module,
	&expr_module,
	&capture_module,
	&log_profile_module,
	&logformat_module,
	&state_file_module,
	&check_tcp_module,
	&check_http_module,
	&check_grpc_module,
	&check_stock_module,
	&check_module,
	&eject_module,
	&filter_module,
	&compress_module,
	&limit_module,
	&limit_rules_module,
	&do_resolve_module,
	&nameserver_words_module,
	&trace_module,
	&errors_module,
	&tcp_rules_module,
	&http_rules_module,
	&monitor_module,
	&forwarded_module,
	&forwarded_field_module,
	&persist_module,
	&stick_rules_module,
	&proxyheader_module,
	&source_module,
#ifdef HAVE_OPENSSL
	&acme_module,
#endif
	&page_module,
	&history_module,
	&stats_service_module,
	&udp_module,
	&listening_module,
	&streams_module,
	&steps_module,
	&doubts_module,
#ifdef HAVE_LUA
	&lua_tasks_module,
#endif
	&added_module,
	NULL,
};

/* The filters that a line "filter" names. */
const struct filter_kind *const filter_kinds[] = {
	&compress_filter,
	&compress_request_filter,
	&compress_response_filter,
	&limit_in_filter,
	&limit_out_filter,
	&trace_filter,
	NULL,
};

/* What goes through the ordered log. */
const struct change_kind *const change_kind_list[] = {
	&cli_change,
	&variable_change,
	&result_change,
	&observed_change,
	&checker_change,
	&eject_change,
	&names_change,
	&page_change_kind,
	&pattern_change,
#ifdef HAVE_LUA
	&lua_change,
#ifdef HAVE_OPENSSL
	&cert_cache_change,
#endif
#endif
#ifdef HAVE_OPENSSL
	&tls_tickets_change,
	&tls_ocsp_change,
	&acme_change,
#endif
	NULL,
};

/* What hangs at servers, and what is done when they come and go. */
struct server_part *const server_part_list[] = {
#ifdef HAVE_OPENSSL
	&tls_server_part,
#endif
	&names_server_part,
	&caps_server_part,
	&source_server_part,
	&check_server_part,
	&check_part,
	&check_agent_part,
	&agent_conf_part,
	&check_target_part,
	&observe_conf_part,
	&tried_part,
	&stream_server_part,
	&idle_server_part,
	&lb_server_part,
#ifdef HAVE_LUA
	&lua_server_part,
#endif
	NULL,
};

/* What hangs at proxies, and what is done when backends come and go. */
struct proxy_part *const proxy_part_list[] = {
	&caps_proxy_part,
	&lb_proxy_part,
	&capture_proxy_part,
	&check_proxy_part,
	&check_conf_part,
	&compress_part,
	&compress_filter_part,
	&tcp_rules_proxy_part,
	&http_rules_proxy_part,
	&monitor_part,
	&monitor_fail_part,
	&source_proxy_part,
	&eject_conf_part,
	&eject_proxy_part,
	&errors_part,
	&stream_proxy_part,
	&bad_message_proxy_part,
	&forwarded_part,
	&forwarded_field_part,
	&persist_part,
	&persist_dynamic_part,
	&persist_rdp_part,
	&persist_rules_part,
	&stick_rules_part,
	&history_proxy_part,
	&page_part,
	&udp_part,
	&steps_proxy_part,
	NULL,
};

/* What features keep of an exchange. */
struct exchange_part *const exchange_part_list[] = {
	&early_part,
	&tarpit_part,
	&cookie_dates_part,
	NULL,
};

/* What the words of bind lines are to those who keep it. */
struct bind_part *const bind_part_list[] = {
	&guid_part,
	&shards_part,
	&cip_part,
	&cli_socket_part,
	NULL,
};
