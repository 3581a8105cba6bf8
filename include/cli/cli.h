/* SPDX-License-Identifier: BSD-2-Clause */
/* A conversation on the stats socket (management guide 9.3): bytes in, bytes out, no socket.
 * The applet end feeds it and drains it; the unit tests do the same by hand. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

struct cli;
struct view;

/* cli_output wants a buffer of at least this size. */
enum { CLI_OUTPUT_MIN = 16384 };

/* What a conversation may do. */
enum { LEVEL_NONE, LEVEL_USER, LEVEL_OPERATOR, LEVEL_ADMIN };
enum cli_severity { CLI_SEVERITY_NONE, CLI_SEVERITY_NUMBER, CLI_SEVERITY_STRING };

/* Most bytes of a line and its payload: tune.bufsize, but not less than this. */
enum { CLI_LINE_LEAST = 16384 };
extern size_t cli_line_most;

/* A conversation with rights level (LEVEL_USER ...) that shows severities in this way. NULL:
 * out of memory. The caller frees it. */
struct cli *cli_new(int level, int severity);
void cli_free(struct cli **cli);
/* It is one with another process of the service. alone: about this process, not the service. */
void cli_make_talk(struct cli *cli, bool alone);

/* Takes bytes from the peer; returns how many were taken. Fewer than len: it is busy with
 * commands (call it again after cli_output has said all) or done. */
size_t cli_input(struct cli *cli, const char *bytes, size_t len);
/* Would cli_input take any now? */
bool cli_takes(const struct cli *cli);
/* The peer will send no more. A last line without line feed is not carried out: it may have
 * been cut in the middle. */
void cli_input_end(struct cli *cli);
/* Writes the next part of the answers, at most size bytes (at least CLI_OUTPUT_MIN); returns
 * how many. 0: nothing to say now. Objects may come and go between two calls. */
size_t cli_output(struct cli *cli, char *buf, size_t size);
/* All was said: close once the output has left. */
bool cli_done(const struct cli *cli);
/* Waits for the peer: no command is running and there is nothing to say. */
bool cli_idle(const struct cli *cli);
/* Nothing was begun, and nothing is kept but what can be written as text: level, prompt, modes.
 * Then a conversation can be carried on by another program: cli_from_text makes a new one of it.
 * NULL: out of memory, or no such text. */
bool cli_is_clean(const struct cli *cli);
enum { CLI_TEXT = 80 };
void cli_to_text(const struct cli *cli, char *buf, size_t size);
struct cli *cli_from_text(const char *text);
/* A command waits for something else than its peer, and has limits of its own. */
bool cli_busy(const struct cli *cli);
/* Milliseconds of "set timeout cli"; 0: as configured. */
unsigned cli_timeout(const struct cli *cli);

struct err;
struct text;
/* Carries out a command without a conversation, with the given rights and severity output. Only
 * commands that all processes carry out (CLI_SHARED) are accepted, since an attacker may have taken
 * over the asking process. words: NULL-terminated; cli_apply may change them. 0, and what the
 * command says in said; or -1 and err. */
int cli_apply(int level, int severity, char **words, const char *payload, struct text *said,
	      struct err *err);

/* Called when a command that waited (show events -w) has something to say. */
void cli_on_wake(struct cli *cli, void (*wake)(void *arg), void *arg);
/* socket returns the connected Unix socket over which descriptors may be passed to the peer, or
 * -1; its argument is that of wake. */
void cli_on_socket(struct cli *cli, int (*socket)(void *arg));
/* view fills in what is known of the stream that the conversation is; its argument is that of wake. */
void cli_on_view(struct cli *cli, void (*fill)(void *arg, struct view *view));

#endif
