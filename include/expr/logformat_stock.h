/* SPDX-License-Identifier: BSD-2-Clause */
/* The formats that options name (manual 8.2), and what they are as JSON, which is our own. What
 * clients choose freely stands at the end of those: it cannot push the rest out of a line that is
 * cut. */
#ifndef EXPR_LOGFORMAT_STOCK_H
#define EXPR_LOGFORMAT_STOCK_H

/* "strict equivalent of option tcplog" (manual 8.2.2), and what is written without any option
 * (8.2.1). */
#define LOGFORMAT_TCP                                                                    \
	"%ci:%cp [%t] %ft %b/%s %Tw/%Tc/%Tt %B %ts %ac/%fc/%bc/%sc/%rc %sq/%bq"
#define LOGFORMAT_DEFAULT "Connect from %ci:%cp to %fi:%fp (%f/TCP)"
#define LOGFORMAT_DEFAULT_HTTP "Connect from %ci:%cp to %fi:%fp (%f/HTTP)"
/* Later than 2.6. */
#define LOGFORMAT_TCP_CLF                                                                \
	"%{+Q}o %{-Q}ci - - [%T] \"TCP \" 000 %B \"\" \"\" %cp %ms %ft %b %s %Th %Tw %Tc %Tt "    \
	"%U %ts-- %ac %fc %bc %sc %rc %sq %bq \"\" \"\""
/* Option httplog, and with "clf" (manual 8.2.3). */
#define LOGFORMAT_HTTP                                                                   \
	"%ci:%cp [%tr] %ft %b/%s %TR/%Tw/%Tc/%Tr/%Ta %ST %B %CC %CS %tsc "               \
	"%ac/%fc/%bc/%sc/%rc %sq/%bq %hr %hs %{+Q}r"
#define LOGFORMAT_CLF                                                                    \
	"%{+Q}o %{-Q}ci - - [%trg] %r %ST %B \"\" \"\" %cp %ms %ft %b %s %TR %Tw %Tc %Tr %Ta "    \
	"%tsc %ac %fc %bc %sc %rc %sq %bq %CC %CS %hrl %hsl"
/* Option httpslog (manual 8.2.4), and what it comes to without TLS. */
#define LOGFORMAT_HTTPS LOGFORMAT_HTTP                                                   \
	" %[fc_err]/%[ssl_fc_err,hex]/%[ssl_c_err]/%[ssl_c_ca_err]/%[ssl_fc_is_resumed] " \
	"%[ssl_fc_sni]/%sslv/%sslc"
#define LOGFORMAT_HTTPS_PLAIN LOGFORMAT_HTTP " %[fc_err]/-/-/-/0 -/-/-"

/* The same as JSON. */
#define LOGFORMAT_JSON_PEERS                                                             \
	" %(client)ci %(client_port)cp %(frontend)f %(backend)b %(server)s"
#define LOGFORMAT_JSON_COUNTS                                                            \
	" %(process_conns)ac %(frontend_conns)fc %(backend_conns)bc %(server_conns)sc"   \
	" %(retries)rc %(server_queue)sq %(backend_queue)bq"
#define LOGFORMAT_TCP_JSON                                                               \
	"%{+json}o %(time)ti" LOGFORMAT_JSON_PEERS " %(queue_ms)Tw %(connect_ms)Tc"      \
	" %(total_ms)Tt %(bytes_in)U %(bytes_out)B %(termination)ts" LOGFORMAT_JSON_COUNTS
#define LOGFORMAT_JSON_REQUEST                                                           \
	"%{+json}o %(time)tri" LOGFORMAT_JSON_PEERS " %(status)ST %(request_ms)TR"       \
	" %(queue_ms)Tw %(connect_ms)Tc %(response_ms)Tr %(total_ms)Ta %(bytes_in)U"     \
	" %(bytes_out)B %(termination)tsc" LOGFORMAT_JSON_COUNTS
#define LOGFORMAT_JSON_TEXTS                                                             \
	" %(method)HM %(version)HV %(response_cookie)CS %(response_captures)hs"          \
	" %(request_cookie)CC %(request_captures)hr %(target)HU"
#define LOGFORMAT_HTTP_JSON LOGFORMAT_JSON_REQUEST LOGFORMAT_JSON_TEXTS
#define LOGFORMAT_HTTPS_JSON LOGFORMAT_JSON_REQUEST                                      \
	" %(connection_error)[fc_err] %(tls_error)[ssl_fc_err]"                          \
	" %(certificate_error)[ssl_c_err] %(authority_error)[ssl_c_ca_err]"              \
	" %(tls_resumed)[ssl_fc_is_resumed] %(tls_version)sslv %(tls_cipher)sslc"        \
	" %(tls_name)[ssl_fc_sni]" LOGFORMAT_JSON_TEXTS
#define LOGFORMAT_HTTPS_JSON_PLAIN LOGFORMAT_JSON_REQUEST                                \
	" %(connection_error)[fc_err]" LOGFORMAT_JSON_TEXTS

#endif
