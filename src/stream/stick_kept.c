/* SPDX-License-Identifier: BSD-2-Clause */
/* Keys that wait for their server (stream/stick_kept.h): a short list, which is freed with the
 * stream. Of a request each table learns one key, of a response one more. */
#include "stream/stick_kept.h"

#include "proxy/stick_conf.h"

#include <stdlib.h>
#include <string.h>

bool stick_kept_has(const struct stick_kept *list, const struct stick_line *line, bool of_response)
{
	for (; list; list = list->next)
		if (list->line == line && list->of_response == of_response)
			return true;
	return false;
}

void stick_kept_add(struct stick_kept **list, const struct stick_line *line, bool of_response,
		    struct span key)
{
	size_t len = key.len < line->def.key_len ? key.len : line->def.key_len;
	struct stick_kept *kept;
	unsigned count = 0;

	for (; *list; list = &(*list)->next)
		count++;
	kept = count < STICKS_MOST ? malloc(sizeof(*kept) + len) : NULL;
	if (!kept)
		return;
	*kept = (struct stick_kept){ .line = line, .of_response = of_response, .len = len };
	memcpy(kept->key, key.ptr, len);
	*list = kept;
}

void stick_kept_free(struct stick_kept **list)
{
	struct stick_kept *kept;

	while ((kept = *list)) {
		*list = kept->next;
		free(kept);
	}
}
