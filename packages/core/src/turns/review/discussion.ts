import { z } from 'zod';
import { REVIEW_STATES } from '../../feedback/remark.js';
import { keepNewest } from '../keep-newest.js';
import { COMMENT_FIELDS } from '../start/start-context.js';

const Text = z.string();

/** One comment or review by an allowed person, on the pull request or its issue. */
const Entry = z.strictObject({
  place: z.enum(['issue', 'conversation', 'line', 'review']),
  id: z.int(),
  ...COMMENT_FIELDS,
  /** For a comment on a line: the first comment of its thread. */
  threadId: z.int().nullable(),
  path: Text.nullable(),
  line: z.int().nullable(),
  isResolved: z.boolean(),
  reviewState: z.enum(REVIEW_STATES).nullable(),
});
export type DiscussionEntry = z.infer<typeof Entry>;

/** People's comments, oldest first. `omitted` is the number of older comments that did not fit. */
export const Discussion = z
  .strictObject({ entries: z.array(Entry), omitted: z.int().min(0) })
  .default({ entries: [], omitted: 0 });
export type Discussion = z.infer<typeof Discussion>;

/** Sorts the comments, and keeps the newest that fit. */
export function buildDiscussion(entries: readonly DiscussionEntry[]): Discussion {
  const sorted = entries
    .filter(({ body }) => body.trim() !== '')
    .toSorted((a, b) => a.createdAt.localeCompare(b.createdAt) || a.id - b.id);
  const kept = keepNewest(sorted);
  return { entries: [...kept], omitted: sorted.length - kept.length };
}
