/* SPDX-License-Identifier: BSD-2-Clause */
/* The layer that makes and reads records (tls/conn.h, doc/internals/tls.md). net/conn.c calls it in
 * the place of the system calls; stream/ and check/ drive the handshake. It knows nothing of
 * certificates: it is given an SSL (begin.c).
 *
 * OpenSSL's side is a BIO that belongs to the process: there is one thread, each call into the
 * library names its connection in tls_current first, so that a connection needs no BIO of its own.
 * Invariants: in and out are the process's buffers (records.c) only within a call; out holds bytes
 * between calls only while the socket is full, and then CONN_WRITABLE is not set; CONN_READABLE is
 * set between calls when the socket may have something, or the library or in has. */
#include "tls/layer.h"

#include "base/clock.h"
#include "base/kind.h"
#include "base/pool.h"
#include "base/result.h"
#include "net/conn.h"
#include "tls/conn.h"
#include "tls/drain.h"
#include "tls/early.h"
#include "tls/kernel.h"
#include "tls/notes.h"
#include "tls/records.h"
#include "tls/silence.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <string.h>
#include <sys/uio.h>

void (*tls_keys_made)(bool accepted);
void (*tls_connect_counted)(int change);
bool (*tls_may_connect)(void);
void (*tls_proved)(struct conn *conn, void *whose, bool ok);

static struct pool tls_pool = POOL_INIT("tls", sizeof(struct tls_conn));
static struct tls_conn *tls_current;
static BIO *tls_bio;

/* Every way from a connection to OpenSSL's struct begins here: it is unfolded. */
static inline struct tls_conn *tls_of(const struct conn *conn)
{
	struct tls_conn *t = container_of(conn->layer, struct tls_conn, layer);

	tls_silence_not(t);
	return t;
}

static inline bool is_unproven(const struct tls_conn *t)
{
	return t->conn->flags & CONN_UNPROVEN;
}

/* ---- OpenSSL's side ---------------------------------------------------------------------- */

/* A read of the library returns when it has data, and not before: who sends messages without any
 * (new keys, hellos, RFC 8446 4.6.3) as fast as they are read would keep the process in it. A
 * record of data is not complete before 16 kB, tickets of servers have some more. */
enum { DATALESS_MOST = 48 * 1024 };

static bool tls_floods(struct tls_conn *t)
{
	if (t->dataless <= DATALESS_MOST || !SSL_is_init_finished(t->ssl))
		return false;
	t->fault = TLS_FAULT_LIMIT;
	return true;
}

/* Receives what there is. False: nothing, now or ever. */
static bool tls_fill(struct tls_conn *t)
{
	struct conn *conn = t->conn;
	size_t got;

	if (!t->readable || t->eof || tls_floods(t))
		return false;
	if (!t->in && !(t->in = records_scratch(RECORDS_IN))) {
		t->fault = TLS_FAULT_MEMORY;
		return false;
	}
	conn->flags |= CONN_READABLE;
	switch (conn_raw_recv(conn, t->in->data, t->want < t->in->size ? t->want : t->in->size,
			      &got)) {
	case IO_OK:
		t->in->head = 0;
		t->in->len = (uint32_t)got;
		t->dataless += (uint32_t)got;
		t->readable = conn->flags & CONN_READABLE;
		tls_stats.reads++;
		return true;
	case IO_AGAIN:
		t->readable = false;
		return false;
	case IO_EOF:
		t->eof = true;
		return false;
	case IO_ERR:
		t->broken = t->eof = true;
		return false;
	}
	return false;
}

static int tls_bio_read(BIO *bio, char *to, size_t size, size_t *got)
{
	struct tls_conn *t = tls_current;

	BIO_clear_retry_flags(bio);
	if ((!t->in || !t->in->len) && !tls_fill(t)) {
		if (!t->eof && t->fault != TLS_FAULT_LIMIT && t->fault != TLS_FAULT_MEMORY)
			BIO_set_retry_read(bio);
		return t->eof ? 0 : -1;
	}
	*got = size < t->in->len ? size : t->in->len;
	memcpy(to, buf_first(t->in), *got);
	buf_skip(t->in, *got);
	return 1;
}

