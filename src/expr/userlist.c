/* SPDX-License-Identifier: BSD-2-Clause */
/* The userlist section (manual 3.4): read, checked when all of it is known, asked by fetches. What
 * it holds never changes afterwards. Passwords are compared in constant time. A wrong password
 * costs a hash of each form that the list has, whoever's it is, so that nobody learns which names
 * there are, or have which form. What crypt(3) has said of a name and a password is remembered by a
 * keyed hash, since it may take 30 ms during which nothing else happens. */
#include "expr/userlist.h"

#include "base/arena.h"
#include "config/suggest.h"
#include "base/bug.h"
#include "base/catalog.h"
#include "base/siphash.h"
#include "config/config.h"
#include "config/diag.h"
#include "config/keyword.h"
#include "event/loop.h"

#include <crypt.h>
#include <string.h>
#include <sys/random.h>

/* A name that a list mentions: of a user in a group, of a group at a user. */
struct mention {
	struct mention *next;
	const char *name;
	struct location loc;
};

struct user {
	struct user *next;
	const char *name, *password; /* password NULL: none was given, nobody may enter */
	bool hashed;
	struct user *next_form; /* users whose hashes cost something else, one of each form */
	struct mention *groups;
};

struct group {
	struct group *next;
	const char *name;
	struct mention *users;
};

struct userlist {
	struct userlist *next;
	const char *name;
	struct user *users;
	struct user *forms; /* one user of each form of hashes: method, and what it costs */
	bool used;        /* somebody asks for it */
	struct location loc;
	struct catalog names; /* of the users */
	struct group *groups;
};

struct userlist_data {
	struct userlist *first;
};

enum { PASSWORD_LONGEST = 512 }; /* what crypt(3) takes */

/* -- finding ---------------------------------------------------------------------------- */

struct userlist *userlist_find(struct config *cfg, const char *name)
{
	const struct userlist_data *data = config_data(cfg, &userlist_module);
	struct userlist *list = data->first;

	while (list && strcmp(list->name, name))
		list = list->next;
	return list;
}

struct userlist *userlist_use(struct config *cfg, const char *name)
{
	struct userlist *list = userlist_find(cfg, name);

	if (list)
		list->used = true;
	return list;
}

void userlists_doubt(struct config *cfg)
{
	const struct userlist_data *data = config_data(cfg, &userlist_module);
	const struct userlist *list;

	for (list = data->first; list; list = list->next)
		if (!list->used && list->loc.file)
			config_note(cfg, &list->loc, "userlist '%s' is never used", list->name);
}

void userlist_suggest(struct config *cfg, const char *name)
{
	const struct userlist_data *data = config_data(cfg, &userlist_module);
	struct suggestion s = suggest_for(cfg, name);
	const struct userlist *list;

	for (list = data->first; list; list = list->next)
		suggest_name(&s, list->name);
	suggest_end(&s);
}

static struct user *user_find(const struct userlist *list, struct span name)
{
	const struct catalog_entry *e = catalog_find(&list->names, name);

	return e ? e->object : NULL;
}

static struct group *group_find(const struct userlist *list, const char *name)
{
	struct group *g = list->groups;

	while (g && strcmp(g->name, name))
		g = g->next;
	return g;
}

static bool mentions(const struct mention *m, struct span name)
{
	while (m && !span_equal(span_of(m->name), name))
		m = m->next;
	return m;
}

bool userlist_has_group(const struct userlist *list, const char *group)
{
	return group_find(list, group);
}

bool userlist_in_group(const struct userlist *list, struct span user, const char *group)
{
	const struct group *g = group_find(list, group);
	const struct user *u = user_find(list, user);

	return g && u && (mentions(g->users, user) || mentions(u->groups, span_of(group)));
}

/* -- checking --------------------------------------------------------------------------- */

/* How long it takes depends on what was sent alone. */
static bool same_secret(const char *right, const char *sent)
{
	size_t len = strlen(right), i;
	unsigned char differs = len != strlen(sent);

	for (i = 0; sent[i]; i++)
		differs |= (unsigned char)(sent[i] ^ right[len ? i % len : 0]);
	return !differs;
}

uint64_t userlist_crypts;

static bool right_hash(const char *hash, const char *password)
{
	static struct crypt_data memory;
	const char *made = crypt_r(password, hash, &memory);

	userlist_crypts++;
	return made && *made != '*' && same_secret(hash, made);
}

/* -- what is known already ----------------------------------------------------------------- */

/* Hashes of list, name, password and what it was compared with, of this process, for as long as it
 * lives. Four places for each; a new one takes that of another whose choice nobody can foresee.
 * Wrong ones have a table of their own, so that a flood of them drives out none that was right. */
