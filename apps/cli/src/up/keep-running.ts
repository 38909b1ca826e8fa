import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killTree } from '@mergexo/process';
import { compareFailedStarts, type FailedStart } from './compare-failed-starts.js';
import { decideRestart, NO_DEATHS } from './decide-restart.js';
import { findReason, isReadyLine } from './describe-line.js';

/** A child program that `up` keeps running. */
export type Spec = {
  name: string;
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Time limit for a clean stop. */
  stopLimitMs: number;
  /** True if the other programs keep running when this program cannot start. */
  optional?: boolean;
};

export type ChildNews =
  | { kind: 'started'; name: string; pid: number | undefined; again: boolean }
  | { kind: 'line'; name: string; line: string }
  /** The program died after it was ready. */
  | { kind: 'restarting'; name: string; how: string; delayMs: number }
  /** The program died before it was ready. `again` is true if the previous attempt failed for the same reason. */
  | {
      kind: 'cannot_start';
      name: string;
      how: string;
      delayMs: number;
      reason: string;
      again: boolean;
      optional: boolean;
    }
  | { kind: 'gave_up'; name: string; how: string; lastLines: readonly string[] }
  | { kind: 'stopped'; name: string };

export type Kept = {
  /** Requests a clean stop and waits for the exit. */
  stop(): Promise<void>;
  /** Kills the program and its children immediately. */
  end(): void;
};

const END_WITH_PARENT = new URL('./end-with-parent.js', import.meta.url).href;
const LAST_LINES = 8;
/** How long to read the last output of an exited program. Its children may keep the pipe open forever. */
const FLUSH_MS = 500;

/** Starts a program and restarts it whenever it exits, until the caller stops it or too many starts fail. */
export function keepRunning(spec: Spec, tell: (news: ChildNews) => void): Kept {
  const { name } = spec;
  const pause = new AbortController();
  let child: ChildProcess | undefined;

  const run = async (): Promise<void> => {
    let failed: FailedStart | undefined;
    for (let past = NO_DEATHS; !pause.signal.aborted; ) {
      const begunAt = performance.now();
      const life = startChild(spec, (line) => tell({ kind: 'line', name, line }));
      child = life.child;
      // After a failed start, the next `started` event is not reported, because the `ready` line is enough.
      if (failed === undefined) tell({ kind: 'started', name, pid: child.pid, again: past !== NO_DEATHS });
      const { code, signal } = await life.ended;
      if (pause.signal.aborted) break;
      const how = signal ?? `exit code ${code}`;
      const lived = { code, livedMs: performance.now() - begunAt, wasReady: life.wasReady() };
      const decision = decideRestart(past, lived, { isOptional: spec.optional });
      if (decision.kind === 'give-up') {
        tell({ kind: 'gave_up', name, how, lastLines: life.lastLines() });
        return;
      }
      const { delayMs } = decision;
      past = decision.past;
      const reason = signal === null ? findReason(life.lastLines()) : undefined;
      const start = lived.wasReady ? undefined : { reason: reason ?? how, delayMs };
      const news: ChildNews | undefined = start
        ? describeFailedStart(spec, failed, { ...start, how })
        : { kind: 'restarting', name, how, delayMs };
      failed = start;
      if (news !== undefined) tell(news);
      await sleep(delayMs, undefined, { signal: pause.signal }).catch(() => {});
    }
    tell({ kind: 'stopped', name });
  };
  const running = run();

  const isAlive = (): boolean => child?.exitCode === null && child.signalCode === null;
  const end = (): void => {
    pause.abort();
    // The pid of an exited process may belong to another process by now.
    if (isAlive() && child?.pid !== undefined) killTree(child.pid);
  };
  return {
    async stop() {
      pause.abort();
      if (isAlive()) child?.kill('SIGTERM');
      const killer = setTimeout(end, spec.stopLimitMs);
      await running;
      clearTimeout(killer);
    },
    end,
  };
}

/** Returns undefined if the message would repeat the previous one. */
function describeFailedStart(
  { name, optional = false }: Spec,
  before: FailedStart | undefined,
  start: FailedStart & { how: string },
): ChildNews | undefined {
  const compared = compareFailedStarts(before, start);
  if (compared === 'same') return undefined;
  return { kind: 'cannot_start', name, ...start, again: compared === 'repeated', optional };
}

type End = { code: number | null; signal: string | null };

function startChild(spec: Spec, onLine: (line: string) => void) {
  const node = ['--no-warnings', '--import', END_WITH_PARENT, spec.program, ...spec.args];
  // The child is detached, so that Ctrl-C reaches only `up`, which stops its children in order.
  const child = spawn(process.execPath, node, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: spec.env,
    detached: true,
  });
  child.stdin.on('error', () => {});
  const last: string[] = [];
  let ready = false;
  const keep = (line: string): void => {
    last.push(line);
    ready ||= isReadyLine(line);
    if (last.length > LAST_LINES) last.shift();
    onLine(line);
  };
  createInterface({ input: child.stdout }).on('line', keep);
  createInterface({ input: child.stderr }).on('line', keep);
  const ended = new Promise<End>((resolve) => {
    child.once('error', (error) => {
      keep(error.message);
      resolve({ code: null, signal: error.message });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), FLUSH_MS));
  });
  return { child, ended, lastLines: (): readonly string[] => [...last], wasReady: () => ready };
}
