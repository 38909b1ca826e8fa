import type { Issue } from '../store/rows.js';
import { listChanges } from './announcement.js';

/** One event about an issue or pull request, with the facts that only this action has. */
export type News = {
  action: string;
  labelId?: number;
  reviewerId?: number;
  facts?: object;
};

/** Lists the events for a change to an issue or pull request, in a fixed order. Each label has its own event. */
export function listNews(before: Issue | undefined, after: Issue): News[] {
  if (after.deleted) return before?.deleted ? [] : [{ action: 'deleted' }];
  if (before === undefined) return [{ action: 'opened' }];
  return [...listMoves(before, after), ...listLabels(before, after), ...listEdits(before, after)];
}

function listMoves(before: Issue, after: Issue): News[] {
  if (before.state !== after.state) return [{ action: after.state === 'closed' ? 'closed' : 'reopened' }];
  const [old, pull] = [before.pull, after.pull];
  if (!old || !pull) return [];
  const added = pull.reviewerIds.filter((id) => !old.reviewerIds.includes(id));
  return [
    ...(old.headSha === pull.headSha
      ? []
      : [{ action: 'synchronize', facts: { before: old.headSha, after: pull.headSha } }]),
    ...added.map((reviewerId) => ({ action: 'review_requested', reviewerId })),
  ];
}

function listLabels({ labelIds: old }: Issue, { labelIds: now }: Issue): News[] {
  const [added, removed] = [now.filter((id) => !old.includes(id)), old.filter((id) => !now.includes(id))];
  return [
    ...added.map((labelId) => ({ action: 'labeled', labelId })),
    ...removed.map((labelId) => ({ action: 'unlabeled', labelId })),
  ];
}

function listEdits(before: Issue, after: Issue): News[] {
  const [old, pull] = [before.pull, after.pull];
  const rebased = old && pull && old.baseRef !== pull.baseRef;
  const changes = {
    ...listChanges(before, after, ['title', 'body']),
    ...(rebased && { base: { ref: { from: old.baseRef }, sha: { from: old.baseSha } } }),
  };
  return Object.keys(changes).length === 0 ? [] : [{ action: 'edited', facts: { changes } }];
}
