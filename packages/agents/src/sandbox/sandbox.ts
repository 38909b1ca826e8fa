import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findExecutable } from '@mergexo/process';
import { buildBubblewrapArgv, isSystemPath, type View } from './bubblewrap.js';
import { buildSeccompFilter, SECCOMP_FD } from './seccomp.js';

export type SandboxMode = 'auto' | 'bwrap' | 'none';

/** `own`: the agent's program confines itself. `none`: the operator disabled the sandbox explicitly. */
export type Sandbox = ({ kind: 'bwrap' } & Found) | { kind: 'own' } | { kind: 'none' };

/** `allowsNamespaces`: bubblewrap before 0.8 cannot forbid namespaces or limit the size of /dev/shm. */
type Found = { program: string; allowsNamespaces?: true };

/** A sandbox that can also confine other programs, such as the repository's tests. */
export type OuterSandbox = Exclude<Sandbox, { kind: 'own' }>;

export type Bubblewrap = ({ kind: 'works' } & Found) | { kind: 'unusable'; reason: string };

const PROBE_MS = 10_000;

/** Tests bubblewrap by running it, because an installed bubblewrap fails where user namespaces are forbidden. */
export async function probeBubblewrap(path: string): Promise<Bubblewrap> {
  const program = findExecutable('bwrap', path);
  if (program === undefined) return { kind: 'unusable', reason: 'bubblewrap (bwrap) is not installed' };
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-probe-'));
  try {
    const [cwd, home, tmp] = [join(dir, 'slot'), join(dir, 'home'), join(dir, 'tmp')];
    for (const path of [cwd, home, tmp]) mkdirSync(path);
    const view = { cwd, home, tmp, readOnlyPaths: [], network: false };
    const allowsNamespaces = await isRefused(program, { ...view, mayNest: false, sharedMemoryBytes: 4096 });
    if (allowsNamespaces) await tryView(program, view);
    return { kind: 'works', program, ...(allowsNamespaces && { allowsNamespaces }) };
  } catch (error) {
    return { kind: 'unusable', reason: `bubblewrap does not work here: ${lastLine(error)}` };
  } finally {
    // Removes recursively, because bubblewrap may have created mount points in the directory.
    rmSync(dir, { recursive: true, force: true });
  }
}

/** True if bubblewrap does not support an option. Throws other errors, because they affect every run. */
async function isRefused(program: string, view: View): Promise<boolean> {
  try {
    await tryView(program, view);
    return false;
  } catch (error) {
    if (/unknown option/i.test(lastLine(error))) return true;
    throw error;
  }
}

/** Runs `true` in the sandbox the way an agent runs. A shell opens the system call filter file for bubblewrap. */
async function tryView(program: string, view: View): Promise<void> {
  const filter = buildSeccompFilter(view.mayNest !== false);
  const path = join(view.tmp, 'filter');
  writeFileSync(path, filter ?? '');
  const argv = buildBubblewrapArgv(program, filter ? { ...view, seccompFd: SECCOMP_FD } : view, ['true']);
  const args = ['-c', `exec "$@" ${SECCOMP_FD}<"$0"`, path, ...argv];
  await promisify(execFile)('/bin/sh', args, { env: { PATH: '/usr/bin:/bin' }, timeout: PROBE_MS });
}

type SandboxChoice = { kind: 'chosen'; sandbox: Sandbox } | { kind: 'refused'; reason: string };

/** Never chooses `none` unless configured, because the agent would have all of the worker's permissions. */
export function chooseSandbox(
  mode: SandboxMode,
  bubblewrap: Bubblewrap,
  hasOwnSandbox: boolean,
): SandboxChoice {
  if (mode === 'none') return { kind: 'chosen', sandbox: { kind: 'none' } };
  if (bubblewrap.kind === 'works') {
    return { kind: 'chosen', sandbox: { ...bubblewrap, kind: 'bwrap' } };
  }
  if (mode === 'auto' && hasOwnSandbox) return { kind: 'chosen', sandbox: { kind: 'own' } };
  const fix = 'install it, or set `sandbox = "none"` in [agent] to run without a sandbox';
  return { kind: 'refused', reason: `${bubblewrap.reason}; ${fix}` };
}

export type TestsNetwork = 'all' | 'allow-list' | 'none';

type TestsModes = {
  sandbox: SandboxMode;
  requiredTestsSandbox: 'auto' | 'none';
  setupNetwork: TestsNetwork;
  requiredTestsNetwork: TestsNetwork;
};

export type TestsSandboxChoice =
  | { kind: 'chosen'; sandbox: OuterSandbox }
  | { kind: 'refused'; reason: string; fix: string };

/**
 * Chooses the sandbox for tests and setup. Never chooses an agent's own sandbox, which does not confine other programs.
 */
export function chooseTestsSandbox(modes: TestsModes, bubblewrap: Bubblewrap): TestsSandboxChoice {
  if (modes.sandbox === 'none' || modes.requiredTestsSandbox === 'none') {
    const networks = {
      required_tests_network: modes.requiredTestsNetwork,
      setup_network: modes.setupNetwork,
    };
    const [limited] = Object.entries(networks).filter(([, network]) => network !== 'all');
    if (limited === undefined) return { kind: 'chosen', sandbox: { kind: 'none' } };
    const [name, network] = limited;
    const reason = `\`${name} = "${network}"\` needs bubblewrap, but setup and tests run without a sandbox`;
    const fix = `Set \`${name} = "all"\` in [sandbox], or run setup and tests in the sandbox.`;
    return { kind: 'refused', reason, fix };
  }
  if (bubblewrap.kind === 'works') return { kind: 'chosen', sandbox: { ...bubblewrap, kind: 'bwrap' } };
  const fix =
    'Install bubblewrap, or set `required_tests_sandbox = "none"` in [agent] to run the tests with the permissions of the worker.';
  return { kind: 'refused', reason: bubblewrap.reason, fix };
}

/** Lists the paths to expose if a version manager installed Node. Empty for the system's Node. */
export function listNodePaths(execPath: string): string[] {
  const program = realpathSync(execPath);
  if (isSystemPath(program)) return [];
  const bin = dirname(program);
  // Never returns the common parent of these directories, which may be a home directory.
  if (basename(bin) !== 'bin') return [program];
  return [bin, join(dirname(bin), 'lib')].filter((path) => existsSync(path));
}

function lastLine(error: unknown): string {
  const { stderr, message } = Object(error);
  return String(stderr || message)
    .trim()
    .split('\n')
    .slice(-1)
    .join('')
    .slice(0, 500);
}
