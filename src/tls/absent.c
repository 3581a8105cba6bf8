/* SPDX-License-Identifier: BSD-2-Clause */
/* A build without OpenSSL: no connection has TLS (tls/conn.h). Nothing here is ever asked to begin
 * one, because no word of the configuration can. */
#include "tls/about.h"
#include "tls/client.h"
#include "tls/conn.h"
#include "tls/settings.h"

#include "config/config.h"

struct tls_stats tls_stats;
struct tls_cache_stats tls_cache_stats;
void (*tls_keys_made)(bool accepted);
void (*tls_connect_counted)(int change);
bool (*tls_may_connect)(void);
void (*tls_proved)(struct conn *conn, void *whose, bool ok);
unsigned tls_early_most;

int tls_conn_accept(struct conn *conn, struct tls_bind *bind)
{
	(void)conn;
	(void)bind;
	return -1;
}

struct span tls_bind_usual_alone(struct tls_bind *bind)
{
	(void)bind;
	return (struct span){ NULL, 0 };
}

bool tls_bind_takes_early(const struct tls_bind *bind)
{
	(void)bind;
	return false;
}

void tls_bind_offer(struct tls_bind *bind, const char *wire)
{
	(void)bind;
	(void)wire;
}

int tls_conn_connect(struct conn *conn, struct tls_client *client, const struct tls_target *target)
{
	(void)conn;
	(void)client;
	(void)target;
	return -1;
}

enum io tls_conn_handshake(struct conn *conn)
{
	(void)conn;
	return IO_ERR;
}

struct span tls_client_name(const struct conn *conn)
{
	(void)conn;
	return (struct span){ "", 0 };
}

void (*tls_client_changed)(void);

bool tls_client_is_current(const struct conn *conn)
{
	(void)conn;
	return true;
}

void tls_client_forget(const struct conn *conn)
{
	(void)conn;
}

void tls_client_say(const struct conn *conn, struct text *t)
{
	(void)conn;
	(void)t;
}

void tls_client_say_library(const struct conn *conn, struct text *t)
{
	(void)conn;
	(void)t;
}

bool tls_client_wrong_name(const struct conn *conn)
{
	(void)conn;
	return false;
}

int tls_settings_parse(struct statement *st, const char *word, struct tls_settings *set)
{
	(void)word;
	(void)set;
	return stmt_error(st, st->at - 1, "this build has no TLS");
}

void tls_about(FILE *out)
{
	fprintf(out, "Built without OpenSSL: no TLS\n");
}

void tls_conn_belongs(struct conn *conn, void *whose)
{
	(void)conn;
	(void)whose;
}

size_t tls_conn_early_taken(const struct conn *conn)
{
	(void)conn;
	return 0;
}

bool tls_conn_early_said(const struct conn *conn)
{
	(void)conn;
	return false;
}

bool tls_conn_early_refused(const struct conn *conn)
{
	(void)conn;
	return false;
}