enum { KNOWN_SETS = 512, KNOWN_WAYS = 4, NAME_LONGEST = 1024 };

static struct siphash known_right[KNOWN_SETS][KNOWN_WAYS], known_wrong[KNOWN_SETS][KNOWN_WAYS];
static uint64_t known_key[2];

/* Without a key nothing is remembered. */
static bool known_prepare(void)
{
	if (!known_key[0] && getrandom(known_key, sizeof(known_key), GRND_NONBLOCK) != sizeof(known_key))
		known_key[0] = 0;
	return known_key[0] != 0;
}

/* Each part ends with a NUL, which none has. */
static struct siphash known_hash(const struct userlist *list, struct span name, const char *password,
				 const char *hash)
{
	char memory[NAME_LONGEST + 3 * PASSWORD_LONGEST + 512];
	struct siphash made;
	struct text t;

	text_init(&t, memory, sizeof(memory));
	text_add(&t, list->name, strlen(list->name) + 1);
	text_add(&t, name.ptr, name.len);
	text_add(&t, "", 1);
	text_add(&t, password, strlen(password) + 1);
	text_add(&t, hash, strlen(hash) + 1);
	made = siphash(known_key, t.ptr, t.len);
	explicit_bzero(memory, t.len);
	made.high |= t.cut ? 0 : 1; /* 0: free, and what was cut is none */
	made.low = t.cut ? 0 : made.low;
	return made;
}

static bool known_in(struct siphash table[KNOWN_SETS][KNOWN_WAYS], struct siphash hash)
{
	const struct siphash *set = table[hash.low % KNOWN_SETS];
	unsigned i;

	for (i = 0; i < KNOWN_WAYS; i++)
		if (hash.high && set[i].low == hash.low && set[i].high == hash.high)
			return true;
	return false;
}

static void known_add(struct siphash table[KNOWN_SETS][KNOWN_WAYS], struct siphash hash)
{
	struct siphash *set = table[hash.low % KNOWN_SETS];
	unsigned i;

	for (i = 0; i < KNOWN_WAYS && set[i].high; i++)
		;
	set[i < KNOWN_WAYS ? i : hash.low / KNOWN_SETS % KNOWN_WAYS] = hash;
}

/* Who can wait does so when crypt(3) has run in this turn of the loop already: a flood of passwords
 * is worked off one in a turn, and all others are served in between. */
static bool must_wait(bool patient)
{
	static uint64_t turn;

	if (patient && turn == loop_stats.turns)
		return true;
	turn = loop_stats.turns;
	return false;
}

/* right_hash, but not twice for the same. own: the hash is that of the name, else nothing is
 * right. */
static enum secret right_known(const struct userlist *list, struct span name, const char *hash, bool own,
			       const char *password, bool patient)
{
	bool known = name.len <= NAME_LONGEST && !memchr(name.ptr, 0, name.len) && known_prepare(), right;
	struct siphash made = { 0, 0 };

	if (known)
		made = known_hash(list, name, password, hash);
	if (known_in(known_right, made))
		return SECRET_RIGHT;
	if (known_in(known_wrong, made))
		return SECRET_WRONG;
	if (must_wait(patient))
		return SECRET_LATER;
	right = right_hash(hash, password) && own;
	if (made.low)
		known_add(right ? known_right : known_wrong, made);
	return right ? SECRET_RIGHT : SECRET_WRONG;
}

/* -- asking -------------------------------------------------------------------------------- */

/* How much of a hash says what it costs to compute: "$6$", "$6$rounds=10000$", "$2b$12$". */
static size_t form_length(const char *hash)
{
	enum { EXTENDED_DES = 5, SCRYPT = 14 };
	const char *c, *third = NULL;
	unsigned parts = 0;

	if (*hash != '$')
		return *hash == '_' ? EXTENDED_DES : 0;
	if (!strncmp(hash, "$7$", 3))
		return SCRYPT;
	for (c = hash; *c; c++) {
		parts += *c == '$';
		if (*c == '$' && parts <= (hash[1] == '2' ? 3 : 2))
			third = c;
	}
	if (parts >= 4 && hash[1] != '2') /* method, cost, salt, hash */
		third = strchr(third + 1, '$');
	return (size_t)(third - hash) + 1;
}

static bool same_form(const struct user *a, const struct user *b)
{
	size_t len = form_length(a->password);

	return len == form_length(b->password) && !strncmp(a->password, b->password, len);
}

/* Can the hash be computed at all? */
static bool has_form(const struct user *u)
{
	int said = u->password && u->hashed ? crypt_checksalt(u->password) : CRYPT_SALT_INVALID;

	return said != CRYPT_SALT_INVALID && said != CRYPT_SALT_METHOD_DISABLED;
}

