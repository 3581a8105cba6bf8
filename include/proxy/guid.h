/* SPDX-License-Identifier: BSD-2-Clause */
/* Names of objects that no other object of any kind has: "guid" of proxies and servers,
 * "guid-prefix" of bind lines. They tell programs which object it is, whatever it is called. */
#ifndef PROXY_GUID_H
#define PROXY_GUID_H

#include <stdbool.h>

struct bind_part;
struct config;
struct listener;
struct module;
struct proxies;
struct proxy;
struct server;
struct text;

extern const struct module guid_module; /* the word of bind lines */
extern struct bind_part guid_part;

/* Whose it is: the lower one of those that are there. */
struct guid_owner {
	const struct proxy *proxy;
	const struct server *server;     /* NULL: the proxy's, or a socket's */
	const struct listener *listener; /* the same */
};

/* Gives the sockets of bind lines theirs, and reports each that is there twice. */
void guids_finish(struct config *cfg, struct proxies *all);
/* The guid of an object that is to come: 0, or -1 after a report that another one has it. */
int guid_check(struct config *cfg, const struct proxies *all, const struct guid_owner *owner);
/* Who has it? */
bool guid_find(const struct proxies *all, const char *guid, struct guid_owner *owner);
/* NULL: it has none. */
const char *guid_of(const struct guid_owner *owner);
/* The object number n of a proxy, from 0 on: the proxy, its sockets. False: there is no such. */
bool guid_object(const struct proxy *px, unsigned n, struct guid_owner *owner);
/* "backend b", "server b/s", "socket 127.0.0.1:80 of frontend f". */
void guid_owner_print(const struct guid_owner *owner, struct text *t);

#endif
