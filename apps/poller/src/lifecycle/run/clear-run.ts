import type { Run } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { dropNotices } from '../withdraw-notices.js';

/** Lets work without a pull request start again. A block notice that was not sent yet stays unsent. Inside a transaction. */
export function clearRun(tools: Records, run: Run): void {
  const { state, now } = tools;
  const cleared = { status: 'ready' as const, blockedKind: null, error: null, clearedAt: now() };
  state.saveRun({ ...run, ...cleared }, now());
  dropNotices(tools, run.repoId, run.issueNumber, 'it was unblocked', ['block_notice']);
}
