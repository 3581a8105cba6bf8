/* SPDX-License-Identifier: BSD-2-Clause */
/* Commands on maps and ACLs (management guide 9.3, "show map" and its like). What they show is this
 * process's; what they change goes through the ordered log. Payloads: maps_load.c. */
#include "cli/maps.h"

#include "cli/modes.h"
#include "cli/tables.h"
#include "expr/expr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* -- arguments ------------------------------------------------------------------------------- */

bool maps_is_map(const struct cli_call *call)
{
	return !strcmp(call->words[1], "map");
}

static int maps_unknown(const struct cli_call *call, struct err *err)
{
	return err_set(err, "Unknown %s identifier. Please use #<id> or <file>.",
		       maps_is_map(call) ? "map" : "ACL");
}

struct pattern_ref *maps_ref(const struct cli_call *call, int i, struct err *err)
{
	struct pattern_ref *ref = pattern_ref_named(cli_arg(call, i), maps_is_map(call));

	if (!ref)
		maps_unknown(call, err);
	return ref;
}

int maps_version(const struct cli_call *call, int *i, const char **version, struct err *err)
{
	const char *word = cli_arg(call, *i);
	int64_t number;

	*version = NULL;
	if (*word != '@')
		return 0;
	if (!isdigit((unsigned char)word[1]) || !str_to_int(word + 1, 0, UINT32_MAX, &number))
		return err_set(err, "'%.*s' is no version number.", STR_CUT(word, 64));
	*version = word + 1;
	++*i;
	return 0;
}

/* -- rows of any length ------------------------------------------------------------------------ */

/* One that is longer than a piece. */
struct long_row {
	char *text;
	size_t len, said;
};

static enum cli_step row_say(struct long_row *row, struct cli_call *call)
{
	size_t len = row->len - row->said;

	if (len > CLI_PIECE)
		len = CLI_PIECE;
	text_add(call->out, row->text + row->said, len);
	row->said += len;
	if (row->said == row->len) {
		free(row->text);
		*row = (struct long_row){ 0 };
	}
	return CLI_MORE;
}

/* -- show: the list ---------------------------------------------------------------------------- */

struct show_state {
	const struct pattern_ref *ref; /* the list: to be said next */
	const struct pattern_use *use; /* of it, to be said next; NULL: its begin */
	bool began;
	struct pattern_reader reader;
	bool list;
	struct long_row row;
};

static bool listed(const struct cli_call *call, const struct pattern_ref *ref)
{
	return ref->current && (maps_is_map(call) ? ref->kind == PATTERN_VALUES : ref->in_acl);
}

/* Lookups that compare in the same way and give the same kind of value are one. */
static bool use_is_alike(const struct pattern_use *a, const struct pattern_use *b)
{
	return a->set->match == b->set->match && a->set->convert == b->set->convert &&
	       a->of_acl == b->of_acl &&
	       !((a->flags ^ b->flags) & (PATTERN_ICASE | PATTERN_MAP | PATTERN_GROUPS));
}

/* The next of a kind that was not told of; NULL: there is none. */
static const struct pattern_use *use_of_another_kind(const struct pattern_ref *ref,
						     const struct pattern_use *use)
{
	const struct pattern_use *before;

	for (; use; use = use->next) {
		for (before = ref->uses; before != use && !use_is_alike(before, use);)
			before = before->next;
		if (before == use)
			return use;
	}
	return NULL;
}

/* Entries of all versions, as each kind of use has them. */
static size_t entry_count(const struct pattern_ref *ref)
{
	size_t entries = ref->current->count, count = 0;
	const struct pattern_version *v;
	const struct pattern_use *use;

	for (v = ref->others; v; v = v->next)
		entries += v->count;
	for (use = ref->uses; (use = use_of_another_kind(ref, use)); use = use->next)
		count += entries;
	return count;
}

static void list_end_row(struct show_state *state, struct cli_call *call)
{
	const struct pattern_ref *ref = state->ref;

	text_printf(call->out, ". curr_ver=%u next_ver=%u entry_cnt=%zu\n", ref->current->number,
		    ref->next_version, entry_count(ref));
	state->ref = ref->next;
	state->began = false;
}

