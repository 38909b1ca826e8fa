import type { Run } from '@mergexo/state';
import type { Records } from '../../tools.js';
import { dropNotices } from '../withdraw-notices.js';

/** Restarts blocked work that has no pull request, and drops an unsent block notice. Requires a transaction. */
export function clearRun(tools: Records, run: Run): void {
  const { state, now } = tools;
  const cleared = { status: 'ready' as const, blockedKind: null, error: null, clearedAt: now() };
  state.saveRun({ ...run, ...cleared }, now());
  const { repoId, issueNumber: thread } = run;
  dropNotices(tools, { repoId, thread, kinds: ['block_notice'] }, { code: 'unblocked' });
}
