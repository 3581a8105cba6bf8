/* SPDX-License-Identifier: BSD-2-Clause */
/* The handshake of WebSocket (RFC 6455 4): what answers a key. Pure. */
#ifndef HTTP_WEBSOCKET_H
#define HTTP_WEBSOCKET_H

#include "base/str.h"

enum { WEBSOCKET_ACCEPT = 28 };

/* Writes the value of Sec-WebSocket-Accept that answers this Sec-WebSocket-Key, of any length. */
void websocket_accept(struct span key, char accept[WEBSOCKET_ACCEPT]);

#endif
