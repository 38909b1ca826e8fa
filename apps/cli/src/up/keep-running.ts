import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killTree, NODE_ARGS } from '@mergexo/process';
import { compareFailedStarts, type FailedStart } from './compare-failed-starts.js';
import { decideRestart, NO_EXITS } from './decide-restart.js';
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

export type ChildEvent =
  | { kind: 'started'; name: string; pid: number | undefined; again: boolean }
  | { kind: 'line'; name: string; line: string }
  /** The program exited after it was ready. */
  | { kind: 'restarting'; name: string; exitReason: string; delayMs: number }
  /** The program exited before it was ready. `again` is true if the previous attempt failed for the same reason. */
  | {
      kind: 'cannot_start';
      name: string;
      exitReason: string;
      delayMs: number;
      reason: string;
      again: boolean;
      optional: boolean;
    }
  | { kind: 'gave_up'; name: string; exitReason: string; lastLines: readonly string[] }
  | { kind: 'stopped'; name: string };

export type RunningChild = {
  /** Requests a clean stop and waits for the exit. */
  stop(): Promise<void>;
  /** Kills the program and its children immediately. */
  kill(): void;
};

const END_WITH_PARENT = new URL('./end-with-parent.js', import.meta.url).href;
const LAST_LINES = 8;
/**
 * Time limit for reading the last output of an exited program, because its children may keep the pipe open forever.
 */
const FLUSH_MS = 500;

/** Starts a program and restarts it whenever it exits, until the caller stops it or too many starts fail. */
export function keepRunning(spec: Spec, onEvent: (event: ChildEvent) => void): RunningChild {
  const { name } = spec;
  const stopping = new AbortController();
  let child: ChildProcess | undefined;

  const run = async (): Promise<void> => {
    let failedStart: FailedStart | undefined;
    for (let history = NO_EXITS; !stopping.signal.aborted; ) {
      const startedAt = performance.now();
      const started = startChild(spec, (line) => onEvent({ kind: 'line', name, line }));
      child = started.child;
      // After a failed start, does not report the next `started` event, because the `ready` line is enough.
      if (failedStart === undefined)
        onEvent({ kind: 'started', name, pid: child.pid, again: history !== NO_EXITS });
      const { code, signal } = await started.exited;
      if (stopping.signal.aborted) break;
      const exitReason = signal ?? `exit code ${code}`;
      const exit = { code, uptimeMs: performance.now() - startedAt, wasReady: started.wasReady() };
      const decision = decideRestart(history, exit, { isOptional: spec.optional });
      if (decision.kind === 'give-up') {
        onEvent({ kind: 'gave_up', name, exitReason, lastLines: started.lastLines() });
        return;
      }
      const { delayMs } = decision;
      history = decision.history;
      const reason = signal === null ? findReason(started.lastLines()) : undefined;
      const start = exit.wasReady ? undefined : { reason: reason ?? exitReason, delayMs };
      const event: ChildEvent | undefined = start
        ? describeFailedStart(spec, failedStart, { ...start, exitReason })
        : { kind: 'restarting', name, exitReason, delayMs };
      failedStart = start;
      if (event !== undefined) onEvent(event);
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    onEvent({ kind: 'stopped', name });
  };
  const running = run();

  const isAlive = (): boolean => child?.exitCode === null && child.signalCode === null;
  const kill = (): void => {
    stopping.abort();
    // The pid of an exited process may belong to another process by now.
    if (isAlive() && child?.pid !== undefined) killTree(child.pid);
  };
  return {
    async stop() {
      stopping.abort();
      if (isAlive()) child?.kill('SIGTERM');
      const killer = setTimeout(kill, spec.stopLimitMs);
      await running;
      clearTimeout(killer);
    },
    kill,
  };
}

/** Describes a failed start. Returns undefined if the message would repeat the previous one. */
function describeFailedStart(
  { name, optional = false }: Spec,
  before: FailedStart | undefined,
  start: FailedStart & { exitReason: string },
): ChildEvent | undefined {
  const compared = compareFailedStarts(before, start);
  if (compared === 'same') return undefined;
  return { kind: 'cannot_start', name, ...start, again: compared === 'repeated', optional };
}

type Exit = { code: number | null; signal: string | null };

function startChild(spec: Spec, onLine: (line: string) => void) {
  const nodeArgs = [
    ...['--no-warnings', ...NODE_ARGS, '--import', END_WITH_PARENT],
    ...[spec.program, ...spec.args],
  ];
  // The child is detached, so that Ctrl-C reaches only `up`. `up` then stops its children in order.
  const child = spawn(process.execPath, nodeArgs, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: spec.env,
    detached: true,
  });
  child.stdin.on('error', () => {});
  const lastLines: string[] = [];
  let ready = false;
  const onOutput = (line: string): void => {
    lastLines.push(line);
    ready ||= isReadyLine(line);
    if (lastLines.length > LAST_LINES) lastLines.shift();
    onLine(line);
  };
  createInterface({ input: child.stdout }).on('line', onOutput);
  createInterface({ input: child.stderr }).on('line', onOutput);
  const exited = new Promise<Exit>((resolve) => {
    child.once('error', (error) => {
      onOutput(error.message);
      resolve({ code: null, signal: error.message });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), FLUSH_MS));
  });
  return { child, exited, lastLines: (): readonly string[] => [...lastLines], wasReady: () => ready };
}
