/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a stream has ended, as logs and people are told: what the rows of ends.def say. */
#include "stream/stream.h"

/* What ends a stream from outside says nothing of its phase, unless the server is about to answer,
 * or answers, in HTTP: so does the reference. */
static bool has_phase(const struct stream *s)
{
	switch (s->reason) {
	case END_NONE:
	case END_NORMAL:
		return false;
	case END_SERVER_DOWN:
	case END_SERVER_UP:
	case END_KILLED:
		return s->exchange && (s->phase == PHASE_HEADERS || s->phase == PHASE_DATA);
	default:
		return true;
	}
}

char reason_letter(enum reason reason)
{
	static const char letters[] = {
#define REASON(name, letter, error, status, text) letter,
#include "stream/ends.def"
#undef REASON
	};

	return letters[reason];
}

void stream_termination(const struct stream *s, char code[3])
{
	static const char phases[] = { 'R', 'Q', 'C', 'H', 'D', 'L', 'T' };

	code[0] = reason_letter((enum reason)s->reason);
	code[1] = has_phase(s) ? phases[s->phase] : '-';
	code[2] = 0;
}

const char *reason_text(enum reason reason)
{
	static const char *const texts[] = {
#define REASON(name, letter, error, status, text) text,
#include "stream/ends.def"
#undef REASON
	};

	return texts[reason];
}

bool reason_is_error(enum reason reason)
{
	static const bool errors[] = {
#define REASON(name, letter, error, status, text) error,
#include "stream/ends.def"
#undef REASON
	};

	return errors[reason];
}