static void list_begin_row(struct show_state *state, struct cli_call *call)
{
	const struct pattern_ref *ref = state->ref;

	state->began = true;
	state->use = ref->path ? ref->uses : NULL;
	if (ref->path)
		text_printf(call->out, "%lld (%.*s) pattern loaded from file '%.*s' used",
			    (long long)ref->id, STR_CUT(ref->path, 2000), STR_CUT(ref->path, 2000));
	else
		text_printf(call->out, "%lld () acl '%.*s' file '%.*s' line %u", (long long)ref->id,
			    STR_CUT(ref->criterion, 1000),
			    STR_CUT(ref->loc.file ? ref->loc.file : "", 2000), ref->loc.line);
}

static void list_use(struct show_state *state, struct cli_call *call)
{
	const struct pattern_use *use = state->use;

	text_printf(call->out, "%s by %s at file '%.*s' line %u",
		    use == state->ref->uses ? "" : ",", use->flags & PATTERN_MAP ? "map" : "acl",
		    STR_CUT(use->loc.file ? use->loc.file : "", 2000), use->loc.line);
	state->use = use->next;
}

static enum cli_step list_next(struct show_state *state, struct cli_call *call)
{
	while (state->ref && !listed(call, state->ref))
		state->ref = state->ref->next;
	if (!state->ref)
		return CLI_END;
	if (!state->began)
		list_begin_row(state, call);
	else if (state->use)
		list_use(state, call);
	else
		list_end_row(state, call);
	return CLI_MORE;
}

/* -- show: entries ----------------------------------------------------------------------------- */

static int show_start(struct cli_call *call, struct err *err)
{
	struct show_state *state = CLI_STATE_OF(struct show_state, call);
	struct pattern_version *v;
	struct pattern_ref *ref;
	const char *version;
	int i = 0;

	if (!call->argc) {
		state->list = true;
		state->ref = pattern_refs_running;
		text_str(call->out, "# id (file) description\n");
		return 0;
	}
	if (maps_version(call, &i, &version, err))
		return -1;
	ref = maps_ref(call, i, err);
	if (!ref)
		return -1;
	v = version ? version_find(ref, (uint32_t)strtoul(version, NULL, 10)) : ref->current;
	if (v)
		reader_begin(&state->reader, v);
	return 0;
}

/* "0x<id> <text>[ <value>]". False: it has more than a piece and was copied. */
static bool entry_say(const struct pattern_entry *e, struct show_state *state, struct text *out)
{
	const char *value = e->value ? e->value->text : "", *blank = e->value ? " " : "";
	size_t len = strlen(e->text) + strlen(value) + 32;
	int n;

	if (len <= CLI_PIECE) {
		text_printf(out, "0x%llx %s%s%s\n", (unsigned long long)e->id, e->text, blank, value);
		return true;
	}
	n = asprintf(&state->row.text, "0x%llx %s%s%s\n", (unsigned long long)e->id, e->text, blank,
		     value);
	state->row.len = n < 0 ? 0 : (size_t)n;
	return n < 0;
}

static size_t entry_size(const struct pattern_entry *e)
{
	return strlen(e->text) + (e->value ? strlen(e->value->text) : 0) + 32;
}

static enum cli_step entries_next(struct show_state *state, struct cli_call *call)
{
	struct pattern_reader *r = &state->reader;
	size_t before = call->out->len, room = CLI_PIECE;

	if (state->row.text)
		return row_say(&state->row, call);
	while (r->version && r->at) {
		room = CLI_PIECE - (call->out->len - before);
		if (room < CLI_PIECE && entry_size(r->at) > room)
			return CLI_MORE;
		if (!entry_say(r->at, state, call->out)) {
			r->at = r->at->next;
			return CLI_MORE;
		}
		r->at = r->at->next;
	}
	return CLI_END;
}

static enum cli_step show_next(struct cli_call *call)
{
	struct show_state *state = CLI_STATE_OF(struct show_state, call);

	return state->list ? list_next(state, call) : entries_next(state, call);
}

