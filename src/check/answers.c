/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the answers of MySQL, LDAP, SPOP, gRPC, DNS, NTP and RADIUS servers. Called by stock.c,
 * datagrams.c, grpc.c and the fuzzer. A packet that claims a length is looked at within that length
 * and within what was received, whichever ends first. */
#include "check/answers.h"

#include "base/md5.h"

#include <string.h>

static const struct answer wait_for_more = { .status = CHECK_UNKNOWN };

static struct answer failed(enum check_status status, const char *text)
{
	return (struct answer){ .status = status,
				.text = text ? span_of(text) : (struct span){ NULL, 0 } };
}

/* -- bytes ----------------------------------------------------------------------------------- */

static void skip(struct span *s, size_t n)
{
	s->ptr += n;
	s->len -= n;
}

static unsigned byte_at(struct span s, size_t i)
{
	return (unsigned char)s.ptr[i];
}

/* Up to the first NUL. */
static struct span c_string(struct span s)
{
	s.len = strnlen(s.ptr, s.len);
	return s;
}

/* -- MySQL ----------------------------------------------------------------------------------- */

enum { MYSQL_HEADER = 4, MYSQL_ERROR = 0xff };

static struct answer mysql_error(struct span body, size_t len)
{
	struct answer a = { .status = CHECK_L7STS, .len = len };

	if (body.len < 3)
		return failed(CHECK_L7RSP, NULL);
	a.code = (int)(byte_at(body, 1) | byte_at(body, 2) << 8);
	skip(&body, 3);
	a.text = c_string(body);
	return a;
}

struct answer answer_mysql(struct span bytes, bool greeting, bool last)
{
	struct answer a = { .status = CHECK_L7OK };
	struct span body = bytes;
	size_t len;

	if (bytes.len < MYSQL_HEADER + 1)
		return last ? failed(CHECK_L7RSP, NULL) : wait_for_more;
	len = byte_at(bytes, 0) | byte_at(bytes, 1) << 8 | byte_at(bytes, 2) << 16;
	a.len = MYSQL_HEADER + len;
	if (bytes.len < a.len)
		return last ? failed(CHECK_L7RSP, NULL) : wait_for_more;
	if (!len)
		return failed(CHECK_L7RSP, NULL);
	skip(&body, MYSQL_HEADER);
	body.len = len;
	if (byte_at(body, 0) == MYSQL_ERROR)
		return mysql_error(body, a.len);
	if (greeting) {
		skip(&body, 1); /* version of the protocol */
		a.text = c_string(body);
	}
	return a;
}

/* -- LDAP ------------------------------------------------------------------------------------ */

enum ldap { LDAP_OK, LDAP_BAD, LDAP_MORE /* it may still become one */ };

/* A tag and its length (BER, definite forms of up to four bytes); behind them afterwards. */
static enum ldap ldap_tag(struct span *s, unsigned tag)
{
	size_t bytes = 0, i;

	if (s->len && byte_at(*s, 0) != tag)
		return LDAP_BAD;
	if (s->len < 2)
		return LDAP_MORE;
	if (byte_at(*s, 1) & 0x80)
		bytes = byte_at(*s, 1) & 0x7f;
	if (bytes > 4 || byte_at(*s, 1) == 0x80)
		return LDAP_BAD;
	for (i = 2; i <= bytes && i < s->len; i++)
		if (byte_at(*s, i))
			return LDAP_BAD; /* longer than any such answer */
	if (s->len < 2 + bytes)
		return LDAP_MORE;
	skip(s, 2 + bytes);
	return LDAP_OK;
}

/* A number of one byte. */
static enum ldap ldap_small(struct span *s, unsigned tag, unsigned *value)
{
	if ((s->len && byte_at(*s, 0) != tag) || (s->len > 1 && byte_at(*s, 1) != 1))
		return LDAP_BAD;
	if (s->len < 3)
		return LDAP_MORE;
	*value = byte_at(*s, 2);
	skip(s, 3);
	return LDAP_OK;
}

/* RFC 4511 4.2.2, as far as the result code. */
static enum ldap ldap_bind_response(struct span bytes, unsigned *code)
{
	enum { SEQUENCE = 0x30, INTEGER = 2, ENUMERATED = 10, BIND_RESPONSE = 0x61 };
	enum ldap r = ldap_tag(&bytes, SEQUENCE);
	unsigned id = 1;

	if (r == LDAP_OK)
		r = ldap_small(&bytes, INTEGER, &id);
	if (r == LDAP_OK && id != 1)
		r = LDAP_BAD;
	if (r == LDAP_OK)
		r = ldap_tag(&bytes, BIND_RESPONSE);
	return r == LDAP_OK ? ldap_small(&bytes, ENUMERATED, code) : r;
}

