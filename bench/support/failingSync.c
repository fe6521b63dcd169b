// Loaded into a process with LD_PRELOAD: of its calls that ask the disk to keep what was written, so many percent fail
// with EIO, from when the file exists that FAILING_SYNC names.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int refuses(void) {
  const char *file = getenv("FAILING_SYNC");
  const char *percent = getenv("FAILING_SYNC_PERCENT");
  if (file == NULL || percent == NULL || access(file, F_OK) != 0) return 0;
  return random() % 100 < atoi(percent);
}

static int pass_on(const char *name, int file) {
  if (refuses()) {
    errno = EIO;
    return -1;
  }
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  return real(file);
}

int fsync(int file) { return pass_on("fsync", file); }
int fdatasync(int file) { return pass_on("fdatasync", file); }