static int tls_bio_write(BIO *bio, const char *from, size_t size, size_t *written)
{
	struct tls_conn *t = tls_current;

	BIO_clear_retry_flags(bio);
	if (!t->out && (t->out = records_scratch(RECORDS_OUT)))
		t->out->head = 0;
	if (t->out && buf_room(t->out) < size)
		DROPPED(tls_flush(t, true), "the room that it has made is looked at next");
	if (!t->out || !buf_room(t->out)) {
		/* LIMIT: a flight larger than all that we hold, unread. */
		t->fault = t->out ? TLS_FAULT_LIMIT : TLS_FAULT_MEMORY;
		return -1;
	}
	*written = size < buf_room(t->out) ? size : buf_room(t->out);
	memcpy(buf_tail(t->out), from, *written);
	t->out->len += (uint32_t)*written;
	return 1;
}

static long tls_bio_ctrl(BIO *bio, int cmd, long num, void *ptr)
{
	(void)bio;
	(void)num;
	(void)ptr;
	switch (cmd) {
	case BIO_CTRL_FLUSH:
	case BIO_CTRL_DUP:
		return 1;
	case BIO_CTRL_EOF:
		return tls_current && tls_current->eof;
	default:
		return 0;
	}
}

static bool tls_bio_make(void)
{
	BIO_METHOD *m;

	if (tls_bio)
		return true;
	m = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "connection");
	if (!m)
		return false;
	BIO_meth_set_read_ex(m, tls_bio_read);
	BIO_meth_set_write_ex(m, tls_bio_write);
	BIO_meth_set_ctrl(m, tls_bio_ctrl);
	tls_bio = BIO_new(m);
	if (tls_bio)
		BIO_set_init(tls_bio, 1);
	return tls_bio != NULL;
}

/* ---- between two calls -------------------------------------------------------------------- */

/* Nobody takes what is left. The user of the connection may wait for room and for nothing else, and
 * the kernel tells of the failure once: it is ready for both, and the next call says why. */
COLD static void tls_flush_failed(struct tls_conn *t)
{
	buf_skip(t->out, t->out->len);
	t->readable = true;
	t->conn->flags |= CONN_READABLE | CONN_WRITABLE;
}

/* Sends what has been made. False: some of it is left. */
bool tls_flush(struct tls_conn *t, bool more)
{
	struct buf *out = t->out;
	size_t sent;

	while (out && out->len && t->conn->flags & CONN_WRITABLE) {
		if (conn_raw_send(t->conn, buf_first(out), out->len, more, &sent) != IO_OK)
			break;
		tls_stats.writes++;
		buf_skip(out, sent);
	}
	if (out && out->len && t->conn->flags & CONN_BROKEN)
		tls_flush_failed(t);
	return !out || !out->len;
}

/* The library is about to be called for this connection. */
static inline void tls_enter(struct tls_conn *t, size_t want)
{
	tls_current = t;
	t->want = want;
	ERR_clear_error();
}

/* It has been: memory and flags between calls. */
static void tls_leave(struct tls_conn *t, bool more)
{
	struct conn *conn = t->conn;

	if (t->out && !tls_flush(t, more))
		conn->flags &= (uint16_t)~CONN_WRITABLE;
	records_settle(RECORDS_OUT, &t->out);
	records_settle(RECORDS_IN, &t->in);
	tls_current = NULL;
	if (t->readable || t->in || t->early || (!is_unproven(t) && SSL_pending(t->ssl)))
		conn->flags |= CONN_READABLE;
	else
		conn->flags &= (uint16_t)~CONN_READABLE;
}

/* A call has failed otherwise than by wanting more. */
static enum io tls_broken(struct tls_conn *t)
{
	if (!t->error)
		t->error = ERR_peek_error();
	if (!t->fault)
		t->fault = t->broken ? TLS_FAULT_RESET : TLS_FAULT_PROTOCOL;
	t->dead = true;
	if (!t->conn->error)
		conn_fail(t->conn, CONN_READABLE, t->broken ? ECONNRESET : EPROTO);
	return IO_ERR;
}

/* A read has returned no byte. */
static enum io tls_read_nothing(struct tls_conn *t)
{
	switch (SSL_get_error(t->ssl, 0)) {
	case SSL_ERROR_WANT_READ:
		t->readable = false; /* which the BIO of a socket has not noted */
		return IO_AGAIN;
	case SSL_ERROR_ZERO_RETURN:
		if (t->broken && !t->ended)
			return tls_broken(t); /* a reset, which the library takes for an end */
		/* The library says the same of both ends: it goes on to read up to a socket's. */
		t->said |= !t->ended && !BIO_eof(SSL_get_rbio(t->ssl));
		t->ended = true;
		t->conn->flags |= CONN_EOF;
		return IO_EOF;
	default:
		return tls_broken(t);
	}
}

