/* Attacks that need C. Each attack holds its resources for at most 20 seconds. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const size_t MB = 1000 * 1000;
static char block[1000 * 1000];

static void hold(void) { for (;;) pause(); }
static void *rest(void *unused) { hold(); return unused; }

static void touch(int flags, int count) {
  for (int i = 0; i < count; i += 10) {
    char *taken = mmap(NULL, 10 * MB, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    if (taken == MAP_FAILED) exit(2);
    memset(taken, 1, 10 * MB);
    usleep(10000);
  }
}

/* Reads one byte of every 2 MB of untouched memory. Each read allocates only a 4 KB page table. */
static void readUntouched(int count) {
  const size_t step = 2 * 1024 * 1024, steps = (size_t)count * MB / 4096;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  volatile char *taken = mmap(NULL, steps * step, PROT_READ, flags, -1, 0);
  if (taken == MAP_FAILED) exit(2);
  madvise((void *)taken, steps * step, MADV_NOHUGEPAGE);
  for (size_t i = 0; i < steps; i++) (void)taken[i * step];
}

static void fill(int fd, int count) {
  memset(block, 1, MB);
  for (int i = 0; i < count; i++) {
    if (write(fd, block, MB) < 0) { printf("%d\n", errno); exit(0); }
    usleep(2000);
  }
}

static void leaveZombies(int count) {
  for (int i = 0; i < count; i++) {
    if (fork() == 0) _exit(0);
    usleep(2000);
  }
}

static void startMany(int count, int daemons) {
  for (int i = 0; i < count; i++) {
    if (fork() != 0) { usleep(2000); continue; }
    alarm(20);
    if (daemons) { setsid(); clearenv(); if (fork() != 0) _exit(0); alarm(20); }
    hold();
  }
}

static int userNamespace(void *unused) { return unused != NULL; }

int main(int argc, char **argv) {
  const char *attack = argc > 1 ? argv[1] : "";
  int count = argc > 2 ? atoi(argv[2]) : 0;
  alarm(20);
  setvbuf(stdout, NULL, _IONBF, 0);
  if (!strcmp(attack, "syscalls")) {
    for (int i = 2; i + 1 < argc; i += 2) {
      unsigned long nr = strtoul(argv[i], NULL, 0), value = strtoul(argv[i + 1], NULL, 0);
      /* Runs in a child process, because a call may end or stop its caller. */
      pid_t child = fork();
      if (child == 0) { errno = 0; syscall(nr, value, value, value, 0, 0, 0); _exit(errno); }
      int status = 0;
      waitpid(child, &status, 0);
      printf("%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    }
    return 0;
  }
#ifdef __x86_64__
  if (!strcmp(attack, "int80")) {
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");
    printf("%d\n", result < 0 ? -result : 0);
    return 0;
  }
#endif
  if (!strcmp(attack, "clone")) {
    static char stack[65536];
    int pid = clone(userNamespace, stack + sizeof stack, CLONE_NEWUSER | SIGCHLD, NULL);
    printf("%s\n", pid < 0 ? "refused" : "made");
    return 0;
  }
  if (!strcmp(attack, "raise")) {
    struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
    printf("%d\n", setrlimit(count, &limit) < 0 ? errno : 0);
    return 0;
  }
  if (!strcmp(attack, "sysv")) {
    printf("%d\n", shmget(IPC_PRIVATE, (size_t)count * 1024, IPC_CREAT | 0600) < 0 ? errno : 0);
    return 0;
  }
  if (!strcmp(attack, "messages")) {
    printf("%d\n", msgget(IPC_PRIVATE, IPC_CREAT | 0600) < 0 ? errno : 0);
    return 0;
  }
  if (!strcmp(attack, "private")) touch(MAP_PRIVATE, count);
  if (!strcmp(attack, "hidden")) { prctl(PR_SET_DUMPABLE, 0); touch(MAP_PRIVATE, count); }
  if (!strcmp(attack, "tables")) readUntouched(count);
  if (!strcmp(attack, "shared")) touch(MAP_SHARED, count);
  if (!strcmp(attack, "memfd")) for (int i = 0; i < count; i += 10) fill(memfd_create("x", 0), 10);
  if (!strcmp(attack, "unlinked")) {
    for (int i = 0; i < count; i += 10) {
      int fd = open("gone", O_CREAT | O_RDWR | O_TRUNC, 0600);
      unlink("gone");
      fill(fd, 10);
    }
  }
  if (!strcmp(attack, "files")) for (int i = 0; i < count; i++) open("/dev/null", O_RDONLY);
  if (!strcmp(attack, "threads")) {
    pthread_t thread;
    for (int i = 0; i < count; i++) pthread_create(&thread, NULL, rest, NULL);
  }
  if (!strcmp(attack, "forks")) startMany(count, 0);
  if (!strcmp(attack, "daemons")) startMany(count, 1);
  if (!strcmp(attack, "zombies")) leaveZombies(count);
  hold();
}
