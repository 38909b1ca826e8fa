import { isPull } from '../domain/issues.js';
import type { Issue } from '../store/rows.js';
import { type Slice, toConnection } from './connection.js';

/** Returns the fields of an issue or pull request that describe the versions of its text. */
export function toEdited(issue: Issue) {
  const versions = (issue.bodies ?? []).toReversed();
  return {
    __typename: isPull(issue) ? 'PullRequest' : 'Issue',
    title: issue.title,
    body: issue.body ?? '',
    lastEditedAt: versions[0]?.at ?? null,
    userContentEdits: (slice: Slice) =>
      // As on GitHub, `diff` contains the whole text after the edit.
      toConnection(versions, slice, ({ at, text }) => ({ editedAt: at, diff: text })),
    // The twin knows only this kind of item.
    timelineItems: (slice: Slice) =>
      toConnection(issue.renames ?? [], slice, ({ at, from, to }) => ({
        __typename: 'RenamedTitleEvent',
        createdAt: at,
        previousTitle: from,
        currentTitle: to,
      })),
  };
}
