import { ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { type Readable, Writable } from 'node:stream';
import {
  bounded,
  endTree,
  findDescendants,
  listProcesses,
  type ProcessRef,
  referTo,
  sendSignal,
} from '@mergexo/process';
import type { Sink } from '../output/bounded-output.js';
import { listInheritedFds } from '../sandbox/list-inherited-fds.js';
import { type BubblewrapStatus, readBubblewrapStatus, STATUS_FD } from '../sandbox/read-bubblewrap-status.js';
import { SECCOMP_FD } from '../sandbox/seccomp.js';
import type { Resources } from './resources.js';
import { type Cause, describeReason, type Limits, type Watch, watchLimits } from './watch-limits.js';
import { watchResources } from './watch-resources.js';

type ProcessJob = {
  argv: readonly [string, ...string[]];
  cwd: string;
  /** The whole environment, including the run's marker. */
  env: Readonly<Record<string, string>>;
  runId: string;
  /** Bubblewrap does not forward signals, so the processes inside the sandbox are signalled directly. */
  bubblewrapped: boolean;
  /** The system call filter that bubblewrap loads. */
  seccomp?: Buffer;
  resources: Resources;
  /** The directories that the program can write to. */
  directories: readonly string[];
  stdin: string;
  stdout: Sink;
  stderr: Sink;
  limits: Limits;
  signal: AbortSignal;
  /** Time between SIGTERM and SIGKILL. A stopped run gets at most 300 ms. */
  graceMs?: number;
  onStart?: (pid: number) => void;
};

type Exit =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  /** `program`: missing or not executable. `machine`: the program may be valid, but this machine could not start it. */
  | { kind: 'not-started'; reason: string; fault: 'program' | 'machine' };

/** `survivors` is empty unless the kernel could not kill a process. */
export type ProcessEnd = (Exit | Cause) & { survivors: readonly number[] };

export function describeSurvivors(survivors: readonly number[]): string {
  return `MergeXO could not end these processes of the run: ${survivors.slice(0, 20).join(', ')}`;
}

const GRACE_MS = 5_000;
/** The grace period of a run that somebody stopped. It is short, because a person waits for the agent to end. */
const STOP_GRACE_MS = 300;
/** Maximum wait for the pipes to close, which happens when the last process ends. Some processes survive any signal. */
const CLOSE_MS = 2_000;

/** Runs a program without a shell. Kills all processes that it started before returning or throwing. */
export async function runProcess(job: ProcessJob): Promise<ProcessEnd> {
  if (job.signal.aborted) {
    return { kind: 'aborted', reason: describeReason(job.signal.reason), survivors: [] };
  }
  const child = start(job);
  if (!(child instanceof ChildProcess)) return { ...child, survivors: [] };
  const exited = watchExit(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (child.pid === undefined) return { ...(await exited), survivors: [] };

  const leader = referTo(child.pid);
  const status = job.bubblewrapped ? readBubblewrapStatus(child) : undefined;
  const watch = watchLimits(job.limits, job.signal);
  const roots = () => [leader, status?.init()].filter((ref) => ref !== undefined);
  const resources = watchResources({ ...job, roots, onExceeded: watch.stop });
  let survivors: readonly number[] = [];
  try {
    let end: Exit | Cause;
    try {
      end = await waitForEnd(job, { child, pid: child.pid, exited, watch, status });
      // A program that writes quickly may end before the watch has measured its files.
      if (isExit(end)) end = (await resources.checkDisk()) ?? end;
    } finally {
      resources.close();
      survivors = await endTree({ runId: job.runId, roots: roots() });
    }
    await bounded(closed, CLOSE_MS);
    const hadSandbox = status === undefined || status.sawProgramEnd() || end.kind !== 'exited';
    return { ...(hadSandbox ? explainSignal(end, job.resources) : NO_SANDBOX), survivors };
  } finally {
    watch.close();
    for (const stream of child.stdio) stream?.destroy();
  }
}

/** The kernel sends SIGXFSZ (25) to a program that writes a larger file than allowed. */
function explainSignal(end: Exit | Cause, { diskBytes }: Resources): Exit | Cause {
  const isTooLarge =
    (end.kind === 'signalled' && end.signal === 'SIGXFSZ') ||
    (end.kind === 'exited' && end.code === 128 + 25);
  return isTooLarge ? { kind: 'exceeded', resource: 'diskBytes', limit: diskBytes } : end;
}

const NO_SANDBOX: Exit = {
  kind: 'not-started',
  reason: 'bubblewrap could not create the sandbox',
  fault: 'machine',
};

type Running = {
  child: ChildProcess;
  pid: number;
  exited: Promise<Exit>;
  watch: Watch;
  status: BubblewrapStatus | undefined;
};

async function waitForEnd(job: ProcessJob, running: Running): Promise<Exit | Cause> {
  const { child, pid, exited, watch, status } = running;
  job.onStart?.(pid);
  connect(child, job, watch);
  const end = await Promise.race([exited, watch.stopped]);
  // A run that exceeds a limit gets no grace period, because it could use even more resources.
  if (!isExit(end) && end.kind !== 'exceeded') {
    askToEnd(job, pid, status?.init());
    const graceMs = job.graceMs ?? GRACE_MS;
    await bounded(exited, end.kind === 'aborted' ? Math.min(graceMs, STOP_GRACE_MS) : graceMs);
  }
  return end;
}

function start({ argv, cwd, env, bubblewrapped, seccomp }: ProcessJob): ChildProcess | Exit {
  const [program, ...args] = argv;
  const nothing = openSync('/dev/null', 'r');
  try {
    const child = spawn(program, args, {
      cwd,
      env,
      // A separate session keeps our terminal's signals away and lets MergeXO identify the run's processes.
      detached: true,
      stdio: buildStdio(nothing, [bubblewrapped && STATUS_FD, seccomp !== undefined && SECCOMP_FD]),
    });
    writeFilter(child.stdio[SECCOMP_FD], seccomp);
    return child;
  } catch (error) {
    // `spawn` throws some errors at once, such as E2BIG for a long argument.
    return notStarted(error);
  } finally {
    closeSync(nothing);
  }
}

type Pipes = readonly (number | false)[];

function buildStdio(nothing: number, pipes: Pipes): ('pipe' | 'ignore' | number)[] {
  const inherited = listInheritedFds();
  const count = Math.max(SECCOMP_FD, ...inherited) + 1;
  return Array.from({ length: count }, (_, fd) => {
    if (fd < STATUS_FD || pipes.includes(fd)) return 'pipe';
    return inherited.includes(fd) ? nothing : 'ignore';
  });
}

/** Bubblewrap reads the filter until the end of the pipe, before it starts the program. */
function writeFilter(pipe: unknown, filter: Buffer | undefined): void {
  if (pipe instanceof Writable) pipe.on('error', () => {}).end(filter);
}

/** Errors that the program causes, not this machine. */
const OF_PROGRAM = ['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC', 'ENOTDIR', 'ELOOP'];

function notStarted(error: unknown): Exit {
  const { code, message } = Object(error);
  return {
    kind: 'not-started',
    reason: String(message),
    fault: OF_PROGRAM.includes(code) ? 'program' : 'machine',
  };
}

function watchExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(notStarted(error)));
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code }),
    );
  });
}

function connect(child: ChildProcess, job: ProcessJob, watch: Watch): void {
  const passTo = (stream: Readable | null, sink: Sink): void => {
    stream?.on('data', (chunk: Buffer) => {
      // One chunk at a time, because Node would read and deliver up to 2 MB before the worker does other work.
      stream.pause();
      watch.touch();
      if (!sink(chunk)) watch.stop({ kind: 'flooded' });
      setImmediate(() => stream.resume());
    });
  };
  passTo(child.stdout, job.stdout);
  passTo(child.stderr, job.stderr);
  // Ignores EPIPE, because the program may end without reading all of its input.
  for (const stream of child.stdio) stream?.on('error', () => {});
  child.stdin?.end(job.stdin);
}

function askToEnd({ runId, bubblewrapped }: ProcessJob, leader: number, init: ProcessRef | undefined): void {
  const inside = init === undefined ? [] : findDescendants(listProcesses(runId), init.pid);
  for (const pid of bubblewrapped ? inside : [-leader]) sendSignal(pid, 'SIGTERM');
}

function isExit(end: Exit | Cause): end is Exit {
  return end.kind === 'exited' || end.kind === 'signalled' || end.kind === 'not-started';
}
