/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left behind a request that was explained (explain/outcome.h). Called by run.c. */
#include "explain/outcome.h"

#include "base/arena.h"
#include "explain/inside.h"
#include "explain/record.h"
#include "explain/shown.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

struct span bytes_span(const struct bytes *b)
{
	return (struct span){ b->ptr, b->len };
}

/* ---- heads ------------------------------------------------------------------------------- */

/* Behind the empty line that ends a head; 0: there is none. */
static size_t head_length(struct span bytes)
{
	const char *end = bytes.len ? memmem(bytes.ptr, bytes.len, "\r\n\r\n", 4) : NULL;

	return end ? (size_t)(end - bytes.ptr) + 4 : 0;
}

char *message_head(struct arena *arena, struct span bytes)
{
	enum { MOST = 2048 };
	size_t head = head_length(bytes),
	       len = head               ? head - 2
		     : bytes.len < MOST ? bytes.len
					: MOST;
	size_t size = len * 4 + 64;
	struct text t;

	text_init(&t, arena_alloc(arena, size), size);
	shown_bytes(&t, (struct span){ bytes.ptr, len }, true);
	if (head && bytes.len > head)
		text_printf(&t, "(and %zu bytes of a body)\n", bytes.len - head);
	else if (bytes.len > len && !head)
		text_printf(&t, "... (%zu bytes)\n", bytes.len);
	return t.ptr;
}

struct entry *record_servers(struct entry *root)
{
	struct entry *t, *found = NULL;

	for (t = root->children; t; t = t->next)
		if (t->kind == ENTRY_SERVERS)
			found = t;
	return found;
}

/* ---- the second process ------------------------------------------------------------------ */

int other_start(struct other *other)
{
	int ask[2], say[2];

	if (pipe(ask) < 0)
		return 1;
	if (pipe(say) < 0) {
		close(ask[0]);
		close(ask[1]);
		return 1;
	}
	fflush(stdout);
	other->pid = fork();
	other->in = other->pid ? say[0] : ask[0];
	other->out = other->pid ? ask[1] : say[1];
	close(other->pid ? say[1] : ask[1]);
	close(other->pid ? ask[0] : say[0]);
	return other->pid != 0;
}

static bool hear(int fd, char *text, size_t size)
{
	size_t len = 0;
	ssize_t n;

	while (len < size - 1 && (n = read(fd, text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = 0;
	return len > 0;
}

bool other_hears(const struct other *other, char *down, size_t size)
{
	if (!freopen("/dev/null", "w", stderr))
		return false;
	return hear(other->in, down, size);
}

bool other_asked(struct other *other, const char *backend, const char *server, char *said,
		 size_t size)
{
	if (other->pid < 0)
		return false;
	dprintf(other->out, "%s/%s", backend, server);
	close(other->out);
	other->out = -1;
	return hear(other->in, said, size);
}

void other_end(struct other *other)
{
	if (other->pid < 0)
		return;
	if (other->out >= 0)
		close(other->out);
	close(other->in);
	waitpid(other->pid, NULL, 0);
	other->pid = -1;
}