static void show_end(struct cli_call *call)
{
	struct show_state *state = CLI_STATE_OF(struct show_state, call);

	if (!state)
		return;
	reader_end(&state->reader);
	free(state->row.text);
}

/* -- get --------------------------------------------------------------------------------------- */

struct get_state {
	const struct pattern_ref *ref;
	const struct pattern_use *use; /* to be said next */
	struct long_row row;
};

static int get_start(struct cli_call *call, struct err *err)
{
	struct get_state *state = CLI_STATE_OF(struct get_state, call);

	if (call->argc < 2)
		return err_set(err, "Missing %s identifier and/or key.",
			       maps_is_map(call) ? "map" : "ACL");
	state->ref = maps_ref(call, 0, err);
	if (!state->ref)
		return -1;
	state->use = state->ref->uses;
	return 0;
}

static const char *get_type(const struct pattern_use *use)
{
	switch (use->set->match) {
	case MATCH_VERSION:
		return "int";
	case MATCH_METH:
		return "meth";
	case MATCH_GROUP:
		return "auth";
	case MATCH_REG:
		return use->flags & PATTERN_GROUPS ? "regm" : "reg";
	default:
		return match_name(use->set->match);
	}
}

static const struct pattern *get_match(const struct pattern_set *set, const char *word)
{
	struct sample smp = { .type = SMP_STR, .flags = SMP_CONST, .str = span_of(word) };

	if (set->match == MATCH_METH)
		smp.type = SMP_METH;
	return match_has_patterns(set->match) && set->match != MATCH_GROUP ?
		       pattern_match(set, &smp) : NULL;
}

static const char *value_type(const char *value, const struct pattern *p)
{
	if (!p->data)
		return "str";
	if (strchr(value, ':'))
		return "ipv6";
	return strchr(value, '.') ? "ipv4" : "sint";
}

static char *get_found(const struct cli_call *call, const struct pattern_use *use,
		       const struct pattern *p)
{
	const char *tree = pattern_in_tree(use->set, p) ? "tree" : "list";
	char *made = NULL;
	int n;

	if (!maps_is_map(call))
		n = asprintf(&made, ", match=yes, idx=%s, pattern=\"%s\"\n", tree, p->text);
	else if (!(use->flags & PATTERN_MAP) || use->of_acl)
		n = asprintf(&made, ", found=yes, idx=%s, key=\"%s\", value=none\n", tree, p->text);
	else
		n = asprintf(&made, ", found=yes, idx=%s, key=\"%s\", value=\"%s\", type=\"%s\"\n",
			     tree, p->text, p->value, value_type(p->value, p));
	return n < 0 ? NULL : made;
}

static enum cli_step get_next(struct cli_call *call)
{
	struct get_state *state = CLI_STATE_OF(struct get_state, call);
	const struct pattern_use *use = state->use;
	const struct pattern *p;

	if (state->row.text)
		return row_say(&state->row, call);
	if (!use)
		return CLI_END;
	state->use = use_of_another_kind(state->ref, use->next);
	p = get_match(use->set, call->argv[1]);
	text_printf(call->out, "type=%s, case=%ssensitive", get_type(use),
		    use->flags & PATTERN_ICASE ? "in" : "");
	if (p)
		state->row.text = get_found(call, use, p);
	if (!state->row.text)
		text_printf(call->out, ", %s=no\n", maps_is_map(call) ? "found" : "match");
	else
		state->row.len = strlen(state->row.text);
	return CLI_MORE;
}

static void get_end(struct cli_call *call)
{
	struct get_state *state = CLI_STATE_OF(struct get_state, call);

	if (state)
		free(state->row.text);
}

/* -- changes ----------------------------------------------------------------------------------- */

struct change_state {
	struct maps_answer answer;
	struct pattern_command command;
	struct pattern_reader reader; /* looks for the entry with the id */
	uint64_t wanted;
	char *text;                   /* of the entry */
	bool again;                   /* a part was done already */
};

static void maps_answered(void *arg, const char *error, const char *said, size_t len)
{
	struct maps_answer *answer = arg;

	answer->answered = true;
	answer->failed = error != NULL;
	snprintf(answer->said, sizeof(answer->said), "%.*s",
		 error ? (int)strlen(error) : (int)len, error ? error : said);
	cli_wake(answer->cli);
}

