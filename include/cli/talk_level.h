/* SPDX-License-Identifier: BSD-2-Clause */
/* What the level of a talk (event/talk.h) consists of: bits for who asks and for who answers. */
#ifndef CLI_TALK_LEVEL_H
#define CLI_TALK_LEVEL_H

/* Beside LEVEL_* in the level of a talk: the modes of who asks, and how severities are shown.
 * The answer is that of the process that is asked, or, with TALK_SERVICE, that of its stats
 * socket, which asks the others where that belongs to it: for the parent alone, since a worker
 * has that itself. */
enum { TALK_LEVEL = 0xff, TALK_EXPERT = 1 << 8, TALK_EXPERIMENTAL = 1 << 9, TALK_SERVICE = 1 << 10,
       TALK_SEVERITY_SHIFT = 12, TALK_SEVERITY = 3 << TALK_SEVERITY_SHIFT };

#endif
