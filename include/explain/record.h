/* SPDX-License-Identifier: BSD-2-Clause */
/* What happened to one stream, as it told it (stream/watched.h): a tree of what was reached, in
 * order, with values that are copied. Made by the real steps and rules; nothing is evaluated for
 * its sake. Text and JSON are made of it: explain/say.h. */
#ifndef EXPLAIN_RECORD_H
#define EXPLAIN_RECORD_H

#include "base/str.h"
#include "config/config.h"
#include "explain/treated.h"

#include <stdbool.h>

struct arena;
struct proxy;
struct server;
struct stream;
struct subscriber;
struct watch;

enum entry_kind {
	ENTRY_ROOT,
	ENTRY_SECTION,  /* rules of another section begin. name: "frontend web", "backend shop";
			 * text: "response" where they are about the response, or NULL */
	ENTRY_RULE,     /* name: list and action, "http-request deny" */
	ENTRY_CHOICE,   /* name: "use_backend"; text: what it named */
	ENTRY_ACL,      /* name; NULL: anonymous */
	ENTRY_SAMPLE,   /* name: the expression; text: the value, NULL: none was found */
	ENTRY_PATTERN,  /* text: the pattern that matched, NULL: none; before: a map's value */
	ENTRY_VARIABLE, /* name; text: the value, NULL: unset */
	ENTRY_FIELD,    /* of a head. name: the field, "method", "target" or "status"; before, text:
			 * NULL where it was not there, is not there any more */
	ENTRY_CAPTURE,  /* name: "request 0"; text */
	ENTRY_BACKEND,  /* name; text: why that one */
	ENTRY_SERVERS,  /* name: the algorithm, or what else has chosen; children: ENTRY_SERVER */
	ENTRY_SERVER,   /* name; text: address; before: state; weight; held: it is the one */
	ENTRY_MESSAGE, /* name: whose, "request to the server"; text: its head, lines ended by \n */
	ENTRY_NOTE,    /* text: a sentence */
};

enum entry_held { HELD_NO, HELD_YES, HELD_WAITS, HELD_UNKNOWN };

struct entry {
	struct entry *next, *up, *children, **tail;
	enum entry_kind kind;
	struct location loc;   /* file NULL: none */
	const char *name, *text, *before;
	const char *result;    /* rules: what the action said: "next", "deny" ...; NULL: it did not
				* run */
	enum entry_held held;
	unsigned weight;
	bool response;         /* it is about the response */
	bool taken;            /* choices: what it named was taken */
};

struct head;

/* What a request came to, for expectations. NULL, 0: not reached. */
struct outcome {
	const char *frontend, *backend, *server;
	const char *code;      /* termination code: "--", "PR" */
	const char *reason;    /* the sentence that belongs to it */
	unsigned status;       /* that the client is told */
	bool ended;
};

struct record {
	struct arena
		*arena; /* a limited one may be short of memory: some entries are missing then */
	struct entry top;       /* root points there */
	struct entry *root, *at; /* at: what is told now belongs to it */
	struct entry *section;
	const void *section_of; /* the proxy */
	bool section_response;
	struct stream *stream;  /* NULL: it has not begun, or has ended */
	const struct proxy *backend;
	const struct server *server;
	struct entry *choice;    /* the last use_backend or use-server that was taken */
	const char *step;       /* that runs */
	struct head *request, *response; /* as they were when looked at last; NULL: not yet */
	struct treated treated; /* as the last rule found the stream */
	unsigned captures[2];   /* of request and response: how many were told */
	size_t most;            /* bytes of memory */
	bool full;              /* these were not enough: something is missing */
	unsigned longest;       /* bytes of one value that are told */
	const char *log;        /* the line; NULL: none was written */
	struct outcome outcome;
	/* Asked once of each stream, when its request is there, or its bytes are waited for: false,
	 * and it is forgotten, with all that it has told. NULL: all are wanted. */
	bool (*wanted)(struct record *r, struct stream *s);
	bool decided;           /* it was asked, and said yes */
	void (*changed)(struct record *r); /* the steps wait, or it has ended; may be NULL */
	void (*begins)(struct record *r, struct stream *s); /* may be NULL */
	void *owner;
};

/* From now on the next stream of this frontend (NULL: of any one that is no stats socket) is
 * recorded there. One record at a time. */
void record_begin(struct record *r, struct arena *arena, const struct proxy *frontend);
/* No more: what is there stays, in the arena. The stream, if there is one, goes on. */
void record_end(void);
/* Who makes it know of streams: before and behind the line of the log. */
extern const struct subscriber record_begins_subscriber, record_ends_subscriber;
/* Is one going on? */
bool record_busy(void);
/* The callbacks for rules that run before there is a stream. */
const struct watch *record_rules(void);
/* Something that no rule says. */
struct entry *record_note(struct record *r, enum entry_kind kind, const char *name,
			  const char *text);

#endif
