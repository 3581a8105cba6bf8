/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * relaytest: puts a live socket of another process into a BPF sockmap, as node agents and service
 * meshes do. Needs root (CAP_BPF, CAP_SYS_PTRACE); neither a compiler nor libbpf.
 *
 * The program attached to the map is the shortest there is: every segment passes to the socket it
 * came for. That alone takes the data out of the receive queue that splice(2) looks at.
 */
#include "relaytest.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int bpf(int command, union bpf_attr *attr)
{
	return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* A stream verdict of SK_PASS. */
static int verdict_load(void)
{
	static const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = SK_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr a;

	memset(&a, 0, sizeof(a));
	a.prog_type = BPF_PROG_TYPE_SK_SKB;
	a.expected_attach_type = BPF_SK_SKB_STREAM_VERDICT;
	a.insns = (uintptr_t)code;
	a.insn_cnt = sizeof(code) / sizeof(*code);
	a.license = (uintptr_t)"GPL";
	return bpf(BPF_PROG_LOAD, &a);
}

/* A map of one socket whose segments pass through that program. */
static int map_create(void)
{
	union bpf_attr a;
	int map, prog;

	memset(&a, 0, sizeof(a));
	a.map_type = BPF_MAP_TYPE_SOCKMAP;
	a.key_size = sizeof(uint32_t);
	a.value_size = sizeof(uint32_t);
	a.max_entries = 1;
	map = bpf(BPF_MAP_CREATE, &a);
	prog = verdict_load();
	if (map < 0 || prog < 0)
		die("bpf");
	memset(&a, 0, sizeof(a));
	a.target_fd = (uint32_t)map;
	a.attach_bpf_fd = (uint32_t)prog;
	a.attach_type = BPF_SK_SKB_STREAM_VERDICT;
	if (bpf(BPF_PROG_ATTACH, &a))
		die("attaching to the sockmap");
	close(prog);
	return map;
}

static uint16_t port_of(int fd, bool peer)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof(ss);
	int r = peer ? getpeername(fd, (struct sockaddr *)&ss, &len) :
		       getsockname(fd, (struct sockaddr *)&ss, &len);

	return r || ss.ss_family != AF_INET ? 0 : ((struct sockaddr_in *)&ss)->sin_port;
}

/* A copy of the relay's socket that is connected to `ours`; -1 when there is none. */
static int relay_socket(pid_t relay, int ours)
{
	int pidfd = (int)syscall(SYS_pidfd_open, relay, 0);
	char path[64];
	struct dirent *e;
	DIR *dir;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)relay);
	dir = opendir(path);
	if (pidfd < 0 || !dir)
		die("pidfd_open");
	while (fd < 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, atoi(e->d_name), 0);
		if (fd < 0 || (port_of(fd, false) == port_of(ours, true) &&
			       port_of(fd, true) == port_of(ours, false) && port_of(fd, true)))
			continue;
		close(fd);
		fd = -1;
	}
	closedir(dir);
	close(pidfd);
	return fd;
}

int sockmap_unread(pid_t relay, int ours)
{
	int fd = relay_socket(relay, ours), unread = -1;

	if (fd < 0 || ioctl(fd, FIONREAD, &unread))
		die("the relay's socket is not among its descriptors");
	close(fd);
	return unread;
}

bool sockmap_capture(pid_t relay, int ours)
{
	int fd = relay_socket(relay, ours), map = map_create();
	uint32_t key = 0, value = (uint32_t)fd;
	union bpf_attr a;

	if (fd < 0)
		return expect(false, "the relay's socket is not among its descriptors");
	memset(&a, 0, sizeof(a));
	a.map_fd = (uint32_t)map;
	a.key = (uintptr_t)&key;
	a.value = (uintptr_t)&value;
	a.flags = BPF_ANY;
	if (bpf(BPF_MAP_UPDATE_ELEM, &a))
		die("putting the socket into the sockmap");
	close(fd); /* the map stays open and keeps the socket in it until we exit */
	return true;
}
