import { z } from 'zod';
import { FLOWS } from './flow.js';

/** What a start turn is about, read from GitHub and stored when the turn opens: every attempt sees the same. */
export const StartContext = z.strictObject({
  repo: z.string(),
  flow: z.enum(FLOWS),
  branch: z.string(),
  designDocPath: z.string().nullable(),
  issue: z.strictObject({
    number: z.int(),
    title: z.string(),
    body: z.string(),
    author: z.string(),
    labels: z.array(z.string()),
    url: z.string(),
  }),
  /** What allowed people said on the issue, in the order of their ids. */
  comments: z.array(
    z.strictObject({
      id: z.int(),
      author: z.string(),
      body: z.string(),
      createdAt: z.string(),
      updatedAt: z.string(),
      url: z.string(),
    }),
  ),
});
export type StartContext = z.infer<typeof StartContext>;
