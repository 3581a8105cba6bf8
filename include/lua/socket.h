/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Socket: a connection that a script has made, which waits for it on the loop. Reads are
 * made when the script asks, so what a peer sends ahead waits in the kernel. */
#ifndef LUA_SOCKET_H
#define LUA_SOCKET_H

#include <stdbool.h>

#include <lua.h>

struct conn;
struct tls_target;

/* A function of core. */
int socket_tcp(lua_State *L);
/* Methods of the class, for who walks over them (method_push). */
int socket_connect(lua_State *L);
int socket_send(lua_State *L);
/* What has come, and waits for it: a string; or nil, and whether the time was over. */
int socket_receive_some(lua_State *L);
/* Of the socket at `at`, which is one. */
void socket_close_at(lua_State *L, int at);
void socket_timeout_at(lua_State *L, int at, lua_Number ms);
/* Is it an address that connect takes, with a port beside it or not? */
bool socket_address_good(const char *word, bool has_port);
/* What sockets have made is given back; they are closed. */
void socket_end(void);

/* The connection is to speak TLS, as "ssl verify none" of a server line does, with what
 * ssl-default-server-* says. 0; -1: it cannot. */
int socket_tls(struct conn *conn, const struct tls_target *target);
void socket_tls_end(void);

#endif