static void form_add(struct userlist *list, struct user *u)
{
	struct user *f = list->forms;

	if (!has_form(u))
		return;
	while (f && !same_form(f, u))
		f = f->next_form;
	if (f)
		return;
	u->next_form = list->forms;
	list->forms = u;
}

/* The name's own hash, and for each other form that of somebody else. */
static enum secret ask_hashes(const struct userlist *list, const struct user *own, struct span name,
			      const char *password, bool patient)
{
	const struct user *f, *hashed = own && has_form(own) ? own : NULL;
	enum secret said = SECRET_WRONG;

	if (hashed)
		said = right_known(list, name, hashed->password, true, password, patient);
	for (f = list->forms; f && said == SECRET_WRONG; f = f->next_form)
		if (!hashed || !same_form(f, hashed))
			said = right_known(list, name, f->password, false, password, patient);
	return said;
}

enum secret userlist_ask(const struct userlist *list, struct span user, struct span password,
			 bool patient)
{
	const struct user *u = user_find(list, user);
	bool open = u && u->password && !u->hashed;
	char text[PASSWORD_LONGEST];
	enum secret said;

	if (password.len >= sizeof(text) || memchr(password.ptr, 0, password.len))
		return SECRET_WRONG;
	memcpy(text, password.ptr, password.len);
	text[password.len] = 0;
	if (same_secret(open ? u->password : "", text) && open)
		said = SECRET_RIGHT;
	else
		said = ask_hashes(list, u, user, text, patient);
	explicit_bzero(text, sizeof(text));
	return said;
}

/* -- parsing ---------------------------------------------------------------------------- */

static void *userlist_begin(struct statement *st)
{
	struct userlist_data *data = config_data(st->cfg, &userlist_module);
	const char *name = stmt_need(st, "the name of the list"), *c;
	struct userlist *list;

	if (!name)
		return NULL;
	c = name + strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:");
	if (*c) {
		stmt_error(st, st->at - 1,
			   "character '%.*s' cannot be part of the name of a userlist: "
			   "letters, digits, '-', '_', '.' and ':' can",
			   str_char(c), c);
		return NULL;
	}
	if (stmt_end(st))
		return NULL;
	list = userlist_find(st->cfg, name);
	if (list) {
		stmt_warning(st, 1, "userlist '%s' exists already: this one adds to it", name);
		return list;
	}
	list = arena_alloc(st->cfg->arena, sizeof(*list));
	list->name = name;
	list->loc = st->loc;
	list->next = data->first;
	data->first = list;
	return list;
}

/* "a,b,c"; an empty word names nothing. */
static int parse_names(struct statement *st, const char *what, struct mention **names)
{
	const char *word = stmt_next(st);
	char *text, *save = NULL, *part;
	struct mention *m;

	if (!word)
		return 0;
	text = arena_strdup(st->cfg->arena, word);
	for (part = strtok_r(text, ",", &save); part; part = strtok_r(NULL, ",", &save)) {
		m = arena_alloc(st->cfg->arena, sizeof(*m));
		m->name = part;
		m->loc = st->loc;
		m->next = *names;
		*names = m;
	}
	if (!*names)
		stmt_warning(st, st->at - 1, "no %s is named here", what);
	return 0;
}

static int parse_group(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of the group");
	struct userlist *list = object;
	struct group *g;

	(void)kw;
	if (!name)
		return -1;
	g = arena_alloc(st->cfg->arena, sizeof(*g));
	g->name = name;
	if (stmt_take(st, "users") && parse_names(st, "user", &g->users))
		return -1;
	if (stmt_peek(st))
		return stmt_error(st, st->at, "only 'users' may follow the name of a group");
	if (group_find(list, name)) {
		stmt_warning(st, 1, "ignored: group '%s' is in userlist '%s' already", name,
			     list->name);
		return 0;
	}
	g->next = list->groups;
	list->groups = g;
	return 0;
}

enum { HASH_DES_LEN = 13 };

/* A hash that crypt(3) of this system cannot compute, or never gives, lets nobody in. */
static void check_hash(struct statement *st, const char *hash)
{
	int i = st->at - 1;

	if (*hash && !strchr("$_*!", *hash) && strlen(hash) != HASH_DES_LEN) {
		stmt_secret(st, i, DIAG_NOTICE,
			    "this is no hash as crypt(3) makes them: no password matches");
		stmt_hint(st,
			  "mkpasswd(1) makes one; 'insecure-password' takes the password itself");
		return;
	}
	switch (crypt_checksalt(hash)) {
	case CRYPT_SALT_INVALID:
	case CRYPT_SALT_METHOD_DISABLED:
		stmt_secret(st, i, DIAG_WARNING, "crypt(3) of this system does not know this form "
			    "of a password: it will never match");
		break;
	default:
		break;
	}
}

