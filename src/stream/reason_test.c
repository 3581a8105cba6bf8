/* SPDX-License-Identifier: BSD-2-Clause */
/* Why streams end, as logs say it: two letters and a sentence for each reason, in each phase. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "stream/stream.h"

#include <string.h>

/* The second letters, in the order of enum phase: manual 8.5. */
static const char phases[] = "RQCHDLT";

static void each_reason_has_its_letter(void **state)
{
	static const enum reason in_order[] = {
		END_NONE, END_NORMAL, END_CLIENT_ABORT, END_CLIENT_TIMEOUT, END_BAD_REQUEST,
		END_SERVER_ABORT, END_SERVER_UNSAID, END_BAD_RESPONSE, END_SERVER_REFUSED,
		END_NO_SERVER, END_SERVER_TIMEOUT, END_CONNECT_TIMEOUT, END_QUEUE_TIMEOUT,
		END_QUEUE_FULL,
		END_DENIED, END_LIMIT, END_LOCAL, END_RESOURCE, END_INTERNAL, END_FILTERED,
		END_UNWRITTEN, END_SERVER_DOWN, END_SERVER_UP, END_KILLED,
	};
	static const char of_each[] = "--CcPSSPSSsssSPPLRIPPDUK";
	size_t i;

	(void)state;
	assert_int_equal(sizeof(in_order) / sizeof(in_order[0]), END_REASONS);
	for (i = 0; i < END_REASONS; i++)
		assert_int_equal(reason_letter(in_order[i]), of_each[i]);
}

static void some_are_no_errors(void **state)
{
	unsigned r;

	(void)state;
	for (r = 0; r < END_REASONS; r++)
		assert_int_equal(reason_is_error((enum reason)r),
				 r != END_NONE && r != END_NORMAL && r != END_LOCAL &&
					 r != END_SERVER_UNSAID);
}

static void each_has_its_sentence(void **state)
{
	unsigned r, k;

	(void)state;
	for (r = 0; r < END_REASONS; r++)
		for (k = 0; k < r; k++)
			assert_string_not_equal(reason_text((enum reason)r),
						reason_text((enum reason)k));
	assert_string_equal(reason_text(END_NORMAL), "both sides have closed");
	assert_string_equal(reason_text(END_KILLED), "an administrator shut it down");
}

static bool from_outside(unsigned reason)
{
	return reason == END_SERVER_DOWN || reason == END_SERVER_UP || reason == END_KILLED;
}

static void the_second_letter_is_the_phase(void **state)
{
	struct exchange *some = (struct exchange *)(void *)&state;
	unsigned r, phase, http;

	for (http = 0; http < 2; http++)
		for (r = 0; r < END_REASONS; r++)
			for (phase = PHASE_REQUEST; phase <= PHASE_TARPIT; phase++) {
				struct stream s = { .reason = (uint8_t)r, .phase = (uint8_t)phase,
						    .exchange = http ? some : NULL };
				bool shown = r != END_NONE && r != END_NORMAL;
				char code[3];

				if (from_outside(r))
					shown = http && (phase == PHASE_HEADERS ||
							 phase == PHASE_DATA);
				stream_termination(&s, code);
				assert_int_equal(code[0], reason_letter((enum reason)r));
				assert_int_equal(code[1], shown ? phases[phase] : '-');
				assert_int_equal(code[2], 0);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_reason_has_its_letter),
		cmocka_unit_test(some_are_no_errors),
		cmocka_unit_test(each_has_its_sentence),
		cmocka_unit_test(the_second_letter_is_the_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
