import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runRepositoryProgram } from '../run/run-repository-program.js';
import { type Bench, createBench } from '../testing/bench.js';
import { compileAttack, withCompiler } from '../testing/compile-attack.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import { type Attempt, callAll, EPERM, expectedError, listAttempts } from '../testing/syscall-attempts.js';
import { ALWAYS_DENIED, DENIED_WITHOUT_NESTING, type DeniedSyscall } from './denied-syscalls.js';

const path = process.env['PATH'] ?? '';
const { bubblewrap } = await findSandboxes({ PATH: path });

type Setting = { allowNesting?: boolean };

/** Runs a shell script in the sandbox, as the repository's tests, and returns its output. */
async function runInside(
  bench: Bench,
  script: string,
  { allowNesting = false }: Setting = {},
): Promise<string> {
  const { cwd, home, host } = bench;
  writeFileSync(join(cwd, 'test.sh'), `#!/bin/sh\n${script}\nexit 1\n`, { mode: 0o755 });
  const signal = new AbortController().signal;
  const job = { path: 'test.sh', cwd, home, timeoutMs: 20_000, signal };
  const run = await runRepositoryProgram({ ...host, allowNesting }, job);
  if (run.kind !== 'failed') throw new Error(JSON.stringify(run));
  return run.output;
}

function useBench(sandbox: Bench['host']['sandbox']): () => Bench {
  let bench: Bench;
  beforeAll(() => {
    bench = createBench(sandbox, process.env);
    compileAttack(bench.cwd);
  });
  afterAll(() => bench.remove());
  return () => bench;
}

const VARIANTS: readonly Attempt[] = [
  { name: 'ioctl with TIOCLINUX', number: 16, value: 0x541c },
  { name: 'personality that maps page zero', number: 135, value: 0x100000 },
  { name: 'personality that makes all memory executable', number: 135, value: 0x400000 },
  { name: 'shmget with a huge size', number: 29, value: 2 ** 40 },
  ...[3, 9, 17, 21, 30, 31, 38, 40, 44].map((value) => ({
    name: `socket of family ${value}`,
    number: 41,
    value,
  })),
  ...[17, 29, 30, 38, 40, 43].map((value) => ({ name: `socketpair of family ${value}`, number: 53, value })),
  { name: 'open_tree_attr, which is newer than most deny lists', number: 467, value: 0 },
  { name: 'msgget for a private queue', number: 68, value: 0 },
  { name: 'getpid with an x32 number', number: 0x40000000 + 39, value: 0 },
  { name: 'keyctl with an x32 number', number: 0x40000000 + 250, value: 0 },
  { name: 'bpf with an x32 number', number: 0x40000000 + 321, value: 0 },
];

/** The calls that docs/security.md names. Without this list, a call that the table lost would not be tried. */
const PROMISED = [
  ...[
    'add_key',
    'request_key',
    'keyctl',
    'bpf',
    'perf_event_open',
    'userfaultfd',
    'fanotify_init',
    'memfd_secret',
  ],
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register', 'pidfd_getfd', 'process_vm_writev'],
  ...['init_module', 'finit_module', 'delete_module', 'kexec_load', 'kexec_file_load', 'open_by_handle_at'],
  ...['clock_settime', 'settimeofday', 'sethostname', 'setdomainname', 'swapon', 'swapoff', 'quotactl'],
  ...['quotactl_fd', 'acct', 'reboot', 'syslog', 'ioperm', 'iopl', 'modify_ldt', 'socket', 'socketpair'],
  ...['msgget', 'shmget', 'semget', 'ioctl', 'personality'],
];
const PROMISED_WITHOUT_NESTING = [
  ...['mount', 'umount2', 'pivot_root', 'fsopen', 'fsconfig', 'fsmount', 'fspick', 'move_mount', 'open_tree'],
  ...['open_tree_attr', 'mount_setattr'],
];

const ATTEMPTS = [
  ...listAttempts([...ALWAYS_DENIED, ...DENIED_WITHOUT_NESTING]),
  ...(process.arch === 'x64' ? VARIANTS : []),
];

describe('the filter', () => {
  it('denies every call that the documentation names', () => {
    const names = (denied: readonly DeniedSyscall[]) => denied.map(({ name }) => name);
    expect(names(ALWAYS_DENIED)).toEqual(expect.arrayContaining(PROMISED));
    expect(names(DENIED_WITHOUT_NESTING)).toEqual(expect.arrayContaining(PROMISED_WITHOUT_NESTING));
  });
});

describeIn(withCompiler(bubblewrap, path), 'a program in $name', ({ sandbox }) => {
  const bench = useBench(sandbox);
  let errors: string[] = [];
  beforeAll(async () => {
    errors = (await runInside(bench(), callAll(ATTEMPTS))).split('\n');
  });

  it.each(ATTEMPTS.map((attempt, index) => ({ name: attempt.name, attempt, index })))(
    'cannot call $name',
    ({ attempt, index }) => {
      expect(errors[index]).toBe(expectedError(attempt));
    },
  );

  (process.arch === 'x64' ? it : it.skip)('cannot make 32-bit calls, whose numbers differ', async () => {
    expect(await runInside(bench(), './attack int80')).toBe(EPERM);
  });

  it.each([
    ['with unshare', 'unshare -U true 2>/dev/null && echo made || echo refused'],
    ['as root of it', 'unshare -r true 2>/dev/null && echo made || echo refused'],
    ['with mounts', 'unshare -Urm true 2>/dev/null && echo made || echo refused'],
    ['with clone', './attack clone'],
    ['with another bubblewrap', `${'bwrap --ro-bind / / true'} 2>/dev/null && echo made || echo refused`],
  ])('cannot create a user namespace %s', async (_name, script) => {
    expect(await runInside(bench(), script)).toBe('refused');
  });

  it.each([
    ['raise the limit on namespaces', 'echo 100 > /proc/sys/user/max_user_namespaces'],
    ['mount', 'mount -t tmpfs none /tmp'],
    ['unmount', 'umount /proc'],
  ])('cannot %s', async (_name, command) => {
    expect(await runInside(bench(), `( ${command} ) 2>/dev/null && echo done || echo refused`)).toBe(
      'refused',
    );
  });

  it('does not inherit the filter’s descriptor', async () => {
    expect(await runInside(bench(), 'test -e /proc/self/fd/4 && echo open || echo closed')).toBe('closed');
  });
});

describeIn(withCompiler(bubblewrap, path), 'a program in $name that may nest', ({ sandbox }) => {
  const bench = useBench(sandbox);

  it('still cannot call anything that no agent needs', async () => {
    const errors = await runInside(bench(), callAll(listAttempts(ALWAYS_DENIED)), { allowNesting: true });
    expect(new Set(errors.split('\n'))).toEqual(new Set([EPERM]));
  });

  it('can create a user namespace', async () => {
    expect(await runInside(bench(), './attack clone', { allowNesting: true })).toBe('made');
  });
});
