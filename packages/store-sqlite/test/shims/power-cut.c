/*
 * A power cut, as a preloaded library: keeps, in a second folder, each file of the first one as it was when it was last synced. What a
 * program wrote but never synced is missing there, as it would be on the disk after the power went.
 *
 *   LD_PRELOAD=power-cut.so GIVEWAY_SHIM_FOLDER=/real GIVEWAY_SHIM_SHADOW=/shadow program
 *
 * Only fsync, fdatasync and unlink are replaced. A deletion counts as durable at once: SQLite syncs the folder after it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The shadow's path of a file in the watched folder; 0 where it is none of ours. */
static int shadow_of(const char *path, char *shadow) {
  const char *folder = getenv("GIVEWAY_SHIM_FOLDER");
  const char *target = getenv("GIVEWAY_SHIM_SHADOW");
  if (folder == NULL || target == NULL) return 0;
  size_t length = strlen(folder);
  if (strncmp(path, folder, length) != 0 || path[length] != '/') return 0;
  return snprintf(shadow, PATH_MAX, "%s/%s", target, path + length + 1) < PATH_MAX;
}

/* Copies the whole file under a name of its own first, so that a kill in the middle leaves the state of the sync before. */
static void keep(int descriptor) {
  char link[64], path[PATH_MAX], shadow[PATH_MAX], partial[PATH_MAX + 8], buffer[65536];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return;
  path[length] = 0;
  if (!shadow_of(path, shadow)) return;
  snprintf(partial, sizeof partial, "%s.part", shadow);
  int out = open(partial, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (out < 0) return;
  off_t at = 0;
  for (ssize_t got; (got = pread(descriptor, buffer, sizeof buffer, at)) > 0; at += got) {
    if (write(out, buffer, got) != got) abort();
  }
  close(out);
  if (rename(partial, shadow) != 0) abort();
}

static int sync_with(const char *name, int descriptor) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  int result = real(descriptor);
  if (result == 0) keep(descriptor);
  return result;
}

int fsync(int descriptor) { return sync_with("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_with("fdatasync", descriptor); }

int unlink(const char *path) {
  int (*real)(const char *) = (int (*)(const char *))dlsym(RTLD_NEXT, "unlink");
  char shadow[PATH_MAX];
  int result = real(path);
  if (result == 0 && shadow_of(path, shadow)) real(shadow);
  return result;
}
