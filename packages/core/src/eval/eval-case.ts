import { z } from 'zod';
import { UploadContent, UploadList } from '../attachments/upload.js';
import { Sha } from '../basics/sha.js';
import { FLOW_TRAITS, type Flow } from '../flows/flow.js';
import { FeedbackContext } from '../turns/feedback/feedback-context.js';
import { ReviewContext } from '../turns/review/review-context.js';
import { StartContext } from '../turns/start/start-context.js';
import type { TurnKind } from '../turns/turn-kind.js';

/** The turns of a merged pull request that `eval` can run again. */
export const REPLAYS = ['start', 'feedback', 'review'] as const;
export type Replay = (typeof REPLAYS)[number];

/** A place in the reviewed commit that a person commented on; a comment on a whole file has no line. */
const ReviewPlace = z.strictObject({ path: z.string(), line: z.int().min(1).nullable() });
export type ReviewPlace = z.infer<typeof ReviewPlace>;

/** A merged pull request, and the turns that MergeXO would have opened for it, with the texts as of that time. */
export const EvalCase = z.strictObject({
  repo: z.string(),
  prNumber: z.int().min(1),
  issueNumber: z.int().min(1),
  /** The last commit of the pull request's branch. */
  headSha: Sha,
  mergeSha: Sha,
  start: StartContext,
  /** Null if no person commented on a line. */
  feedback: FeedbackContext.nullable(),
  review: ReviewContext.nullable(),
  /** The places that people commented on. A reviewer of the same commit should find them. */
  places: z.array(ReviewPlace),
  /** The uploads in the texts of each replay. */
  uploads: z.record(z.enum(REPLAYS), UploadList),
  /** The content of these files, by their URL. */
  files: z.record(z.string(), UploadContent),
  /** Texts that were replaced or left out because they were edited later. */
  notes: z.array(z.string()),
});
export type EvalCase = z.infer<typeof EvalCase>;

export type ReplayContext = StartContext | FeedbackContext | ReviewContext;

export function listReplays(evalCase: EvalCase): Replay[] {
  return REPLAYS.filter((replay) => evalCase[replay] !== null);
}

export function chooseReplayKind(flow: Flow, replay: Replay): TurnKind {
  const { startKind, feedbackKind } = FLOW_TRAITS[flow];
  return { start: startKind, feedback: feedbackKind, review: 'review' as const }[replay];
}
