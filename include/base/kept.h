/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory that survives the re-execution of the parent: memfds by name. Who has some says so; who
 * hands over (process/handover.c) names all of them to the next image, where who asks finds them. */
#ifndef BASE_KEPT_H
#define BASE_KEPT_H

/* From now on the descriptor is handed over under this name (a literal, one word), in the place of
 * the one before, which is closed. Takes over fd, which is close-on-exec. */
void kept_set(const char *name, int fd);
/* What was set, or what an earlier image has left; still kept. -1: none. */
int kept_get(const char *name);
/* Each of them. */
void kept_each(void (*fn)(const char *name, int fd, void *arg), void *arg);
/* In a process that serves, which does not hand over: closes all. */
void kept_forget(void);

#endif
