/*
 * Makes the operations on files below FAULT_ROOT fail at a chosen point. It is loaded into a process by LD_PRELOAD, so
 * that also SQLite's own calls fail. FAULT_KIND:
 *   count   fails nothing; the number of points is written to FAULT_REPORT at the end
 *   kill    SIGKILL before operation FAULT_AT
 *   torn    half of the bytes of write FAULT_AT, then SIGKILL
 *   power   SIGKILL, and files outside of SQLite lose what was written since their last fsync
 *   enospc  ENOSPC for FAULT_SPAN operations from FAULT_AT on
 *   eio     EIO for the same
 *   slow    each operation takes a few milliseconds, until SIGKILL at FAULT_AT
 *   full    ENOSPC for each write that makes a file longer, while the file FAULT_FLAG exists
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { MAX_DIRTY = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long operations;
/* Descriptors of files with bytes that no fsync has covered, by inode. */
static struct { ino_t inode; int descriptor; } dirty[MAX_DIRTY];
static int dirty_count;

static const char *root(void) { return getenv("FAULT_ROOT"); }
static const char *kind(void) { const char *k = getenv("FAULT_KIND"); return k ? k : ""; }
static int is_kind(const char *name) { return strcmp(kind(), name) == 0; }
static long number(const char *name) { const char *text = getenv(name); return text ? atol(text) : 0; }

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

static int is_below(const char *path) {
  const char *folder = root();
  return folder && path && strncmp(path, folder, strlen(folder)) == 0;
}

static int path_of(int descriptor, char *path, size_t size) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, path, size - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return is_below(path);
}

static int is_database(const char *path) { return strstr(path, ".sqlite") || strstr(path, "tabd.lock"); }

static void lose_unsynced(void) {
  int (*truncate_real)(int, off_t) = real("ftruncate64");
  for (int i = 0; i < dirty_count; i++) if (dirty[i].inode) truncate_real(dirty[i].descriptor, 0);
}

/* Returns an error number for this operation, or 0. Does not return when the process ends here. */
static int check(void) {
  if (!root()) return 0;
  pthread_mutex_lock(&lock);
  long now = ++operations;
  long at = number("FAULT_AT");
  int result = 0;
  if (is_kind("slow")) { struct timespec pause = {0, 3000000}; nanosleep(&pause, NULL); }
  if (at > 0 && now == at && (is_kind("kill") || is_kind("power") || is_kind("slow"))) {
    if (is_kind("power")) lose_unsynced();
    kill(getpid(), SIGKILL);
  }
  if (at > 0 && now >= at && now < at + number("FAULT_SPAN")) {
    if (is_kind("enospc")) result = ENOSPC;
    if (is_kind("eio")) result = EIO;
  }
  pthread_mutex_unlock(&lock);
  return result;
}

static int is_torn_here(void) { return is_kind("torn") && operations == number("FAULT_AT"); }

static void mark(int descriptor, const char *path) {
  if (!is_kind("power") || is_database(path)) return;
  struct stat info;
  if (fstat(descriptor, &info) != 0) return;
  pthread_mutex_lock(&lock);
  int known = 0;
  for (int i = 0; i < dirty_count; i++) if (dirty[i].inode == info.st_ino) known = 1;
  if (!known && dirty_count < MAX_DIRTY) {
    dirty[dirty_count].inode = info.st_ino;
    dirty[dirty_count++].descriptor = fcntl(descriptor, F_DUPFD_CLOEXEC, 500);
  }
  pthread_mutex_unlock(&lock);
}

static void clean(int descriptor) {
  struct stat info;
  if (!is_kind("power") || fstat(descriptor, &info) != 0) return;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < dirty_count; i++)
    if (dirty[i].inode == info.st_ino) {
      close(dirty[i].descriptor);
      dirty[i] = dirty[--dirty_count];
      break;
    }
  pthread_mutex_unlock(&lock);
}

/* A deletion needs no space: it fails only where the disk itself fails. */
#define FAIL_DELETION_IF_CHOSEN() do { int code = check(); if (code == EIO) { errno = code; return -1; } } while (0)
#define FAIL_IF_CHOSEN() do { int code = check(); if (code) { errno = code; return -1; } } while (0)