/* ---- the handshake, a step ------------------------------------------------------------------ */

/* Why a handshake failed, where no callback has said it. */
static enum tls_fault tls_why(const struct tls_conn *t)
{
	if (t->broken)
		return TLS_FAULT_RESET;
	if (t->eof && (!t->error || ERR_GET_REASON(t->error) == SSL_R_UNEXPECTED_EOF_WHILE_READING))
		return t->heard ? TLS_FAULT_CLOSED : TLS_FAULT_EMPTY;
	if (ERR_GET_LIB(t->error) == ERR_LIB_SSL &&
	    ERR_GET_REASON(t->error) == SSL_R_CERTIFICATE_VERIFY_FAILED)
		return tls_notes_verdict(t->ssl).ca ? TLS_FAULT_CA : TLS_FAULT_VERIFY;
	return TLS_FAULT_PROTOCOL;
}

static void tls_finished(struct tls_conn *t)
{
	bool resumed = SSL_session_reused(t->ssl);

	t->dataless = 0;
	/* Many peers close without a word; whoever reads knows whether it had all, or asks
	 * (TLS_NUMBER_UNSAID). Without this the library answers with an alert, takes no more to be
	 * sent, and forgets the session. */
	SSL_set_options(t->ssl, SSL_OP_IGNORE_UNEXPECTED_EOF);
	if (!resumed && tls_keys_made)
		tls_keys_made(t->accepts);
	if (t->accepts) {
		tls_stats.accepted++;
		tls_stats.accept_resumed += resumed;
	} else {
		tls_stats.connected++;
		tls_stats.connect_resumed += resumed;
		tls_stats.said_early_refused += tls_conn_early_refused(t->conn);
	}
}

/* The library has read and written by itself: what that says of the socket. A full one counts as
 * readable: whoever waits goes on with the next event, of whatever kind. */
