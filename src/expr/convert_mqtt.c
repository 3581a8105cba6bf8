/* SPDX-License-Identifier: BSD-2-Clause */
/* The converters mqtt_is_valid and mqtt_field_value: the first packets of MQTT connections, CONNECT
 * and CONNACK, of versions 3.1, 3.1.1 and 5.0 (manual 7.3.1; OASIS MQTT 3.1.1 and 5.0, sections 3.1
 * and 3.2). Results are those of the reference. A packet that is not complete is no result, so that
 * a rule which reads from the connection waits for the rest; one that is complete, or can never be
 * valid, is not waited for. */
#include "base/bug.h"
#include "base/err.h"
#include "expr/tables.h"

#include <strings.h>

enum { CONNECT = 1, CONNACK = 2 };
enum { FLAG_RESERVED = 1, FLAG_WILL = 4, FLAG_WILL_QOS = 0x18, FLAG_PASSWORD = 0x40, FLAG_USER = 0x80 };

/* What can be asked for; properties are PROPERTY plus their number. */
enum mqtt_field {
	FIELD_FLAGS, FIELD_PROTOCOL_NAME, FIELD_PROTOCOL_VERSION, FIELD_CLIENT, FIELD_WILL_TOPIC,
	FIELD_WILL_PAYLOAD, FIELD_USER, FIELD_PASSWORD, FIELD_KEEPALIVE, FIELD_REASON, PROPERTY,
	PROPERTIES = 43
};

enum kind { NONE, BOOLEAN, BYTE, SHORT, LONG, TEXT, PAIR };

/* 5.0, 2.2.2.2: which may stand where, and what they are. */
enum { IN_CONNECT = 1, IN_WILL = 2, IN_CONNACK = 4 };
static const struct property {
	uint8_t where, kind;
} properties[PROPERTIES] = {
	[1] = { IN_WILL, BOOLEAN }, [2] = { IN_WILL, LONG }, [3] = { IN_WILL, TEXT },
	[8] = { IN_WILL, TEXT }, [9] = { IN_WILL, TEXT }, [17] = { IN_CONNECT | IN_CONNACK, LONG },
	[18] = { IN_CONNACK, TEXT }, [19] = { IN_CONNACK, SHORT },
	[21] = { IN_CONNECT | IN_CONNACK, TEXT }, [22] = { IN_CONNECT | IN_CONNACK, TEXT },
	[23] = { IN_CONNECT, BOOLEAN }, [24] = { IN_WILL, LONG }, [25] = { IN_CONNECT, BOOLEAN },
	[26] = { IN_CONNACK, TEXT }, [28] = { IN_CONNACK, TEXT }, [31] = { IN_CONNACK, TEXT },
	[33] = { IN_CONNECT | IN_CONNACK, SHORT }, [34] = { IN_CONNECT | IN_CONNACK, SHORT },
	[36] = { IN_CONNACK, BOOLEAN }, [37] = { IN_CONNACK, BOOLEAN },
	[38] = { IN_CONNECT | IN_WILL | IN_CONNACK, PAIR }, [39] = { IN_CONNECT | IN_CONNACK, LONG },
	[40] = { IN_CONNACK, BOOLEAN }, [41] = { IN_CONNACK, BOOLEAN }, [42] = { IN_CONNACK, BOOLEAN },
};

struct value {
	bool there, is_text;
	uint32_t number;
	struct span text;
};

struct packet {
	unsigned type; /* CONNECT, CONNACK */
	struct value fields[PROPERTY + PROPERTIES];
};

/* -- bytes ----------------------------------------------------------------------------------- */

/* Bytes that are being read; once something did not fit, bad stays set. */
struct bytes {
	const uint8_t *p;
	size_t left;
	bool bad;
};

static struct bytes take(struct bytes *b, size_t n)
{
	struct bytes part = { b->p, n, false };

	if (b->bad || b->left < n) {
		b->bad = true;
		return (struct bytes){ b->p, 0, true };
	}
	b->p += n;
	b->left -= n;
	return part;
}

static uint32_t take_number(struct bytes *b, size_t size)
{
	struct bytes part = take(b, size);
	uint32_t n = 0;

	for (; part.left; part.left--)
		n = n << 8 | *part.p++;
	return n;
}

/* 2.2.3: seven bits a byte, at most four. */
static uint32_t take_length(struct bytes *b)
{
	uint32_t n = 0;
	unsigned shift;
	uint8_t c;

	for (shift = 0; shift < 28; shift += 7) {
		c = (uint8_t)take_number(b, 1);
		n |= (uint32_t)(c & 0x7f) << shift;
		if (!(c & 0x80))
			return n;
	}
	b->bad = true;
	return 0;
}

static struct span take_text(struct bytes *b)
{
	struct bytes part = take(b, take_number(b, 2));

	return (struct span){ (const char *)part.p, part.left };
}

/* -- packets --------------------------------------------------------------------------------- */

static void set_number(struct packet *p, unsigned field, uint32_t n)
{
	p->fields[field] = (struct value){ .there = true, .number = n };
}