void maps_submit(struct maps_answer *answer, const struct pattern_command *command)
{
	unsigned ticket;

	answer->answered = false;
	ticket = pattern_submit(command, maps_answered, answer);
	answer->ticket = answer->answered ? 0 : ticket;
}

void maps_forget(struct maps_answer *answer)
{
	if (answer->cli && !answer->answered)
		change_forget(answer->ticket);
}

/* The command about the file, with what the words say. */
static void change_begin(struct cli_call *call, const struct pattern_ref *ref,
			 enum pattern_change change, const char *version)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);

	state->answer.cli = call->cli;
	state->command.change = change;
	state->command.key = ref->key;
	state->command.version = version;
}

static enum cli_step change_next(struct cli_call *call)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);
	struct maps_answer *answer = &state->answer;

	if (!answer->answered)
		return CLI_WAIT;
	if (answer->failed && !state->again) {
		cli_say(call, LOG_L_ERR, "%s", answer->said);
	} else if (!answer->failed && !strcmp(answer->said, PATTERN_MORE)) {
		state->again = true;
		maps_submit(answer, &state->command);
		return CLI_WAIT;
	} else if (!answer->failed && *answer->said) {
		cli_say(call, LOG_L_INFO, "%.*s", (int)strcspn(answer->said, "\n"), answer->said);
	}
	return CLI_END;
}

static void change_end(struct cli_call *call)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);

	if (!state)
		return;
	reader_end(&state->reader);
	maps_forget(&state->answer);
	free(state->text);
}

static int clear_start(struct cli_call *call, struct err *err)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);
	struct pattern_ref *ref;
	const char *version;
	int i = 0;

	if (maps_version(call, &i, &version, err))
		return -1;
	if (!*cli_arg(call, i))
		return err_set(err, "Missing %s identifier.", maps_is_map(call) ? "map" : "ACL");
	ref = maps_ref(call, i, err);
	if (!ref)
		return -1;
	change_begin(call, ref, PATTERN_CLEAR, version);
	maps_submit(&state->answer, &state->command);
	return 0;
}

static int prepare_start(struct cli_call *call, struct err *err)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);
	const struct pattern_ref *ref = maps_ref(call, 0, err);

	if (!ref)
		return -1;
	change_begin(call, ref, PATTERN_PREPARE, NULL);
	maps_submit(&state->answer, &state->command);
	return 0;
}

static int commit_start(struct cli_call *call, struct err *err)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);
	struct pattern_ref *ref;
	const char *version;
	int i = 0;

	if (*cli_arg(call, 0) != '@')
		return err_set(err, "Missing version number.");
	if (maps_version(call, &i, &version, err))
		return -1;
	if (!*cli_arg(call, i))
		return err_set(err, "Missing %s identifier.", maps_is_map(call) ? "map" : "ACL");
	ref = maps_ref(call, i, err);
	if (!ref)
		return -1;
	change_begin(call, ref, PATTERN_COMMIT, version);
	maps_submit(&state->answer, &state->command);
	return 0;
}

/* -- entries: del, set ------------------------------------------------------------------------- */

enum { LOOK_ONCE = 5000 }; /* entries in which one is looked for at a time */

/* "#0x1f" or "#1f"; 0: no id. Keys may look like the latter. */
static uint64_t entry_id(const char *word)
{
	char *end;
	uint64_t id;

	if (*word != '#' || !isxdigit((unsigned char)word[1]))
		return 0;
	id = strtoull(word + 1, &end, 16);
	return *end ? 0 : id;
}

static void entry_begin(struct cli_call *call, struct pattern_ref *ref, enum pattern_change change)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);

	change_begin(call, ref, change, NULL);
	state->command.text = call->argv[1];
	state->command.value = change == PATTERN_ASSIGN ? call->argv[2] : NULL;
	state->wanted = entry_id(call->argv[1]);
	if (state->wanted) {
		state->command.id = call->argv[1] + 1;
		reader_begin(&state->reader, ref->current);
	} else {
		maps_submit(&state->answer, &state->command);
	}
}

