/*
 * A disk that fails to sync, as a preloaded library: from the moment the trigger file exists, fsync and fdatasync of files in the watched
 * folder fail with EIO.
 *
 *   LD_PRELOAD=failing-sync.so GIVEWAY_SHIM_FOLDER=/folder GIVEWAY_SHIM_TRIGGER=/some/file program
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fails(int descriptor) {
  const char *folder = getenv("GIVEWAY_SHIM_FOLDER");
  const char *trigger = getenv("GIVEWAY_SHIM_TRIGGER");
  if (folder == NULL || trigger == NULL || access(trigger, F_OK) != 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strncmp(path, folder, strlen(folder)) == 0;
}

static int sync_with(const char *name, int descriptor) {
  if (fails(descriptor)) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(descriptor);
}

int fsync(int descriptor) { return sync_with("fsync", descriptor); }
int fdatasync(int descriptor) { return sync_with("fdatasync", descriptor); }
