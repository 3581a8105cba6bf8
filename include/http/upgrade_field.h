/* SPDX-License-Identifier: BSD-2-Clause */
/* The field Upgrade (RFC 9110 7.8): which protocol a message speaks of. Pure. */
#ifndef HTTP_UPGRADE_FIELD_H
#define HTTP_UPGRADE_FIELD_H

#include "http/message.h"

/* A name of a protocol there: a token, and maybe "/" and another one. */
bool upgrade_is_protocol(struct span text);
/* The protocol that a request asks for by GET with Upgrade, or that a 101 begins: websocket where
 * that is named, else the first one that is. Empty: there is none. */
struct span upgrade_protocol(const struct message *msg);
/* Is that one websocket (RFC 6455 4)? */
bool upgrade_is_websocket(const struct message *msg);

#endif
