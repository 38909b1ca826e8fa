import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killTree } from '@mergexo/process';
import { compareFailedStarts, type FailedStart } from './compare-failed-starts.js';
import { decideRestart, NO_DEATHS } from './decide-restart.js';
import { findReason, isReadyLine } from './describe-line.js';

/** A program that is to run as long as we do. */
export type Spec = {
  name: string;
  program: string;
  args: readonly string[];
  env: NodeJS.ProcessEnv;
  /** How long it may take to leave when it is asked to. */
  stopLimitMs: number;
  /** The others go on without it, and it is tried again. */
  optional?: boolean;
};

export type ChildNews =
  | { kind: 'started'; name: string; pid: number | undefined; again: boolean }
  | { kind: 'line'; name: string; line: string }
  /** The program died after it was ready. */
  | { kind: 'restarting'; name: string; how: string; delayMs: number }
  /** The program died before it was ready; `again` when the attempt before ended for the same reason. */
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
  /** Asks it to leave, and waits until it has. */
  stop(): Promise<void>;
  /** Ends it now, whatever it is doing, with all that it started. */
  end(): void;
};

const END_WITH_PARENT = new URL('./end-with-parent.js', import.meta.url).href;
const LAST_LINES = 8;
/** What a dead program had written last may still be in the pipe; its own children may hold the pipe open for ever. */
const FLUSH_MS = 500;

/** Starts it, and starts it again whenever it dies, until it is stopped or it is of no use. */
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
      // After a failed start only success is news: the line `ready`.
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
      if (lived.wasReady) {
        failed = undefined;
        tell({ kind: 'restarting', name, how, delayMs });
      } else {
        const reason = signal === null ? findReason(life.lastLines()) : undefined;
        const start = { reason: reason ?? how, delayMs };
        const compared = compareFailedStarts(failed, start);
        failed = start;
        if (compared !== 'same')
          tell({
            kind: 'cannot_start',
            name,
            how,
            ...start,
            again: compared === 'repeated',
            optional: spec.optional === true,
          });
      }
      await sleep(delayMs, undefined, { signal: pause.signal }).catch(() => {});
    }
    tell({ kind: 'stopped', name });
  };
  const running = run();

  const isAlive = (): boolean => child?.exitCode === null && child.signalCode === null;
  const end = (): void => {
    pause.abort();
    // A number whose process is gone may be somebody else's.
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

type End = { code: number | null; signal: string | null };

function startChild(spec: Spec, onLine: (line: string) => void) {
  const node = ['--no-warnings', '--import', END_WITH_PARENT, spec.program, ...spec.args];
  // Detached: Ctrl-C in the terminal reaches us alone, and we decide who leaves when.
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
      resolve({ code: null, signal: 'it could not be started' });
    });
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal }), FLUSH_MS));
  });
  return { child, ended, lastLines: (): readonly string[] => [...last], wasReady: () => ready };
}