static void set_text(struct packet *p, unsigned field, struct span text)
{
	p->fields[field] = (struct value){ .there = true, .is_text = true, .text = text };
}

/* Numbers that are not given are 0. */
static void properties_default(struct packet *p, unsigned where)
{
	unsigned i;

	for (i = 0; i < PROPERTIES; i++)
		if (properties[i].where & where && properties[i].kind >= BOOLEAN &&
		    properties[i].kind <= LONG)
			set_number(p, PROPERTY + i, 0);
}

static bool take_property(struct packet *p, struct bytes *b, unsigned id)
{
	static const uint8_t sizes[] = { [BOOLEAN] = 1, [BYTE] = 1, [SHORT] = 2, [LONG] = 4 };
	uint32_t n;

	switch (properties[id].kind) {
	case TEXT:
		set_text(p, PROPERTY + id, take_text(b));
		break;
	case PAIR:
		take_text(b);
		take_text(b);
		break;
	default:
		n = take_number(b, sizes[properties[id].kind]);
		if (properties[id].kind == BOOLEAN && n > 1)
			return false;
		set_number(p, PROPERTY + id, n);
	}
	return !b->bad;
}

static bool take_properties(struct packet *p, struct bytes *b, unsigned where)
{
	struct bytes list = take(b, take_length(b));
	uint64_t seen = 0;
	unsigned id;

	if (b->bad)
		return false;
	properties_default(p, where);
	while (list.left) {
		id = take_number(&list, 1);
		if (id >= PROPERTIES || !(properties[id].where & where))
			return false;
		if (seen >> id & 1 && properties[id].kind != PAIR)
			return false;
		seen |= (uint64_t)1 << id;
		if (!take_property(p, &list, id))
			return false;
	}
	/* 5.0, 3.1.2.11.10: data only with a method. */
	return !(seen >> 22 & 1) || seen >> 21 & 1 || where != IN_CONNECT;
}

static bool known_protocol(struct span name)
{
	return (name.len == 4 && !strncasecmp(name.ptr, "MQTT", 4)) ||
	       (name.len == 6 && !strncasecmp(name.ptr, "MQIsdp", 6));
}

static bool read_will(struct packet *p, struct bytes *b, unsigned version)
{
	if (version == 5 && !take_properties(p, b, IN_WILL))
		return false;
	set_text(p, FIELD_WILL_TOPIC, take_text(b));
	set_text(p, FIELD_WILL_PAYLOAD, take_text(b));
	return !b->bad;
}

static bool read_connect(struct packet *p, struct bytes *b)
{
	struct span name = take_text(b);
	unsigned version = take_number(b, 1), flags = take_number(b, 1);

	if (b->bad || !known_protocol(name) || version < 3 || version > 5 || flags & FLAG_RESERVED ||
	    (flags & FLAG_WILL_QOS) == FLAG_WILL_QOS)
		return false;
	set_text(p, FIELD_PROTOCOL_NAME, name);
	set_number(p, FIELD_PROTOCOL_VERSION, version);
	set_number(p, FIELD_FLAGS, flags);
	set_number(p, FIELD_KEEPALIVE, take_number(b, 2));
	if (version == 5 && !take_properties(p, b, IN_CONNECT))
		return false;
	set_text(p, FIELD_CLIENT, take_text(b));
	if (flags & FLAG_WILL && !read_will(p, b, version))
		return false;
	if (flags & FLAG_USER)
		set_text(p, FIELD_USER, take_text(b));
	if (flags & FLAG_PASSWORD)
		set_text(p, FIELD_PASSWORD, take_text(b));
	return !b->bad && !b->left;
}

/* Version 5.0 has properties, if only their length. */
static bool read_connack(struct packet *p, struct bytes *b)
{
	unsigned flags = take_number(b, 1);

	set_number(p, FIELD_FLAGS, flags);
	set_number(p, FIELD_REASON, take_number(b, 1));
	set_number(p, FIELD_PROTOCOL_VERSION, b->left ? 5 : 4);
	if (b->bad || flags > 1)
		return false;
	return !b->left || (take_properties(p, b, IN_CONNACK) && !b->left);
}

enum mqtt_result { MQTT_OK, MQTT_MORE, MQTT_BAD };

static enum mqtt_result mqtt_read(struct span bytes, struct packet *p)
{
	struct bytes b = { (const uint8_t *)bytes.ptr, bytes.len, false };
	unsigned first, i;
	uint32_t len;

	memset(p, 0, sizeof(*p));
	if (!bytes.len)
		return MQTT_MORE;
	first = take_number(&b, 1);
	p->type = first >> 4;
	if (first & 0x0f || (p->type != CONNECT && p->type != CONNACK))
		return MQTT_BAD;
	for (i = 0; i < b.left && i < 4 && b.p[i] & 0x80; i++)
		;
	if (i < 4 && i == b.left)
		return MQTT_MORE;
	len = take_length(&b);
	if (b.bad)
		return MQTT_BAD;
	if (b.left < len)
		return MQTT_MORE;
	b.left = len;
	if (p->type == CONNECT ? read_connect(p, &b) : read_connack(p, &b))
		return MQTT_OK;
	return MQTT_BAD;
}

