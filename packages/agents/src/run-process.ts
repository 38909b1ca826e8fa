import { type ChildProcess, spawn } from 'node:child_process';
import type { Sink } from './bounded-output.js';
import { endTree, findDescendants, sendSignal, type Tree } from './end-tree.js';
import { listProcesses } from './process-table.js';
import { readInitPid } from './read-init-pid.js';
import { type Cause, describeReason, type Limits, type Watch, watchLimits } from './watch-limits.js';

export type ProcessJob = {
  argv: readonly [string, ...string[]];
  cwd: string;
  /** Complete, with the run's marker. */
  env: Readonly<Record<string, string>>;
  runId: string;
  /** Bubblewrap does not pass signals on: those inside must be told apart from it. */
  bubblewrapped: boolean;
  stdin: string;
  stdout: Sink;
  stderr: Sink;
  limits: Limits;
  signal: AbortSignal;
  /** Between SIGTERM and SIGKILL. */
  graceMs?: number;
  onStart?: (pid: number) => void;
};

export type Exit =
  | { kind: 'exited'; code: number }
  | { kind: 'signalled'; signal: string }
  | { kind: 'not-started'; reason: string };

/** `survivors` is empty unless the kernel itself could not end a process. */
export type ProcessEnd = (Exit | Cause) & { survivors: readonly number[] };

const GRACE_MS = 5_000;
/** The pipes close with the last process; this is for one that no signal reaches. */
const CLOSE_MS = 2_000;

/** Runs a program without a shell. When this returns, nothing that it started is alive. */
export async function runProcess(job: ProcessJob): Promise<ProcessEnd> {
  if (job.signal.aborted) {
    return { kind: 'aborted', reason: describeReason(job.signal.reason), survivors: [] };
  }
  const child = start(job);
  const exited = watchExit(child);
  const closed = new Promise((resolve) => child.once('close', resolve));
  if (child.pid === undefined) return { ...(await exited), survivors: [] };

  const init = job.bubblewrapped ? readInitPid(child) : () => undefined;
  const tree = (): Tree => ({
    runId: job.runId,
    roots: [child.pid, init()].filter((pid) => pid !== undefined),
  });
  const watch = watchLimits(job.limits, job.signal);
  try {
    job.onStart?.(child.pid);
    connect(child, job, watch);
    const end = await Promise.race([exited, watch.stopped]);
    if (!isExit(end)) {
      askToEnd(job, child.pid, init());
      await within(exited, job.graceMs ?? GRACE_MS);
    }
    const survivors = await endTree(tree());
    await within(closed, CLOSE_MS);
    return { ...end, survivors };
  } finally {
    watch.close();
    for (const stream of child.stdio) stream?.destroy();
  }
}

function start({ argv, cwd, env, bubblewrapped }: ProcessJob): ChildProcess {
  const [program, ...args] = argv;
  return spawn(program, args, {
    cwd,
    env,
    // A session of its own: signals to our terminal do not reach it, and it can be told apart.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(bubblewrapped ? (['pipe'] as const) : [])],
  });
}

function watchExit(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ kind: 'not-started', reason: message }));
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code }),
    );
  });
}

function connect(child: ChildProcess, job: ProcessJob, watch: Watch): void {
  const take = (sink: Sink) => (chunk: Buffer) => {
    watch.touch();
    if (!sink(chunk)) watch.stop({ kind: 'flooded' });
  };
  child.stdout?.on('data', take(job.stdout));
  child.stderr?.on('data', take(job.stderr));
  // A program that ends without reading everything is no failure of ours (EPIPE).
  child.stdin?.on('error', () => {});
  child.stdin?.end(job.stdin);
}

function askToEnd({ runId, bubblewrapped }: ProcessJob, leader: number, init: number | undefined): void {
  const inside = init === undefined ? [] : findDescendants(listProcesses(runId), init);
  for (const pid of bubblewrapped ? inside : [-leader]) sendSignal(pid, 'SIGTERM');
}

function isExit(end: Exit | Cause): end is Exit {
  return end.kind === 'exited' || end.kind === 'signalled' || end.kind === 'not-started';
}

async function within(promise: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  await Promise.race([promise, limit]);
  clearTimeout(timer);
}
