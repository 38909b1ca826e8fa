import { parseCommand } from '@mergexo/core/commands';
import { nameConflict, type Remark } from '@mergexo/core/feedback';
import type { FeedbackEvent, Pull } from '@mergexo/state';
import type { Records } from '../tools.js';
import { NO_LOCATION } from './to-remark.js';

/** Author of an update request that comes from the configuration. */
export const AUTO_UPDATE = 'auto_update';

/** True if a person or `auto_update` requests an update. The same line in a CI log does not count. */
export function asksForUpdate({ kind, payload }: FeedbackEvent): boolean {
  if (kind === 'ci' && payload.author.login !== AUTO_UPDATE) return false;
  return parseCommand(payload.body)?.command.kind === 'update';
}

/** Records an update request, once per head, as if a person had commented `/mergexo update`. Requires a transaction. */
export function askForUpdate(
  { state, now }: Pick<Records, 'state' | 'now'>,
  pull: Pull,
  { headSha, baseRef }: { headSha: string; baseRef: string },
): void {
  const { repoId, issueNumber, prNumber } = pull;
  const remark: Remark = {
    ...NO_LOCATION,
    kind: 'ci',
    commentId: prNumber,
    thread: prNumber,
    body: `The branch conflicts with ${baseRef}.\n\n/mergexo update`,
    author: { id: 0, login: AUTO_UPDATE, type: 'Bot' },
    url: pull.url ?? '',
    createdAt: '',
    updatedAt: nameConflict(headSha),
    headSha,
  };
  state.recordFeedbackEvent({ repoId, issueNumber, remark, skipReason: null }, now());
}