struct answer answer_ldap(struct span bytes, bool last)
{
	enum { SHORTEST = 14 };
	struct answer a = { .status = CHECK_L7OK, .text = span_of("Success") };
	unsigned code = 0;
	enum ldap r;

	if (bytes.len < SHORTEST)
		return last ? failed(CHECK_L7RSP, NULL) : wait_for_more;
	r = ldap_bind_response(bytes, &code);
	if (r == LDAP_MORE && !last)
		return wait_for_more;
	if (r != LDAP_OK)
		return failed(CHECK_L7RSP, "Not LDAPv3 protocol");
	if (!code)
		return a;
	a = failed(CHECK_L7STS, "See RFC: http://tools.ietf.org/html/rfc4511#section-4.1.9");
	a.code = (int)code;
	return a;
}

/* -- SPOP ------------------------------------------------------------------------------------ */

enum { SPOP_AGENT_HELLO = 101, SPOP_AGENT_DISCONNECT = 102, SPOP_FIN = 1 };

static bool spop_varint(struct span *s, uint64_t *value)
{
	unsigned shift = 4, b;

	if (!s->len)
		return false;
	*value = byte_at(*s, 0);
	skip(s, 1);
	if (*value < 240)
		return true;
	do {
		if (!s->len || shift > 56)
			return false;
		b = byte_at(*s, 0);
		*value += (uint64_t)b << shift;
		skip(s, 1);
		shift += 7;
	} while (b >= 128);
	return true;
}

static bool spop_string(struct span *s, struct span *string)
{
	uint64_t len;

	if (!spop_varint(s, &len) || len > s->len)
		return false;
	*string = (struct span){ s->ptr, (size_t)len };
	skip(s, (size_t)len);
	return true;
}

/* A typed value: a number, or text. */
struct spop_value {
	unsigned type;
	uint64_t number;
	struct span text;
};

static bool spop_value(struct span *s, struct spop_value *v)
{
	enum { NOTHING, BOOLEAN, INT32, UINT32, INT64, UINT64, IPV4, IPV6, STRING, BINARY };
	size_t fixed = 0;

	*v = (struct spop_value){ .type = 0 };
	if (!s->len)
		return false;
	v->type = byte_at(*s, 0) & 15;
	skip(s, 1);
	if (v->type >= INT32 && v->type <= UINT64)
		return spop_varint(s, &v->number);
	if (v->type == STRING || v->type == BINARY)
		return spop_string(s, &v->text);
	if (v->type > BINARY)
		return false;
	fixed = v->type == IPV4 ? 4 : v->type == IPV6 ? 16 : 0;
	if (s->len < fixed)
		return false;
	skip(s, fixed);
	return true;
}

/* Of a list of names and values. False: it is malformed. */
static bool spop_find(struct span list, const char *name, struct spop_value *found, bool *there)
{
	struct spop_value v;
	struct span key;

	*there = false;
	while (list.len) {
		if (!spop_string(&list, &key) || !spop_value(&list, &v))
			return false;
		if (!*there && span_equal(key, span_of(name))) {
			*found = v;
			*there = true;
		}
	}
	return true;
}

/* " 2.0": major version 2. */
static bool spop_version(struct span text)
{
	while (text.len && *text.ptr == ' ')
		skip(&text, 1);
	return text.len >= 2 && text.ptr[0] == '2' && text.ptr[1] == '.';
}

static struct answer spop_hello(struct span list, size_t max_frame)
{
	struct spop_value v;
	bool there;

	if (!spop_find(list, "version", &v, &there))
		return failed(CHECK_L7RSP, "invalid frame received");
	if (!there)
		return failed(CHECK_L7RSP, "version value not found");
	if (!spop_version(v.text))
		return failed(CHECK_L7RSP, "unsupported version");
	spop_find(list, "max-frame-size", &v, &there);
	if (!there)
		return failed(CHECK_L7RSP, "max-frame-size value not found");
	if (v.number < 256 || v.number > max_frame)
		return failed(CHECK_L7RSP, "max-frame-size too big or too small");
	return (struct answer){ .status = CHECK_L7OK, .text = span_of("SPOA server is ok") };
}

static struct answer spop_disconnect(struct span list)
{
	struct answer a = { .status = CHECK_L7RSP };
	struct spop_value v;
	bool there;

	if (!spop_find(list, "message", &v, &there))
		return failed(CHECK_L7RSP, "invalid frame received");
	a.text = there && v.text.len ? c_string(v.text) : span_of("normal");
	return a;
}