/* -- converters ------------------------------------------------------------------------------- */

/* Reads, and says whether more bytes can give another answer. */
static enum mqtt_result mqtt_decide(struct sample *smp, struct packet *p)
{
	enum mqtt_result r = mqtt_read(smp->str, p);

	if (r != MQTT_MORE)
		smp->flags &= ~(unsigned)SMP_MAY_CHANGE;
	return r;
}

static bool convert_is_valid(const struct expr_arg *args, struct sample *smp, const struct view *view,
			     const struct converter *row)
{
	struct packet p;
	enum mqtt_result r = mqtt_decide(smp, &p);

	(void)args, (void)view, (void)row;
	smp->type = SMP_BOOL;
	smp->num = r == MQTT_OK;
	return r != MQTT_MORE;
}

/* Numbers are written as text. */
static bool convert_field_value(const struct expr_arg *args, struct sample *smp, const struct view *view,
				const struct converter *row)
{
	const struct value *value;
	struct packet p;
	struct text t;

	(void)view, (void)row;
	if (mqtt_decide(smp, &p) != MQTT_OK || p.type != args[0].num)
		return false;
	value = &p.fields[args[1].num];
	if (!value->there)
		return false;
	if (value->is_text) {
		smp->str = value->text;
		return true;
	}
	text_init(&t, expr_scratch(), expr_scratch_size);
	text_printf(&t, "%u", value->number);
	smp->str = (struct span){ t.ptr, t.len };
	smp->flags &= ~(unsigned)SMP_CONST;
	return true;
}

/* -- arguments -------------------------------------------------------------------------------- */

static int type_of(const char *name, struct err *err)
{
	int64_t n;

	if (!strcasecmp(name, "connect") || (str_to_int(name, 0, INT32_MAX, &n) && n == CONNECT))
		return CONNECT;
	if (!strcasecmp(name, "connack") || (str_to_int(name, 0, INT32_MAX, &n) && n == CONNACK))
		return CONNACK;
	return err_set(err, "'%s' is no type of packet: 'connect' (1) or 'connack' (2) is expected", name);
}

static bool field_named(const char *name, int type, unsigned *field)
{
	static const struct {
		const char *name;
		uint8_t type; /* 0: both */
		uint8_t field;
	} names[] = {
		{ "flags", 0, FIELD_FLAGS }, { "protocol_version", 0, FIELD_PROTOCOL_VERSION },
		{ "protocol_name", CONNECT, FIELD_PROTOCOL_NAME },
		{ "client_identifier", CONNECT, FIELD_CLIENT },
		{ "will_topic", CONNECT, FIELD_WILL_TOPIC },
		{ "will_payload", CONNECT, FIELD_WILL_PAYLOAD }, { "username", CONNECT, FIELD_USER },
		{ "password", CONNECT, FIELD_PASSWORD }, { "keepalive", CONNECT, FIELD_KEEPALIVE },
		{ "reason_code", CONNACK, FIELD_REASON },
	};
	size_t i;

	for (i = 0; i < ARRAY_LEN(names); i++) {
		*field = names[i].field;
		if (!strcasecmp(name, names[i].name) && (!names[i].type || names[i].type == type))
			return true;
	}
	return false;
}

static bool field_numbered(const char *name, int type, unsigned *field)
{
	int64_t id;

	if (!str_to_int(name, 1, PROPERTIES - 1, &id))
		return false;
	*field = PROPERTY + (unsigned)id;
	return properties[id].where & (type == CONNECT ? IN_CONNECT | IN_WILL : IN_CONNACK);
}

static int check_field(struct expr_arg *args, const struct expr_context *ctx, struct err *err)
{
	int type = type_of(args[0].str.ptr, err);
	const char *name = args[1].str.ptr;
	unsigned field;

	(void)ctx;
	if (type < 0)
		return -1;
	if (!field_named(name, type, &field) && !field_numbered(name, type, &field))
		return err_set(err, "'%s' is no field of %s, nor the number of one of its properties%s", name,
			       type == CONNECT ? "CONNECT" : "CONNACK",
			       type == CONNECT && !strcmp(name, "18") ? " (Will Delay Interval is 24)" : "");
	if (field == PROPERTY + 38)
		return err_set(err, "the property 38 (User Property) cannot be asked for");
	args[0] = (struct expr_arg){ .type = ARG_INT, .num = type };
	args[1] = (struct expr_arg){ .type = ARG_INT, .num = field };
	return 0;
}

const struct converter converter_mqtt[] = {
	{ "mqtt_is_valid", ARGS(0), SMP_BIN, SMP_BOOL, convert_is_valid,
	  .help = "is it a valid first packet of MQTT" },
	{ "mqtt_field_value", ARGS(2, ARG_STR, ARG_STR), SMP_BIN, SMP_BIN, convert_field_value, check_field,
	  .help = "a field or property of a CONNECT or CONNACK packet of MQTT" },
	{ 0 },
};
