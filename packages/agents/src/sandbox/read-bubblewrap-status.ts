import type { ChildProcess } from 'node:child_process';
import { type ProcessRef, referTo } from '@mergexo/process';
import { z } from 'zod';
import { parseJson } from '../output/json.js';

/** The descriptor for bubblewrap's option `--json-status-fd`. It is closed inside the sandbox. */
export const STATUS_FD = 3;

const Started = z.object({ 'child-pid': z.int().min(2) });
const Ended = z.object({ 'exit-code': z.int() });

export type BubblewrapStatus = ReturnType<typeof readBubblewrapStatus>;

/** Both functions return the state that bubblewrap has reported so far. The last line may still be incomplete. */
export function readBubblewrapStatus(child: ChildProcess) {
  let text = '';
  let init: ProcessRef | undefined;
  let ended = false;
  child.stdio[STATUS_FD]?.on('data', (chunk) => {
    if (text.length < 10_000) text += String(chunk);
    const reports = text.split('\n').map(parseJson);
    init ??= findInit(reports);
    ended = reports.some((report) => Ended.safeParse(report).success);
  });
  return {
    /** The first process in the sandbox. All others die with it, because it owns the pid namespace. */
    init: () => init,
    /** True if the program itself ended. Bubblewrap reports an exit code only if it could create the sandbox. */
    sawProgramEnd: () => ended,
  };
}

function findInit(reports: readonly unknown[]): ProcessRef | undefined {
  for (const report of reports) {
    const { data } = Started.safeParse(report);
    if (data !== undefined) return referTo(data['child-pid']);
  }
  return undefined;
}