struct answer answer_spop(struct span bytes, size_t max_frame, bool last)
{
	struct span frame = bytes;
	uint64_t len = 0, stream, id;
	unsigned type, i;

	for (i = 0; i < 4 && i < bytes.len; i++)
		len = len << 8 | byte_at(bytes, i);
	if (i == 4 && len > max_frame)
		return failed(CHECK_L7RSP, "frame is too big");
	if (i < 4 || bytes.len - 4 < len)
		return last ? failed(CHECK_L7RSP, "invalid frame received") : wait_for_more;
	skip(&frame, 4);
	frame.len = (size_t)len;
	if (frame.len < 7)
		return failed(CHECK_L7RSP, "invalid frame received");
	type = byte_at(frame, 0);
	if (!(byte_at(frame, 4) & SPOP_FIN))
		return failed(CHECK_L7RSP, "fragmentation not supported");
	skip(&frame, 5);
	if (!spop_varint(&frame, &stream) || !spop_varint(&frame, &id) || stream || id)
		return failed(CHECK_L7RSP, "invalid frame received");
	if (type == SPOP_AGENT_HELLO)
		return spop_hello(frame, max_frame);
	if (type == SPOP_AGENT_DISCONNECT)
		return spop_disconnect(frame);
	return failed(CHECK_L7RSP, "invalid frame received");
}

/* -- gRPC ------------------------------------------------------------------------------------ */

