/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a stream that is a conversation on the stats socket. */
#ifndef CLI_APPLET_H
#define CLI_APPLET_H

struct end;
struct listener;

/* Makes the end a conversation with the level and severity of the listener's bind line; for
 * struct proxy's applet. 0, or -1: out of memory. */
int cli_applet_open(struct end *end, const struct listener *l);

/* For show profiling. */
extern const struct profile_name applet_profile;

#endif
