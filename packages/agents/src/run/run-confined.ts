import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { SecretRedact } from '@mergexo/core/text';
import { findExecutable, referTo } from '@mergexo/process';
import type { Network } from '../network/host-rule.js';
import { buildProxyCommand } from '../network/join-proxy.js';
import { type NetworkProxy, serveProxy } from '../network/serve-proxy.js';
import type { Sink } from '../output/bounded-output.js';
import { buildBubblewrapArgv, checkView, isSystemPath, type View } from '../sandbox/bubblewrap.js';
import { buildEnvironment, type Environment } from '../sandbox/environment.js';
import { STATUS_FD } from '../sandbox/read-bubblewrap-status.js';
import { listNodePaths, type Sandbox } from '../sandbox/sandbox.js';
import { buildSeccompFilter, SECCOMP_FD } from '../sandbox/seccomp.js';
import { DEFAULT_RESOURCES, limitCommand, type Resources } from './resources.js';
import { type ProcessEnd, runProcess } from './run-process.js';
import { type OpenRun, openRun } from './run-record.js';
import type { Limits } from './watch-limits.js';

/** The settings that all runs of a worker share. */
export type Host = {
  sandbox: Sandbox;
  /** The worker's own environment. Confined programs receive only part of it. */
  env: Environment;
  passEnv: readonly string[];
  /** The worker's private directory for records of running programs and their temporary directories. */
  runsDir: string;
  readOnlyPaths: readonly string[];
  /** If absent, the defaults of `mergexo.toml` apply. */
  resources?: Resources;
  /** True if programs may create namespaces, as browsers and container tools do for their own sandboxes. */
  allowNesting?: boolean;
  /** The hosts that the agent may reach; all by default. */
  network?: Network;
  /** Redacts the output of programs. Learns each login that MergeXO lends to an agent. */
  redact?: SecretRedact;
  /** Time between SIGTERM and SIGKILL; 5 s by default. A stopped run gets at most 300 ms. */
  graceMs?: number;
};

export type ConfinedJob = {
  argv: readonly [string, ...string[]];
  cwd: string;
  home: string;
  stdin: string;
  stdout: Sink;
  stderr: Sink;
  limits: Limits;
  signal: AbortSignal;
  network: Network;
  /** Called for each host that the network policy refused, with the text as the program sent it. */
  onRefusedHost?: (target: string) => void;
  readOnlyPaths?: readonly string[];
  /** Additional directories that the program may change. */
  writablePaths?: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** True if the program creates its own sandbox inside MergeXO's. */
  nests?: boolean;
  onStart?: (pid: number) => void;
};

/** Runs an untrusted program in the sandbox with a filtered environment, until all its processes have ended. */
export async function runConfined(host: Host, job: ConfinedJob): Promise<ProcessEnd> {
  const [name, ...args] = job.argv;
  const program = findExecutable(name, host.env['PATH'] ?? '');
  if (program === undefined) {
    const reason = explainUnusable(name);
    return { kind: 'not-started', reason, fault: 'program', survivors: [] };
  }
  mkdirSync(job.home, { recursive: true, mode: 0o700 });
  const run = openRun(host.runsDir);
  let isOver = true;
  let proxy: NetworkProxy | undefined;
  try {
    proxy = await openProxy(host, job, run);
    const confined = confine(host, { ...job, argv: [program, ...args] }, run);
    const end = await runProcess({
      ...confined,
      onStart: (pid) => {
        isOver = false;
        run.recordLeader(referTo(pid) ?? null);
        job.onStart?.(pid);
      },
    });
    isOver = end.survivors.length === 0;
    return end;
  } finally {
    await proxy?.close();
    // Keeps the record of a run with survivors, so that `endOrphans` finds them before their slot is used.
    if (isOver) await run.close();
    else run.abandon();
  }
}

/** Explains why a program cannot run. The program may have changed since `doctor` checked it. */
function explainUnusable(name: string): string {
  if (!name.includes('/')) return `${name} is not a program on the PATH`;
  if (!isAbsolute(name)) return `${name} is a relative path; write an absolute one`;
  return existsSync(name) ? `${name} is not executable; run \`chmod +x ${name}\`` : `${name} does not exist`;
}

/** A user id other than root, because root without capabilities cannot create another user namespace. */
const NOBODY_SPECIAL = 1000;