/* Whether the disk has no room for bytes up to an end. -1: for bytes at the end of the file. */
static int is_full(int descriptor, off_t end) {
  struct stat info;
  const char *flag = getenv("FAULT_FLAG");
  if (!is_kind("full") || !flag || access(flag, F_OK) != 0) return 0;
  return end < 0 || fstat(descriptor, &info) != 0 || end > info.st_size;
}
#define FAIL_IF_FULL(end) do { if (is_full(descriptor, end)) { errno = ENOSPC; return -1; } } while (0)

ssize_t write(int descriptor, const void *bytes, size_t count) {
  ssize_t (*call)(int, const void *, size_t) = real("write");
  char path[4096];
  if (!path_of(descriptor, path, sizeof path)) return call(descriptor, bytes, count);
  FAIL_IF_FULL(-1);
  FAIL_IF_CHOSEN();
  if (is_torn_here()) { call(descriptor, bytes, count / 2); kill(getpid(), SIGKILL); }
  mark(descriptor, path);
  return call(descriptor, bytes, count);
}

static ssize_t positioned(const char *name, int descriptor, const void *bytes, size_t count, off_t at) {
  ssize_t (*call)(int, const void *, size_t, off_t) = real(name);
  char path[4096];
  if (!path_of(descriptor, path, sizeof path)) return call(descriptor, bytes, count, at);
  FAIL_IF_FULL(at + (off_t)count);
  FAIL_IF_CHOSEN();
  if (is_torn_here()) { call(descriptor, bytes, count / 2, at); kill(getpid(), SIGKILL); }
  mark(descriptor, path);
  return call(descriptor, bytes, count, at);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at) {
  return positioned("pwrite", descriptor, bytes, count, at);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t at) {
  return positioned("pwrite64", descriptor, bytes, count, at);
}

ssize_t writev(int descriptor, const struct iovec *parts, int count) {
  ssize_t (*call)(int, const struct iovec *, int) = real("writev");
  char path[4096];
  if (!path_of(descriptor, path, sizeof path)) return call(descriptor, parts, count);
  FAIL_IF_FULL(-1);
  FAIL_IF_CHOSEN();
  mark(descriptor, path);
  return call(descriptor, parts, count);
}

#define ON_DESCRIPTOR(name, after)                                  \
  int name(int descriptor) {                                        \
    int (*call)(int) = real(#name);                                 \
    char path[4096];                                                \
    if (!path_of(descriptor, path, sizeof path)) return call(descriptor); \
    FAIL_IF_CHOSEN();                                               \
    after;                                                          \
    return call(descriptor);                                        \
  }
ON_DESCRIPTOR(fsync, clean(descriptor))
ON_DESCRIPTOR(fdatasync, clean(descriptor))

int ftruncate64(int descriptor, off64_t length) {
  int (*call)(int, off64_t) = real("ftruncate64");
  char path[4096];
  if (path_of(descriptor, path, sizeof path)) FAIL_IF_CHOSEN();
  return call(descriptor, length);
}

int ftruncate(int descriptor, off_t length) { return ftruncate64(descriptor, length); }

#define ON_TWO_PATHS(name)                                   \
  int name(const char *from, const char *to) {               \
    int (*call)(const char *, const char *) = real(#name);   \
    if (is_below(to)) FAIL_IF_CHOSEN();                      \
    return call(from, to);                                   \
  }
ON_TWO_PATHS(rename)
ON_TWO_PATHS(link)

int unlink(const char *path) {
  int (*call)(const char *) = real("unlink");
  if (is_below(path)) FAIL_DELETION_IF_CHOSEN();
  return call(path);
}

int mkdir(const char *path, mode_t mode) {
  int (*call)(const char *, mode_t) = real("mkdir");
  if (is_below(path)) FAIL_IF_CHOSEN();
  return call(path, mode);
}

__attribute__((destructor)) static void report(void) {
  const char *path = getenv("FAULT_REPORT");
  if (!path || !is_kind("count")) return;
  FILE *file = fopen(path, "w");
  if (!file) return;
  fprintf(file, "%ld", operations);
  fclose(file);
}
