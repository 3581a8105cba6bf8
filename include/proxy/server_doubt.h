/* SPDX-License-Identifier: BSD-2-Clause */
/* Words of a server line that come to nothing beside others: notes. */
#ifndef PROXY_SERVER_DOUBT_H
#define PROXY_SERVER_DOUBT_H

struct server;
struct statement;

/* The line has been read without a mistake; words of default-server lines are not meant. */
void server_doubt_words(struct statement *st, const struct server *s);

#endif