/* The entry with the id; NULL: not yet, or (the reader is at its end) none. */
static const struct pattern_entry *entry_look(struct change_state *state)
{
	struct pattern_reader *r = &state->reader;
	unsigned n;

	for (n = 0; r->at && n < LOOK_ONCE; n++, r->at = r->at->next)
		if (r->at->id == state->wanted)
			return r->at;
	return NULL;
}

static enum cli_step entry_next(struct cli_call *call)
{
	struct change_state *state = CLI_STATE_OF(struct change_state, call);
	const struct pattern_entry *e;

	if (!state->reader.version)
		return change_next(call);
	e = entry_look(state);
	if (!e && state->reader.at) {
		cli_wake(call->cli);
		return CLI_WAIT;
	}
	reader_end(&state->reader);
	state->text = strdup(e ? e->text : call->argv[1]);
	state->command.text = state->text;
	if (!e && strncmp(call->argv[1], "#0x", 3) != 0)
		state->command.id = NULL; /* it is a key after all, or none */
	if (state->text)
		maps_submit(&state->answer, &state->command);
	else
		cli_say(call, LOG_L_ERR, "Out of memory.");
	return state->text ? CLI_WAIT : CLI_END;
}

static int del_start(struct cli_call *call, struct err *err)
{
	struct pattern_ref *ref;

	if (call->argc < 2)
		return err_set(err, "This command expects two parameters: %s identifier and key.",
			       maps_is_map(call) ? "map" : "ACL");
	ref = maps_ref(call, 0, err);
	if (!ref)
		return -1;
	entry_begin(call, ref, PATTERN_REMOVE);
	return 0;
}

static int set_start(struct cli_call *call, struct err *err)
{
	struct pattern_ref *ref;

	if (call->argc < 3)
		return err_set(err, "'set map' expects three parameters: map identifier, key and "
				    "value.");
	ref = maps_ref(call, 0, err);
	if (!ref)
		return -1;
	entry_begin(call, ref, PATTERN_ASSIGN);
	return 0;
}

#define SHOW(name, shown, what, about)                                                        \
	{ .words = name, .args = shown, .level = LEVEL_USER, .start = what##_start,            \
	  .next = what##_next, .end = what##_end, CLI_STATE(struct what##_state),   \
	  .help = about }
#define CHANGE(name, shown, function, said, about)                                            \
	{ .words = name, .args = shown, .level = LEVEL_ADMIN, .start = function,               \
	  .next = said, .end = change_end, CLI_STATE(struct change_state),          \
	  .help = about }

const struct cli_command cli_maps_commands[] = {
	SHOW("show acl", "[@<ver>] <acl>]", show, "report available acls or dump an acl's contents"),
	SHOW("show map", "[@ver] [map]", show, "report available maps or dump a map's contents"),
	SHOW("get acl", "<acl> <value>", get, "report the patterns matching a sample for an ACL"),
	SHOW("get map", "<acl> <value>", get, "report the keys and values matching a sample for a map"),
	CHANGE("clear acl", "[@<ver>] <acl>", clear_start, change_next,
	       "clear the contents of this acl"),
	CHANGE("clear map", "[@<ver>] <map>", clear_start, change_next,
	       "clear the contents of this map"),
	CHANGE("prepare acl", "<acl>", prepare_start, change_next,
	       "prepare a new version for atomic ACL replacement"),
	CHANGE("prepare map", "<acl>", prepare_start, change_next,
	       "prepare a new version for atomic map replacement"),
	CHANGE("commit acl", "@<ver> <acl>", commit_start, change_next,
	       "commit the ACL at this version"),
	CHANGE("commit map", "@<ver> <map>", commit_start, change_next,
	       "commit the map at this version"),
	CHANGE("del acl", "<acl> [<key>|#<ref>]", del_start, entry_next,
	       "delete acl entries matching <key>"),
	CHANGE("del map", "<map> [<key>|#<ref>]", del_start, entry_next,
	       "delete map entries matching <key>"),
	CHANGE("set map", "<map> [<key>|#<ref>] <value>", set_start, entry_next,
	       "modify a map entry"),
	{ .words = NULL },
};
