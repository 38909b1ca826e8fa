import { writePrivateFile } from '../cli/private-files.js';
import type { Host } from '../run/run-confined.js';
import { type Nesting, tryNesting } from '../run/try-nesting.js';
import { type Bubblewrap, chooseSandbox, type Sandbox, type SandboxMode } from '../sandbox/sandbox.js';
import { buildSeccompFilter, SECCOMP_FD } from '../sandbox/seccomp.js';
import { CLAUDE } from './claude-cli.js';

type Machine = { host: Omit<Host, 'sandbox'>; sandbox: SandboxMode; bubblewrap: Bubblewrap };
type Nestable = Extract<Sandbox, { kind: 'bwrap' }>;
type Homes = {
  /** The home of Claude Code itself. */
  home: string;
  commandHome: string | undefined;
};
type Inner = Homes & Pick<Host, 'passEnv'>;

/** Tests whether Claude Code's commands can run in a second sandbox. Undefined if there is no outer sandbox. */
export async function probeCommandSandbox(machine: Machine): Promise<Nesting | undefined> {
  const choice = chooseSandbox(machine.sandbox, machine.bubblewrap, false);
  if (choice.kind === 'refused' || choice.sandbox.kind !== 'bwrap') return undefined;
  const { sandbox } = choice;
  return tryNesting({ ...machine.host, sandbox }, (home) => ({
    argv: [sandbox.program, ...listOptions({ home, commandHome: undefined, passEnv: [] }), '--', 'true'],
  }));
}

/**
 * Writes the program through which Claude Code runs each command; the command is its only argument. Returns undefined
 * if commands need neither a sandbox nor another home.
 */
export function writeCommandPrefix(
  path: string,
  inner: Inner,
  sandbox: Nestable | undefined,
): string | undefined {
  const { commandHome } = inner;
  if (sandbox === undefined && commandHome === undefined) return undefined;
  const words = sandbox ? [sandbox.program, ...listOptions(inner)] : ['env', `HOME=${commandHome}`];
  const filter = sandbox && buildSeccompFilter(false);
  const filtered = filter ? ` --seccomp ${SECCOMP_FD}` : '';
  const opened = filter ? `exec ${SECCOMP_FD}<${quote(nameFilter(path))}\n` : '';
  if (filter) writePrivateFile(nameFilter(path), filter);
  const command = `${words.map(quote).join(' ')}${filtered} bash -c "$1"`;
  writePrivateFile(path, `#!/bin/sh\n${opened}exec ${command}\n`, 0o700);
  return path;
}

/** The file with the system call filter that keeps commands from creating another sandbox. */
export const nameFilter = (path: string): string => `${path}.seccomp`;

/**
 * Commands see the same files as Claude Code, but Claude Code's home is read-only, and variables with keys are removed from
 * their environment. The new user namespace also keeps commands from reading Claude Code's own environment and memory.
 */
function listOptions({ home, commandHome, passEnv }: Inner): string[] {
  const keys = new Set([...CLAUDE.keys, ...passEnv.filter((name) => !/_PROXY$/i.test(name))]);
  return [
    ['--unshare-user'],
    ['--die-with-parent'],
    ['--dev-bind', '/', '/'],
    ['--ro-bind', home, home],
    ['--tmpfs', SOCKETS],
    ...[...keys].map((name) => ['--unsetenv', name]),
    commandHome === undefined ? [] : ['--setenv', 'HOME', commandHome],
  ].flat();
}

/** The directory of Claude Code's sockets. Claude Code passes messages from other programs to its model as system messages. */
const SOCKETS = '/tmp/cc-socks';

const quote = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
