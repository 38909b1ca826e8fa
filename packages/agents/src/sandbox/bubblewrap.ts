import { isAbsolute, relative, sep } from 'node:path';

/** The parts of the machine that a confined program sees. */
export type View = {
  cwd: string;
  home: string;
  /** A directory of the run that is /tmp inside. */
  tmp: string;
  readOnlyPaths: readonly string[];
  network: boolean;
  /** A descriptor on which bubblewrap reports the processes it started. */
  statusFd?: number;
  /** User id inside the sandbox; outside it stays the worker's. */
  user?: number;
};

const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** By name, because /etc also holds keys and passwords: /etc/shadow, /etc/ssl/private, system-wide git credentials. */
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
 * The kernel's own settings. Bubblewrap leaves them writable for a worker that is root, and `core_pattern` alone would
 * let the agent start a program outside.
 */
const KERNEL = ['acpi', 'asound', 'bus', 'fs', 'irq', 'mtrr', 'scsi', 'sys', 'sysrq-trigger'].map(
  (name) => `/proc/${name}`,
);

/** An argv that runs the command in namespaces of its own. Paths that are not listed are invisible. */
export function buildBubblewrapArgv(
  bubblewrap: string,
  view: View,
  command: readonly string[],
): [string, ...string[]] {
  const { cwd, home, tmp, readOnlyPaths, network, statusFd, user } = view;
  checkView(view);
  const options = [
    ['--unshare-all'],
    network ? ['--share-net'] : [],
    user === undefined ? [] : ['--unshare-user', '--uid', String(user), '--gid', String(user)],
    // No process outlives the worker, and none can type into its terminal.
    ['--die-with-parent'],
    ['--new-session'],
    ['--cap-drop', 'ALL'],
    ['--hostname', 'agent'],
    statusFd === undefined ? [] : ['--json-status-fd', String(statusFd)],
    ...[...SYSTEM, ...ETC].map((path) => ['--ro-bind-try', path, path]),
    ['--proc', '/proc'],
    ...KERNEL.map((path) => ['--ro-bind-try', path, path]),
    ['--dev', '/dev'],
    // Before the paths below: they may lie in the machine's own /tmp.
    ['--bind', tmp, '/tmp'],
    ['--symlink', '../tmp', '/var/tmp'],
    ...readOnlyPaths.map((path) => ['--ro-bind', path, path]),
    ['--bind', home, home],
    ['--bind', cwd, cwd],
    // The root is in memory, and writing to it would not be limited.
    ['--remount-ro', '/'],
    ['--chdir', cwd],
    ['--'],
  ];
  return [bubblewrap, ...options.flat(), ...command];
}

/** Throws for a path that contains one of the run's directories: it would also show the directories next to that one. */
export function checkView({ cwd, home, tmp, readOnlyPaths }: View): void {
  const own = [cwd, home, tmp];
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

function refuseParentOf(path: string, places: readonly string[]): void {
  if (!isAbsolute(path)) throw new RangeError(`a path for the sandbox must be absolute: ${path}`);
  const revealed = places.find((place) => isInside(place, path));
  if (revealed !== undefined) {
    throw new RangeError(`${path} cannot be shown in the sandbox: it holds ${revealed} and its neighbours`);
  }
}

function describeSystemPath(path: string, directory: string): string {
  return `${path} lies in ${directory}, which every agent can read; move \`base_dir\` out of it`;
}

export function isInside(path: string, directory: string): boolean {
  const between = relative(directory, path);
  return between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** True for paths that every sandbox shows. */
export function isSystemPath(path: string): boolean {
  return SYSTEM.some((directory) => isInside(path, directory));
}
