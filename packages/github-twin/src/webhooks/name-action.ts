import type { Issue } from '../store/rows.js';

/** Returns the `action` of the event for a change to an issue or pull request; undefined if GitHub sends no event. */
export function nameAction(before: Issue | undefined, after: Issue): string | undefined {
  if (after.deleted) return 'deleted';
  if (before === undefined) return 'opened';
  if (before.state !== after.state) return after.state === 'closed' ? 'closed' : 'reopened';
  if (before.pull?.headSha !== after.pull?.headSha) return 'synchronize';
  if (after.labelIds.some((id) => !before.labelIds.includes(id))) return 'labeled';
  if (before.labelIds.some((id) => !after.labelIds.includes(id))) return 'unlabeled';
  if (before.title !== after.title || before.body !== after.body) return 'edited';
  if (before.pull?.baseRef !== after.pull?.baseRef) return 'edited';
  return before.pull?.draft === true && after.pull?.draft === false ? 'ready_for_review' : undefined;
}
