/* SPDX-License-Identifier: BSD-2-Clause */
/* Tells the service manager (systemd, or what speaks its protocol: sd_notify(3)) how the service
 * is. One process speaks: the one that the manager started. Without a manager nothing happens. */
#ifndef PROCESS_NOTIFY_H
#define PROCESS_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

/* Looks whether somebody waits to be told (NOTIFY_SOCKET, WATCHDOG_USEC, WATCHDOG_PID). To be
 * called in the process that will speak, again after it has executed itself anew. The environment
 * is left as it is. True: there is a manager. */
bool notify_start(void);
/* Nothing is said any more: for processes that were forked. */
void notify_stop(void);

/* Each says one thing, at once, with a sentence for people ("systemctl status" shows it); NULL:
 * none. Waits one second at most, when the manager is busy. 0, or -1 and errno; 0 without a
 * manager. */
int notify_ready(const char *status);
int notify_reloading(const char *status);
int notify_stopping(const char *status);

/* How often the manager wants to hear of us at least, in ms: half of what it waits; 0: never. */
unsigned notify_alive_ms(void);
/* "I am alive", when it is time to say so: to be called more often than that. Never waits. */
void notify_alive(uint64_t now_ms);

#endif
