/* SPDX-License-Identifier: BSD-2-Clause */
/* The class Socket: a connection that a script has made, which waits for it on the loop. Reads are
 * made when the script asks, so what a peer sends ahead waits in the kernel. */
#ifndef LUA_SOCKET_H
#define LUA_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#include <lua.h>

struct conn;
struct tls_target;

/* A function of core. */
int socket_tcp(lua_State *L);
/* The address that a word names, port included ("192.0.2.1:80", "unix@/path"); false: it names none, or
 * a host's name. */
bool socket_address(const char *word, struct sockaddr_storage *ss, socklen_t *len);
/* What sockets have made is given back; they are closed. */
void socket_end(void);

/* The connection is to speak TLS, as "ssl verify none" of a server line does, with what
 * ssl-default-server-* says. 0; -1: it cannot. */
int socket_tls(struct conn *conn, const struct tls_target *target);
void socket_tls_end(void);

#endif
