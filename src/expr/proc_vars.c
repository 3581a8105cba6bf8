/* SPDX-License-Identifier: BSD-2-Clause */
/* Variables of the process in several workers. Each process has them in memory of its own and sets
 * them there at once; here it tells the others, through the ordered log of changes. Called by
 * expr/vars.c and by the log.
 *
 * A variable waits in a list from the moment that it is set until its turn, so that a thousand
 * values are one change. It has one change under way at most. Each value has a stamp, the time
 * when it was set and by whom; a process takes a value that is later than its own. So all end with
 * the one that was set last, whatever the order in which they hear of it. */
#include "expr/proc_vars.h"

#include "base/clock.h"
#include "base/err.h"
#include "base/sample.h"
#include "base/str.h"
#include "event/timer.h"
#include "expr/state.h"
#include "expr/vars.h"
#include "expr/view.h"
#include "log/log.h"

#include <stdlib.h>
#include <string.h>

static struct list waiting = LIST_INIT(waiting); /* of var_name.waits */
static uint64_t next_ms;                         /* before that none is told */
static uint64_t refused_ms;                      /* when a refusal was last logged; 0: never */
enum { REFUSED_APART_MS = 10000 };

static void tell(struct timer *timer);
static struct timer teller = { .fire = tell };

/* The names are constant to whoever names them. */
static struct var_name *own(const struct var_name *name)
{
	return (struct var_name *)name;
}

/* Later than what the variable has, and no other process's. */
enum { STAMP_NUMBERS = 1024 };

static uint64_t stamp_now(const struct var_name *name)
{
	uint64_t us = clock_read_us(), least = name->stamp / STAMP_NUMBERS + 1;

	return (us > least ? us : least) * STAMP_NUMBERS + expr_process.number % STAMP_NUMBERS;
}

static void tell_soon(void)
{
	timer_set_by(&teller, next_ms > clock_now_ms ? next_ms : clock_now_ms);
}

void proc_vars_changed(const struct var_name *name)
{
	if (!change_is_shared())
		return;
	own(name)->stamp = stamp_now(name);
	if (!list_empty(&name->waits))
		return;
	list_append(&waiting, &own(name)->waits);
	tell_soon();
}

/* ---- frames --------------------------------------------------------------------------------- */

/* What stands in front. The name with its NUL follows, and the bytes of the value. */
struct head {
	uint64_t stamp;
	uint32_t generation; /* that it is for; 0: any */
	uint32_t type;       /* of the value; SMP_ANY: it is unset */
};

static bool is_text(unsigned type)
{
	return type == SMP_STR || type == SMP_BIN || type == SMP_METH;
}

static size_t value_size(const struct sample *smp)
{
	if (is_text(smp->type))
		return smp->str.len;
	if (smp->type == SMP_IPV4)
		return sizeof(smp->v4);
	return smp->type == SMP_IPV6 ? sizeof(smp->v6) : sizeof(smp->num);
}

static const void *value_bytes(const struct sample *smp)
{
	if (is_text(smp->type))
		return smp->str.ptr;
	if (smp->type == SMP_IPV4)
		return &smp->v4;
	return smp->type == SMP_IPV6 ? (const void *)&smp->v6 : &smp->num;
}

static char *frame_make(const struct head *head, const char *name, const struct sample *smp,
			size_t *len)
{
	size_t named = strlen(name) + 1, size = head->type == SMP_ANY ? 0 : value_size(smp);
	char *frame = malloc(sizeof(*head) + named + size);

	if (!frame)
		return NULL;
	*len = sizeof(*head) + named + size;
	memcpy(frame, head, sizeof(*head));
	memcpy(frame + sizeof(*head), name, named);
	if (size)
		memcpy(frame + sizeof(*head) + named, value_bytes(smp), size);
	return frame;
}

char *proc_vars_frame(const struct var_name *name, const struct sample *smp, size_t *len)
{
	const struct head head = { .stamp = stamp_now(name), .type = smp->type };

	return frame_make(&head, name->text, smp, len);
}