const proxyDirectory = (run: OpenRun): string => join(run.directory, 'network');

/** Starts the proxy for a run with a list of allowed hosts. Only bubblewrap can block all other hosts. */
async function openProxy(
  { sandbox }: Host,
  job: ConfinedJob,
  run: OpenRun,
): Promise<NetworkProxy | undefined> {
  const { network: rules, onRefusedHost: onRefused = () => {} } = job;
  if (rules === 'all' || rules === 'none') return undefined;
  if (sandbox.kind !== 'bwrap') throw new Error('a list of hosts needs bubblewrap');
  return serveProxy({ directory: proxyDirectory(run), rules, onRefused });
}

function confine(host: Host, job: ConfinedJob, run: OpenRun) {
  const { sandbox, env, passEnv, graceMs, resources = DEFAULT_RESOURCES } = host;
  const { cwd, home, writablePaths = [] } = job;
  const bubblewrapped = sandbox.kind === 'bwrap';
  const extra = job.env === undefined ? {} : { extra: job.env };
  const { argv, ...net } = connectTo(job, run);
  const readOnlyPaths = [
    ...new Set([...host.readOnlyPaths, ...(job.readOnlyPaths ?? []), ...net.readOnlyPaths]),
    ...listOwnFiles(argv),
  ];
  const user = job.nests === true && process.getuid?.() === 0 ? { user: NOBODY_SPECIAL } : {};
  const guarded = guard(host, job);
  const paths = { cwd, home, tmp: run.tmp, readOnlyPaths, writablePaths };
  const view = { ...net, ...paths, statusFd: STATUS_FD, ...user, ...guarded };
  if (bubblewrapped) checkView(followLinks(view));
  return {
    ...job,
    argv:
      sandbox.kind === 'bwrap'
        ? buildBubblewrapArgv(sandbox.program, view, limitCommand(resources, argv))
        : argv,
    env: buildEnvironment({
      env,
      passEnv,
      home,
      tmp: bubblewrapped ? '/tmp' : run.tmp,
      runId: run.runId,
      ...extra,
    }),
    runId: run.runId,
    bubblewrapped,
    resources,
    directories: [cwd, home, run.tmp, ...writablePaths],
    ...(guarded.seccomp && { seccomp: guarded.seccomp }),
    ...(graceMs === undefined ? {} : { graceMs }),
  };
}

/** Adds the system call filter. Limits namespaces and shared memory if this bubblewrap supports that. */
function guard(
  { sandbox, resources = DEFAULT_RESOURCES, allowNesting = false }: Host,
  { nests = false }: ConfinedJob,
) {
  if (sandbox.kind !== 'bwrap') return {};
  const mayNest = nests || allowNesting;
  const seccomp = buildSeccompFilter(mayNest);
  return {
    ...(seccomp && { seccomp, seccompFd: SECCOMP_FD }),
    ...(!sandbox.allowsNamespaces && { mayNest, sharedMemoryBytes: Math.floor(resources.memoryBytes / 4) }),
  };
}

/** Returns the command, and the parts of the view that connect it to the network. */
function connectTo({ argv, network }: ConfinedJob, run: OpenRun) {
  if (network === 'all' || network === 'none') return { argv, network: network === 'all', readOnlyPaths: [] };
  return {
    argv: buildProxyCommand(network, argv),
    network: false,
    proxy: proxyDirectory(run),
    readOnlyPaths: listNodePaths(process.execPath),
  };
}

/** Resolves links before the check, because bubblewrap exposes the target of a link. */
function followLinks(view: View): View {
  const follow = (path: string): string => (existsSync(path) ? realpathSync(path) : path);
  return {
    ...view,
    cwd: follow(view.cwd),
    home: follow(view.home),
    tmp: follow(view.tmp),
    readOnlyPaths: view.readOnlyPaths.map(follow),
    writablePaths: (view.writablePaths ?? []).map(follow),
  };
}

/** The program, the targets of its links, and scripts among its arguments, but not the files next to them. */
function listOwnFiles(argv: readonly string[]): string[] {
  const files = argv.filter((path) => path.startsWith('/') && isFile(path));
  return [...new Set(files.flatMap((path) => [path, realpathSync(path)]))].filter(
    (path) => !isSystemPath(path),
  );
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
