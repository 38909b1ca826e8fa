import { isAbsolute, relative, sep } from 'node:path';
import { RUN_MARKER } from '@mergexo/process';

/** The parts of the machine that a confined program sees. */
export type View = {
  cwd: string;
  home: string;
  /** The run's directory that bubblewrap mounts as /tmp in the sandbox. */
  tmp: string;
  readOnlyPaths: readonly string[];
  /** Additional directories that the program may change. */
  writablePaths?: readonly string[];
  network: boolean;
  /** The directory with the network proxy's socket. The sandbox mounts it at PROXY_MOUNT. */
  proxy?: string;
  /** The descriptor on which bubblewrap reports the processes that it started. */
  statusFd?: number;
  /** The user id inside the sandbox. Outside the sandbox, the program runs as the worker's user. */
  user?: number;
  /** The descriptor from which bubblewrap reads a system call filter. */
  seccompFd?: number;
  /** False if the program must not create user namespaces. */
  mayNest?: boolean;
  /** The size of /dev/shm, which is in memory. */
  sharedMemoryBytes?: number;
};

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Names each path, because /etc also has secrets: /etc/shadow, /etc/ssl/private, system git credentials. */
const ETC = [
  'alternatives',
  'ca-certificates',
  'ca-certificates.conf',
  'gai.conf',
  'group',
  'host.conf',
  'hosts',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'localtime',
  'mime.types',
  'nsswitch.conf',
  'passwd',
  'pki/ca-trust',
  'pki/tls/certs',
  'protocols',
  'resolv.conf',
  'services',
  'ssl/cert.pem',
  'ssl/certs',
  'ssl/openssl.cnf',
  'timezone',
].map((name) => `/etc/${name}`);

/**
 * The kernel's own settings. If the worker is root, bubblewrap leaves them writable, and `core_pattern` alone would let
 * the agent start a program outside the sandbox.
 */
const KERNEL = ['acpi', 'asound', 'bus', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map(
  (name) => `/proc/${name}`,
);

/** A short, fixed path, because a socket's path is limited to 107 bytes. */
export const PROXY_MOUNT = '/run/mergexo';

/** Builds an argv that runs the command in its own namespaces. Unlisted paths are invisible to the command. */
export function buildBubblewrapArgv(
  bubblewrap: string,
  view: View,
  command: readonly string[],
): [string, ...string[]] {
  const { cwd, home, tmp, readOnlyPaths, writablePaths = [], network, proxy, statusFd, user } = view;
  const { seccompFd, mayNest, sharedMemoryBytes } = view;
  checkView(view);
  const options = [
    ['--unshare-all'],
    network ? ['--share-net'] : [],
    user === undefined ? [] : ['--unshare-user', '--uid', String(user), '--gid', String(user)],
    // No process outlives the worker, and none can type into the worker's terminal.
    ['--die-with-parent'],
    ['--new-session'],
    ['--cap-drop', 'ALL'],
    // Only bubblewrap's own processes keep the marker. If they end, all processes in the sandbox end.
    ['--unsetenv', RUN_MARKER],
    ['--hostname', 'agent'],
    mayNest === false ? ['--unshare-user', '--disable-userns'] : [],
    seccompFd === undefined ? [] : ['--seccomp', String(seccompFd)],
    statusFd === undefined ? [] : ['--json-status-fd', String(statusFd)],
    ...[...SYSTEM, ...ETC].map((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc'],
    ...KERNEL.map((path) => ['--ro-bind-try', path, path]),
    ['--dev', '/dev'],
    // Only /dev/shm is writable, because all of /dev is in memory. Devices are not affected.
    sharedMemoryBytes === undefined ? [] : ['--size', String(sharedMemoryBytes)],
    ['--tmpfs', '/dev/shm'],
    ['--remount-ro', '/dev'],
    // The mount of /tmp must precede the paths below, because they may be in the machine's own /tmp.
    ['--bind', tmp, '/tmp'],
    ['--symlink', '../tmp', '/var/tmp'],
    ...readOnlyPaths.map((path) => ['--ro-bind', path, path]),
    ...[home, cwd, ...writablePaths].map((path) => ['--bind', path, path]),
    proxy === undefined ? [] : ['--ro-bind', proxy, PROXY_MOUNT],
    // The root is read-only, because it is in memory and the size of writes to it would not be limited.
    ['--remount-ro', '/'],
    ['--chdir', cwd],
    ['--'],
  ];
  return [bubblewrap, ...options.flat(), ...command];
}

/** Throws if a path contains one of the run's directories, because the sandbox would then expose that directory's siblings too. */
export function checkView({ cwd, home, tmp, readOnlyPaths, writablePaths = [] }: View): void {
  const own = [cwd, home, tmp, ...writablePaths];
  for (const path of own) {
    const parent = SYSTEM.find((directory) => isInside(path, directory));
    if (parent !== undefined) throw new RangeError(describeSystemPath(path, parent));
    refuseParentOf(
      path,
      own.filter((other) => other !== path),
    );
  }
  for (const path of readOnlyPaths) refuseParentOf(path, own);
}

function refuseParentOf(path: string, directories: readonly string[]): void {
  if (!isAbsolute(path)) throw new RangeError(`a path for the sandbox must be absolute: ${path}`);
  const revealed = directories.find((directory) => isInside(directory, path));
  if (revealed !== undefined) {
    throw new RangeError(
      `${path} cannot be shown in the sandbox: it contains ${revealed} and other private directories`,
    );
  }
}

function describeSystemPath(path: string, directory: string): string {
  return `${path} is in ${directory}, which every agent can read; move \`base_dir\` out of it`;
}

export function isInside(path: string, directory: string): boolean {
  const between = relative(directory, path);
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** True for a path that is visible in every sandbox. */
export function isSystemPath(path: string): boolean {
  return SYSTEM.some((directory) => isInside(path, directory));
}
