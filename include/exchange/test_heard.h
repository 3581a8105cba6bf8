/* SPDX-License-Identifier: BSD-2-Clause */
/* A kind of filters that writes down which moments of streams it hears, and makes streams wait or
 * end wherever a test wants. A line "filter lua.x" is heard by x. Linked into tests only (cmocka). */
#ifndef EXCHANGE_TEST_HEARD_H
#define EXCHANGE_TEST_HEARD_H

#include "filter/filter.h"

/* Moments at which a listener may say something, in their order. */
enum { ASKED_AT = 6 };
extern const enum moment asked_at[ASKED_AT];

struct hearing {
	char all[4000];        /* "aBEGUN bBEGUN aREQUEST ...": line and moment */
	unsigned states;       /* of filters, that are alive */
	char who;              /* which line says something else than that it goes on */
	enum moment when;      /* ... and at which moment */
	enum moment_said what; /* SAID_GOES_ON: none does */
	bool answers;          /* SAID_ENDS comes with an answer, of status 299 */
};
extern struct hearing hearing;

/* Before the world begins, and behind its end. */
void heard_begin(void);
void heard_end(void);

/* From now on nothing was heard, and that line says this at that moment, without an answer. */
void says(char line, enum moment moment, enum moment_said said);
/* What the one line has heard. */
const char *heard_by(char line);
unsigned times_heard(char line, enum moment moment);
/* Line a has heard asked_at[i] once, and nothing of what is behind it. */
void waits_at(unsigned i);

#endif
