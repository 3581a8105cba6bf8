/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the programs that judge a relay from outside have in common: addresses, sockets, time,
 * random numbers, bytes that tell their position, and a look at a process in /proc. Used by
 * contrib/bench/ and by reg-tests/; deliberately independent of penstock's own code, so that a
 * mistake there cannot hide itself here.
 */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#define NSEC 1000000000ull
#define MSEC 1000000ull

struct address {
	struct sockaddr_storage ss;
	socklen_t len;
};

/* Prints "PROGRAM: ...", and what errno says when it is set, and exits with 1. */
void die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* "127.0.0.1:80", "[::1]:80" or a path with a slash; dies on anything else. */
struct address address_parse(const char *text);

/* A number with an optional k, m or g (powers of 1024); dies on anything else. */
uint64_t number_parse(const char *text);

/* A listening, non-blocking socket with address reuse; dies when it cannot be had. */
int sock_listen(const struct address *a);

/* The port that a bound socket has. */
int sock_port(int fd);

/* A socket on which a connect to `a` has begun (non-blocking) or been made. -1: errno. */
int sock_connect(const struct address *a, bool nonblock);

/* TCP_NODELAY; nothing to worry about on other sockets. */
void sock_nodelay(int fd);

/* Closing `fd` sends RST from now on. */
void sock_linger_zero(int fd);

/* Monotonic time in nanoseconds. */
uint64_t now_ns(void);

/* Raises the limit of descriptors as far as the process may. */
void want_descriptors(void);

/* Binds the process to one core; -1 means none. */
void pin_to(int cpu);

/* splitmix64: the next number of the sequence kept in *state. */
uint64_t rnd(uint64_t *state);

/* A number in low..high, both included. */
uint64_t rnd_range(uint64_t *state, uint64_t low, uint64_t high);

/* Fills `buf` with bytes pos..pos+len of the endless text number `seed`. */
void pattern_fill(void *buf, size_t len, uint64_t seed, uint64_t pos);

/* How many bytes of `buf` agree with that text; `len` when all do. */
size_t pattern_check(const void *buf, size_t len, uint64_t seed, uint64_t pos);

/* CPU time that all threads of a process have had, in nanoseconds; 0 when it is gone. */
uint64_t proc_cpu_ns(pid_t pid);

/* The same time as the kernel divides it between user and system, in clock ticks. */
void proc_cpu_ticks(pid_t pid, uint64_t *user, uint64_t *sys);

/* Open descriptors of a process; *pipes of them are pipes of which it has both ends. -1 when it is
 * gone. */
int proc_fds(pid_t pid, int *pipes);

/* A field of /proc/PID/status in kB ("VmRSS", "RssAnon"); 0 when absent. */
uint64_t proc_status_kb(pid_t pid, const char *field);

#endif