enum { GRPC_PREFIX = 5, GRPC_MESSAGE_MOST = 65536, WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

/* A varint of Protocol Buffers in front of *s, which moves behind it. */
static bool proto_varint(struct span *s, uint64_t *value)
{
	unsigned shift;

	*value = 0;
	for (shift = 0; shift < 70 && s->len; shift += 7) {
		unsigned byte = byte_at(*s, 0);

		skip(s, 1);
		if (shift < 64)
			*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Over the value of a field that is not asked for. */
static bool proto_skip(struct span *s, unsigned wire)
{
	uint64_t len = wire == WIRE_64 ? 8 : 4;

	if (wire == WIRE_VARINT)
		return proto_varint(s, &len);
	if (wire == WIRE_BYTES && !proto_varint(s, &len))
		return false;
	if ((wire != WIRE_BYTES && wire != WIRE_64 && wire != WIRE_32) || len > s->len)
		return false;
	skip(s, (size_t)len);
	return true;
}

/* HealthCheckResponse: field 1 is an enum; the last one counts, none is 0. */
static bool health_status(struct span s, uint64_t *status)
{
	enum { STATUS = 1 << 3 | WIRE_VARINT };
	uint64_t tag;

	*status = 0;
	while (s.len) {
		if (!proto_varint(&s, &tag) || !(tag >> 3))
			return false;
		if (!(tag == STATUS ? proto_varint(&s, status) : proto_skip(&s, tag & 7)))
			return false;
	}
	return true;
}

struct answer answer_grpc(struct span bytes, bool last)
{
	static const char *const names[] = { "UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN" };
	uint64_t status;
	uint32_t len;

	if (bytes.len < GRPC_PREFIX)
		return last ? failed(CHECK_L7RSP, "the response has no message") : wait_for_more;
	if (byte_at(bytes, 0))
		return failed(CHECK_L7RSP, byte_at(bytes, 0) == 1 ? "the message is compressed" :
								    "malformed message");
	len = byte_at(bytes, 1) << 24 | byte_at(bytes, 2) << 16 | byte_at(bytes, 3) << 8 |
	      byte_at(bytes, 4);
	if (len > GRPC_MESSAGE_MOST)
		return failed(CHECK_L7RSP, "the message is too long");
	skip(&bytes, GRPC_PREFIX);
	if (bytes.len < len)
		return last ? failed(CHECK_L7RSP, "the message is cut") : wait_for_more;
	if (!health_status((struct span){ bytes.ptr, len }, &status))
		return failed(CHECK_L7RSP, "malformed message");
	if (status >= sizeof(names) / sizeof(names[0]))
		return failed(CHECK_L7STS, "a serving status that does not exist");
	return failed(status == 1 ? CHECK_L7OK : CHECK_L7STS, names[status]);
}

/* -- DNS ------------------------------------------------------------------------------------- */

enum { DNS_HEADER = 12, DNS_RESPONSE = 0x80, DNS_NOERROR = 0, DNS_NXDOMAIN = 3 };

/* Anything that is no answer to the question is as if nothing had come. */
struct answer answer_dns(struct span bytes, unsigned id)
{
	static const char *const names[16] = { "NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP",
					       "REFUSED" };
	struct answer a = { .status = CHECK_L7OK };

	if (bytes.len < DNS_HEADER || (byte_at(bytes, 0) << 8 | byte_at(bytes, 1)) != id ||
	    !(byte_at(bytes, 2) & DNS_RESPONSE))
		return wait_for_more;
	a.code = (int)(byte_at(bytes, 3) & 15);
	a.text = span_of(names[a.code] ? names[a.code] : "an unknown response code");
	if (a.code != DNS_NOERROR && a.code != DNS_NXDOMAIN)
		a.status = CHECK_L7STS;
	return a;
}

/* -- NTP ------------------------------------------------------------------------------------- */

enum { NTP_LEN = 48, NTP_SERVER = 4, NTP_ALARM = 3, NTP_STRATUM_MOST = 15, NTP_ORIGIN = 24 };

struct answer answer_ntp(struct span bytes, const char transmit[8])
{
	struct answer a = { .status = CHECK_L7OK };
	unsigned leap, stratum;

	if (bytes.len < NTP_LEN || (byte_at(bytes, 0) & 7) != NTP_SERVER ||
	    memcmp(bytes.ptr + NTP_ORIGIN, transmit, 8) != 0)
		return wait_for_more;
	leap = byte_at(bytes, 0) >> 6;
	stratum = byte_at(bytes, 1);
	a.code = (int)stratum;
	if (leap == NTP_ALARM || !stratum || stratum > NTP_STRATUM_MOST)
		return failed(CHECK_L7STS, stratum ? "the server is not synchronized" :
						     "the server wants to be left alone");
	return a;
}

/* -- RADIUS ---------------------------------------------------------------------------------- */

enum { RADIUS_HEAD = 20, RADIUS_ATTRIBUTE = 2,
       RADIUS_LEN = RADIUS_HEAD + RADIUS_ATTRIBUTE + MD5_LEN,
       RADIUS_ACCEPT = 2, RADIUS_REJECT = 3, RADIUS_ACCOUNTED = 5, RADIUS_STATUS = 12,
       RADIUS_MESSAGE_AUTHENTICATOR = 80 };

/* The Message-Authenticator is made over the packet in which it is zero. */
void radius_ask(const struct radius_request *r, struct text *out)
{
	const char head[4] = { RADIUS_STATUS, (char)r->id, 0, RADIUS_LEN };
	const char attribute[RADIUS_ATTRIBUTE] = { RADIUS_MESSAGE_AUTHENTICATOR,
						   RADIUS_ATTRIBUTE + MD5_LEN };
	char packet[RADIUS_LEN] = "";
	uint8_t code[MD5_LEN];

	memcpy(packet, head, sizeof(head));
	memcpy(packet + sizeof(head), r->authenticator, sizeof(r->authenticator));
	memcpy(packet + RADIUS_HEAD, attribute, sizeof(attribute));
	md5_hmac(r->secret, (struct span){ packet, sizeof(packet) }, code);
	memcpy(packet + RADIUS_LEN - MD5_LEN, code, sizeof(code));
	text_add(out, packet, sizeof(packet));
}

/* Response Authenticator = MD5(Code+ID+Length+RequestAuth+Attributes+Secret), RFC 2865 3. */
static bool radius_is_signed(const char *packet, size_t len, const struct radius_request *r)
{
	uint8_t digest[MD5_LEN];
	struct md5 md5;

	md5_begin(&md5);
	md5_add(&md5, packet, 4);
	md5_add(&md5, r->authenticator, sizeof(r->authenticator));
	md5_add(&md5, packet + RADIUS_HEAD, len - RADIUS_HEAD);
	md5_add(&md5, r->secret.ptr, r->secret.len);
	md5_end(&md5, digest);
	return memcmp(digest, packet + 4, sizeof(digest)) == 0;
}

struct answer answer_radius(struct span bytes, const struct radius_request *r)
{
	struct answer a = { .status = CHECK_L7OK };
	size_t len;

	if (bytes.len < RADIUS_HEAD || byte_at(bytes, 1) != r->id)
		return wait_for_more;
	len = (size_t)byte_at(bytes, 2) << 8 | byte_at(bytes, 3);
	if (len < RADIUS_HEAD || len > bytes.len || !radius_is_signed(bytes.ptr, len, r))
		return wait_for_more;
	a.code = (int)byte_at(bytes, 0);
	a.text = span_of(a.code == RADIUS_ACCEPT ? "Access-Accept" :
			 a.code == RADIUS_ACCOUNTED ? "Accounting-Response" :
			 a.code == RADIUS_REJECT ? "Access-Reject" : "an unexpected code");
	if (a.code != RADIUS_ACCEPT && a.code != RADIUS_ACCOUNTED)
		a.status = CHECK_L7STS;
	return a;
}