/* The value from the bytes behind the name. False: they are none of that type. */
static bool take_value(struct sample *smp, unsigned type, const char *bytes, size_t len)
{
	*smp = (struct sample){ .type = (enum sample_type)type };
	if (is_text(type))
		smp->str = (struct span){ bytes, len };
	else if (type == SMP_ANY)
		return !len;
	else if (type >= SMP_TYPES || len != value_size(smp))
		return false;
	else
		memcpy((void *)value_bytes(smp), bytes, len);
	return true;
}

/* ---- telling -------------------------------------------------------------------------------- */

/* The value stays here; whoever reads the log knows that the others do not have it. */
static void refused(const struct var_name *name, const char *why)
{
	vars_stats.failed++;
	if (refused_ms && clock_now_ms < refused_ms + REFUSED_APART_MS)
		return;
	refused_ms = clock_now_ms;
	log_process(LOG_L_ERR, "The variable '%s' is set in this process alone: %s", name->text,
		    why);
}

static void told(void *arg, const char *error, const char *said, size_t len)
{
	struct var_name *name = arg;

	(void)said;
	(void)len;
	name->under_way = false;
	if (error && change_is_shared())
		refused(name, error);
}

/* Returns how many bytes it took. */
static size_t tell_one(struct var_name *name)
{
	static const struct view nothing;
	struct head head = { .stamp = name->stamp, .generation = expr_process.generation };
	struct sample smp = { .flags = 0 };
	size_t len = 0;
	char *frame;

	head.type = var_get(name, &nothing, &smp) ? smp.type : SMP_ANY;
	frame = frame_make(&head, name->text, &smp, &len);
	list_remove(&name->waits);
	if (!frame) {
		refused(name, "out of memory");
		return 0;
	}
	name->under_way = true;
	change_submit(&variable_change, frame, len, told, name);
	free(frame);
	return len;
}

static void tell(struct timer *timer)
{
	struct var_name *name, *next;
	size_t bytes = 0;

	(void)timer;
	next_ms = clock_now_ms + PROC_VARS_APART_MS;
	list_for_each_safe(name, next, &waiting, waits) {
		if (bytes >= PROC_VARS_BYTES_ONCE)
			break;
		if (!name->under_way)
			bytes += tell_one(name);
	}
	if (!list_empty(&waiting))
		tell_soon();
}

/* ---- hearing -------------------------------------------------------------------------------- */

/* Of a worker that was taken over: nobody could set the variable any more. */
static bool is_of_the_future(uint64_t stamp)
{
	return stamp / STAMP_NUMBERS > clock_read_us() + 1000000;
}

/* The name; NULL: it is no such change. */
static const char *take_frame(const void *bytes, size_t len, struct head *head, struct sample *smp)
{
	const char *at = (const char *)bytes + sizeof(*head), *end;

	if (len < sizeof(*head))
		return NULL;
	memcpy(head, bytes, sizeof(*head));
	len -= sizeof(*head);
	end = memchr(at, 0, len);
	if (!end || is_of_the_future(head->stamp) ||
	    !take_value(smp, head->type, end + 1, len - (size_t)(end + 1 - at)))
		return NULL;
	return at;
}

/* It is set from elsewhere; what we wanted to tell is older. */
static int replace(struct var_name *name, const struct head *head, const struct sample *smp,
		   struct err *err)
{
	if (head->type == SMP_ANY)
		var_take_away(name);
	else if (!var_put(name, smp))
		return err_set(err, "Out of memory.");
	name->stamp = head->stamp;
	list_remove(&name->waits);
	return 0;
}

static int variable_apply(const void *bytes, size_t len, struct text *said, struct err *err)
{
	const struct var_name *name;
	struct sample smp;
	struct head head;
	const char *text = take_frame(bytes, len, &head, &smp);

	(void)said;
	if (!text)
		return err_set(err, "a broken change");
	if (head.generation && head.generation != expr_process.generation)
		return 0;
	name = (change_first ? var_name : var_name_heard)(span_of(text), err);
	if (!name)
		return -1;
	if (name->scope != VAR_PROC)
		return err_set(err, "'%s' is no variable of the process", name->text);
	return head.stamp > name->stamp ? replace(own(name), &head, &smp, err) : 0;
}

const struct change_kind variable_change = { .name = "process variable", .apply = variable_apply };
