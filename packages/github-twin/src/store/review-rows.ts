import { z } from 'zod';

const id = z.number().int().positive();
const sha = z.string();
const stamp = z.string();

export const Side = z.enum(['LEFT', 'RIGHT']);
export type Side = z.infer<typeof Side>;

export const Review = z.object({
  id,
  repoId: id,
  number: id,
  userId: id,
  body: z.string(),
  state: z.enum(['PENDING', 'COMMENTED', 'APPROVED', 'CHANGES_REQUESTED', 'DISMISSED']),
  commitId: sha,
  submittedAt: stamp.nullable(),
  bornMs: z.number(),
});
export type Review = z.infer<typeof Review>;

/** Where a comment was made, in the diff as it was then; where it is now is computed when it is read. */
export const Place = z.object({
  path: z.string(),
  side: Side,
  line: z.number().int(),
  position: z.number().int(),
  diffHunk: z.string(),
  commitId: sha,
  baseId: sha,
});
export type Place = z.infer<typeof Place>;

export const ReviewComment = z.object({
  id,
  repoId: id,
  number: id,
  reviewId: id,
  userId: id,
  body: z.string(),
  inReplyToId: id.nullable(),
  place: Place,
  /** Only the first comment of a thread carries it. */
  resolvedById: id.nullable(),
  /** A first comment that is gone while its thread goes on. */
  deleted: z.boolean().default(false),
  createdAt: stamp,
  updatedAt: stamp,
  bornMs: z.number(),
});
export type ReviewComment = z.infer<typeof ReviewComment>;