static int parse_password(struct statement *st, struct user *u, bool hashed)
{
	const char *word = stmt_need(st, "a password");

	if (!word)
		return -1;
	u->password = word;
	u->hashed = hashed;
	if (hashed)
		check_hash(st, word);
	return 0;
}

static int parse_user_words(struct statement *st, struct user *u)
{
	while (stmt_peek(st)) {
		if (stmt_take(st, "password")) {
			if (parse_password(st, u, true))
				return -1;
		} else if (stmt_take(st, "insecure-password")) {
			stmt_secret(st, st->at - 1, DIAG_NOTE,
				    "the password stands in the open: 'password' takes a hash, as "
				    "mkpasswd(1) makes it");
			if (parse_password(st, u, false))
				return -1;
		} else if (stmt_take(st, "groups")) {
			if (parse_names(st, "group", &u->groups))
				return -1;
		} else {
			return stmt_error(st, st->at, "'password', 'insecure-password' or 'groups' "
					  "is expected here");
		}
	}
	return 0;
}

static int parse_user(struct statement *st, const struct keyword *kw, void *object)
{
	const char *name = stmt_need(st, "the name of the user");
	struct userlist *list = object;
	struct user *u;

	(void)kw;
	if (!name)
		return -1;
	u = arena_alloc(st->cfg->arena, sizeof(*u));
	u->name = name;
	if (parse_user_words(st, u))
		return -1;
	if (user_find(list, span_of(name))) {
		stmt_warning(st, 1, "ignored: user '%s' is in userlist '%s' already", name,
			     list->name);
		return 0;
	}
	u->next = list->users;
	list->users = u;
	form_add(list, u);
	catalog_add(&list->names, st->cfg->arena, u->name, u);
	return 0;
}

/* -- the end ---------------------------------------------------------------------------- */

static int no_member(struct config *cfg, const struct userlist *list, const struct mention *m,
		     const char *what)
{
	struct location loc = config_locate(cfg, &m->loc, m->name);
	struct suggestion near = suggest_for(cfg, m->name);
	const struct group *g;
	const struct user *u;

	config_error(cfg, &loc, "there is no %s '%s' in userlist '%s'", what, m->name, list->name);
	for (g = *what == 'g' ? list->groups : NULL; g; g = g->next)
		suggest_name(&near, g->name);
	for (u = *what == 'u' ? list->users : NULL; u; u = u->next)
		suggest_name(&near, u->name);
	suggest_end(&near);
	return -1;
}

static int check_groups(struct config *cfg, const struct userlist *list)
{
	const struct mention *m;
	const struct group *g;
	int bad = 0;

	for (g = list->groups; g; g = g->next)
		for (m = g->users; m; m = m->next)
			if (!user_find(list, span_of(m->name)))
				bad |= no_member(cfg, list, m, "user");
	return bad;
}

static int check_users(struct config *cfg, const struct userlist *list)
{
	const struct mention *m;
	const struct user *u;
	int bad = 0;

	for (u = list->users; u; u = u->next)
		for (m = u->groups; m; m = m->next)
			if (!group_find(list, m->name))
				bad |= no_member(cfg, list, m, "group");
	return bad;
}

static int userlist_finish(struct config *cfg, void *module_data)
{
	const struct userlist_data *data = module_data;
	const struct userlist *list;
	int bad = 0;

	for (list = data->first; list; list = list->next)
		bad |= check_groups(cfg, list) | check_users(cfg, list);
	return bad;
}

static const struct section sections[] = {
	{ .name = "userlist", .scope = SCOPE_USERLIST, .begin = userlist_begin,
	  .help = "users, passwords and groups for http_auth" },
	{ .name = NULL },
};

static const struct keyword keywords[] = {
	{ .name = "group", .scope = SCOPE_USERLIST, .args = "<name> [users <user>,...]",
	  .parse = parse_group, .help = "a group, and users in it" },
	{ .name = "user", .scope = SCOPE_USERLIST,
	  .args = "<name> [password|insecure-password <password>] [groups <group>,...]",
	  .parse = parse_user, .help = "a user, a hashed (crypt(3)) or plain password, groups" },
	{ .name = NULL },
};

const struct module userlist_module = {
	.name = "userlist",
	.keywords = keywords,
	.sections = sections,
	.data_size = sizeof(struct userlist_data),
	.finish = userlist_finish,
};