static void tls_note_socket(struct tls_conn *t, int why)
{
	t->heard = BIO_number_read(SSL_get_rbio(t->ssl)) > 0;
	if (why == SSL_ERROR_WANT_READ)
		t->readable = false;
	if (why == SSL_ERROR_WANT_WRITE)
		t->conn->flags &= (uint16_t)~CONN_WRITABLE;
	t->broken = why == SSL_ERROR_SYSCALL && errno != 0;
	t->eof = why == SSL_ERROR_SYSCALL || (why == SSL_ERROR_SSL &&
		 ERR_GET_REASON(ERR_peek_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
	if (why == SSL_ERROR_NONE)
		tls_kernel_take(t, tls_bio);
	if (t->early) /* a pipe would pass it by */
		t->layer.splices &= (uint8_t)~LAYER_SPLICES_IN;
}

/* Our first message, and first bytes along with it. */
static int tls_say_early(struct tls_conn *t)
{
	size_t n;

	if (SSL_write_early_data(t->ssl, t->words.ptr, t->words.len, &n) != 1)
		return 0;
	t->said_early = true;
	tls_stats.said_early++;
	return SSL_do_handshake(t->ssl);
}

static int tls_step(struct tls_conn *t)
{
	if (t->hears_early)
		return tls_early_hear(t) ? SSL_do_handshake(t->ssl) : 0;
	return t->words.len && !t->said_early ? tls_say_early(t) : SSL_do_handshake(t->ssl);
}

static enum io tls_shake(struct tls_conn *t)
{
	int r, why;

	tls_enter(t, RECORDS_SIZE);
	r = tls_step(t);
	why = r == 1 ? SSL_ERROR_NONE : SSL_get_error(t->ssl, r);
	if (t->by_socket)
		tls_note_socket(t, why);
	if (r != 1 && why != SSL_ERROR_WANT_READ && why != SSL_ERROR_WANT_WRITE) {
		t->error = ERR_peek_error();
		if (!t->fault)
			t->fault = tls_why(t);
		if (t->eof && ERR_GET_REASON(t->error) == SSL_R_UNEXPECTED_EOF_WHILE_READING)
			t->error = 0; /* the fault says it */
		t->dead = true;
	}
	if (t->in)
		t->heard = true;
	/* What follows the accepted handshake by itself (tickets) has no hurry. */
	tls_leave(t, r == 1 && t->accepts);
	if (r == 1) {
		tls_finished(t);
		return IO_OK;
	}
	if (!t->dead)
		return IO_AGAIN;
	return t->fault == TLS_FAULT_CLOSED || t->fault == TLS_FAULT_EMPTY ? IO_EOF : IO_ERR;
}

/* Goes on with the handshake below a connection that is in use. */
static void tls_prove(struct tls_conn *t)
{
	enum io r = tls_shake(t);

	if (r == IO_AGAIN)
		return;
	t->conn->flags &= (uint16_t)~CONN_UNPROVEN;
	if (r != IO_OK) {
		tls_early_free(t); /* nobody has said it, as far as we know */
		conn_fail(t->conn, 0, t->broken ? ECONNRESET : EPROTO);
		t->conn->flags |= CONN_ERROR | CONN_READABLE;
	}
	if (t->whose && tls_proved)
		tls_proved(t->conn, t->whose, r == IO_OK);
}

/* ---- as net/conn.c wants it ----------------------------------------------------------------- */

static enum io tls_recv(struct conn *conn, void *buf, size_t size, size_t *got)
{
	struct tls_conn *t = tls_of(conn);
	size_t total = 0, n;
	enum io r = IO_OK;

	if (is_unproven(t) && !t->early)
		tls_prove(t);
	if (t->early) {
		*got = tls_early_take(t, buf, size);
		return IO_OK; /* and readable it remains, until the socket says that it is not */
	}
	if (is_unproven(t)) {
		conn->flags &= (uint16_t)~CONN_READABLE;
		return IO_AGAIN;
	}
	if (t->dead) {
		conn->flags &= (uint16_t)~CONN_READABLE;
		return t->ended ? IO_EOF : IO_ERR;
	}
	tls_enter(t, size + size / 32 + 512);
	do {
		if (SSL_read_ex(t->ssl, (char *)buf + total, size - total, &n) != 1) {
			r = tls_read_nothing(t);
			break;
		}
		total += n;
		t->dataless = 0;
	} while (total < size && (t->readable || (t->in && t->in->len) || SSL_pending(t->ssl)));
	tls_leave(t, false);
	if (!total) {
		conn->flags &= (uint16_t)~CONN_READABLE;
		return r;
	}
	if (r == IO_EOF || r == IO_ERR)
		conn->flags |= CONN_READABLE; /* the next call tells */
	*got = total;
	return IO_OK;
}

/* How much the next record may hold. */
static size_t tls_record_size(const struct tls_conn *t)
{
	size_t most = tls_records.most ? tls_records.most : 16384;

	if (tls_records.first && tls_records.first < most && t->streamed < TLS_STREAMING)
		return tls_records.first;
	return most;
}

/* Something is about to be sent: behind a pause it begins anew. */
static void tls_note_pause(struct tls_conn *t)
{
	if (!tls_records.first)
		return;
	if (tls_records.idle_ms && (uint32_t)clock_now_ms - t->sent_ms > tls_records.idle_ms)
		t->streamed = 0;
	t->sent_ms = (uint32_t)clock_now_ms;
}

/* The next record's worth of the pieces: where they lie, or gathered. */
static size_t tls_piece(const struct iovec *pieces, unsigned count, unsigned *at, size_t *offset,
			size_t most, const char **ptr)
{
	static char gathered[RECORD_MOST];
	size_t n, len = 0;

	while (*at < count && *offset == pieces[*at].iov_len) {
		++*at;
		*offset = 0;
	}
	if (*at == count)
		return 0;
	*ptr = (const char *)pieces[*at].iov_base + *offset;
	n = pieces[*at].iov_len - *offset;
	if (n >= most || *at + 1 == count) {
		n = n < most ? n : most;
		*offset += n;
		return n;
	}
	*ptr = gathered;
	while (*at < count && len < most) {
		n = pieces[*at].iov_len - *offset;
		n = n < most - len ? n : most - len;
		memcpy(gathered + len, (const char *)pieces[*at].iov_base + *offset, n);
		len += n;
		*offset += n;
		if (*offset == pieces[*at].iov_len) {
			++*at;
			*offset = 0;
		}
	}
	return len;
}

static enum io tls_send(struct conn *conn, const struct iovec *pieces, unsigned count, bool more,
			size_t *sent)
{
	struct tls_conn *t = tls_of(conn);
	int (*write)(SSL *ssl, const void *buf, size_t len, size_t *written) =
		is_unproven(t) ? SSL_write_early_data : SSL_write_ex;
	size_t total = 0, offset = 0, n, written = 0;
	unsigned at = 0;
	bool failed = false;
	const char *ptr;

	if (t->dead || conn->flags & CONN_BROKEN)
		return IO_ERR;
	if (t->out)
		return IO_AGAIN; /* room has to come first: tls_event */
	t->late = t->eof;
	if (t->layer.splices & LAYER_SPLICES_OUT) {
		t->spoke = true;
		return conn_raw_send_pieces(conn, pieces, count, more, sent);
	}
	tls_enter(t, 0);
	tls_note_pause(t);
	while (!failed &&
	       (n = tls_piece(pieces, count, &at, &offset, tls_record_size(t), &ptr)) > 0) {
		total += n;
		if (t->streamed < TLS_STREAMING)
			t->streamed += (uint32_t)n;
		for (; n && !failed; ptr += written, n -= written)
			failed = write(t->ssl, ptr, n, &written) != 1;
		if (t->out && buf_room(t->out) < RECORD_MOST && !tls_flush(t, more))
			break;
	}
	t->spoke = true;
	if (failed)
		DROPPED(tls_broken(t), "IO_ERR, which is returned behind tls_leave");
	tls_leave(t, more);
	if (failed || conn->flags & CONN_BROKEN)
		return IO_ERR;
	*sent = total;
	return total ? IO_OK : IO_AGAIN;
}

/* The library's word that it ends. */
static void tls_say_end(struct tls_conn *t, bool more)
{
	if (t->dead || t->said_end || !SSL_is_init_finished(t->ssl))
		return;
	t->said_end = true;
	tls_enter(t, 0);
	if (SSL_shutdown(t->ssl) < 0 && SSL_get_error(t->ssl, -1) == SSL_ERROR_WANT_WRITE)
		t->said_end = false; /* a full socket, of the kernel's TLS */
	tls_leave(t, more);
}

static void tls_shut(struct conn *conn);

static void tls_event(struct conn *conn)
{
	struct tls_conn *t = tls_of(conn);

	if (conn->flags & CONN_READABLE)
		t->readable = true;
	if (is_unproven(t) && t->readable)
		tls_prove(t);
	if (t->out && conn->flags & CONN_WRITABLE) {
		if (!tls_flush(t, false))
			conn->flags &= (uint16_t)~CONN_WRITABLE;
		records_settle(RECORDS_OUT, &t->out);
	}
	if (!t->shut || is_unproven(t) || t->out || !(conn->flags & CONN_WRITABLE))
		return;
	if (t->said_end) {
		conn_raw_shut(conn);
	} else { /* it could not be said before */
		t->shut = false;
		tls_shut(conn);
	}
}

static void tls_shut(struct conn *conn)
{
	struct tls_conn *t = tls_of(conn);

	if (t->shut)
		return;
	t->shut = true;
	if (is_unproven(t))
		return; /* it cannot be said yet: tls_event */
	tls_say_end(t, true);
	if (!t->out && (t->said_end || !(t->layer.splices & LAYER_SPLICES_OUT)))
		conn_raw_shut(conn);
}

/* What a read would find, without taking it. */
static enum io tls_probe(struct conn *conn)
{
	struct tls_conn *t = tls_of(conn);
	enum io r = IO_OK;
	size_t n;
	char c;

	if (is_unproven(t))
		tls_prove(t);
	if (t->early)
		return IO_OK;
	if (is_unproven(t))
		return IO_AGAIN;
	if (t->dead)
		return t->ended ? IO_EOF : IO_ERR;
	t->readable = true;
	tls_enter(t, RECORD_MOST);
	if (SSL_peek_ex(t->ssl, &c, 1, &n) != 1)
		r = tls_read_nothing(t);
	tls_leave(t, false);
	if (r == IO_EOF || r == IO_ERR)
		conn->flags |= CONN_READABLE;
	return r;
}

static bool tls_at_end(const struct conn *conn)
{
	return tls_probe((struct conn *)conn) == IO_EOF;
}

static bool tls_is_quiet(struct conn *conn)
{
	return tls_probe(conn) == IO_AGAIN;
}

static bool tls_outlives(const struct conn *conn)
{
	return is_unproven(tls_of(conn));
}

static void tls_close(struct conn *conn, bool reset)
{
	struct tls_conn *t = tls_of(conn);

	t->whose = NULL;
	if (is_unproven(t) && t->spoke && !reset && !t->eof && !(conn->flags & CONN_BROKEN) &&
	    tls_outlive(conn, t))
		return;
	if (!reset && (t->eof ? t->late : t->spoke || !(conn->flags & CONN_RDHUP)))
		tls_say_end(t, false);
	if (t->out && !reset && !(conn->flags & CONN_BROKEN))
		tls_drain(conn, &t->out);
	records_give(&t->out);
	records_give(&t->in);
	tls_early_free(t);
	if (!t->dead || t->broken) /* else the library takes the session for a bad one */
		SSL_set_shutdown(t->ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	tls_silence_end(t);
	tls_current = t;
	SSL_free(t->ssl);
	tls_current = NULL;
	tls_stats.current--;
	if (!t->accepts && tls_connect_counted)
		tls_connect_counted(-1);
	conn->layer = NULL;
	pool_give(&tls_pool, &t);
}

static const struct conn_layer_ops tls_ops = {
	.recv = tls_recv,
	.send = tls_send,
	.event = tls_event,
	.at_end = tls_at_end,
	.is_quiet = tls_is_quiet,
	.outlives = tls_outlives,
	.shut = tls_shut,
	.close = tls_close,
	.tls = &tls_conn_facts,
};

static inline bool has_layer(const struct conn *conn)
{
	return conn && conn->layer && conn->layer->ops == &tls_ops;
}

struct ssl_st *tls_conn_ssl(const struct conn *conn)
{
	return has_layer(conn) ? tls_of(conn)->ssl : NULL;
}

/* ---- handshake ------------------------------------------------------------------------------ */

int tls_layer_start(struct conn *conn, struct ssl_st *ssl, bool accepts)
{
	bool may = accepts || !tls_may_connect || tls_may_connect();
	struct tls_conn *t = ssl && may && tls_bio_make() ? pool_take(&tls_pool) : NULL;

	if (!t) {
		SSL_free(ssl);
		return -1;
	}
	KIND_IS(struct tls_conn, t);
	t->layer.ops = &tls_ops;
	t->conn = conn;
	t->ssl = ssl;
	t->accepts = accepts;
	t->readable = conn->flags & CONN_READABLE;
	tls_silence_begin(t);
	SSL_set_app_data(ssl, t);
	SSL_set_mode(ssl, SSL_MODE_RELEASE_BUFFERS); /* an idle connection has none */
	if (!tls_kernel_begin(t)) {
		BIO_up_ref(tls_bio);
		SSL_set_bio(ssl, tls_bio, tls_bio);
	}
	if (accepts) {
		SSL_set_accept_state(ssl);
		tls_stats.accepts++;
	} else {
		SSL_set_connect_state(ssl);
		tls_stats.connects++;
		if (tls_connect_counted)
			tls_connect_counted(1);
	}
	tls_stats.current++;
	conn->layer = &t->layer;
	return 0;
}

enum io tls_conn_handshake(struct conn *conn)
{
	struct tls_conn *t = tls_of(conn);
	enum io r;

	if (t->dead)
		return IO_ERR;
	r = tls_shake(t);
	/* In OpenSSL's hands (by_socket) the rest of the handshake cannot go beside what is
	 * sent. */
	if (r != IO_AGAIN || !t->early || t->by_socket)
		return r;
	conn->flags |= CONN_UNPROVEN;
	return IO_OK;
}

/* ---- early data ------------------------------------------------------------------------------ */

void tls_conn_belongs(struct conn *conn, void *whose)
{
	if (has_layer(conn))
		tls_of(conn)->whose = whose;
}

bool tls_conn_early_said(const struct conn *conn)
{
	return has_layer(conn) && tls_of(conn)->said_early;
}

bool tls_conn_early_refused(const struct conn *conn)
{
	return tls_conn_early_said(conn) &&
	       SSL_get_early_data_status(tls_of(conn)->ssl) != SSL_EARLY_DATA_ACCEPTED;
}

size_t tls_conn_early_taken(const struct conn *conn)
{
	return tls_conn_early_said(conn) && !tls_conn_early_refused(conn) ?
		       tls_of(conn)->words.len : 0;
}
