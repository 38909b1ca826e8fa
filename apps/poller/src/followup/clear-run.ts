import type { Log } from '@mergexo/core';
import type { Run, State } from '@mergexo/state';
import { dropNotices } from '../feedback/close-pull.js';

/** Lets work without a pull request start again. A block notice that was not sent yet stays unsent. Inside a transaction. */
export function clearRun(tools: { state: State; now: () => number; log: Log }, run: Run): void {
  const { state, now } = tools;
  const cleared = { status: 'ready' as const, blockedKind: null, error: null, clearedAt: now() };
  state.saveRun({ ...run, ...cleared }, now());
  dropNotices(tools, run.repoId, run.issueNumber, 'it was unblocked', ['block_notice']);
}
