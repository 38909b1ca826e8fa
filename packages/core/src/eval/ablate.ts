import type { UploadList } from '../attachments/upload.js';
import type { FeedbackContext } from '../turns/feedback/feedback-context.js';
import type { ReviewContext } from '../turns/review/review-context.js';
import type { StartContext } from '../turns/start/start-context.js';
import type { EvalCase, Replay } from './eval-case.js';

type Ablation = {
  /** Names the item in the help and in the table. */
  about: string;
  start?: (context: StartContext) => StartContext;
  feedback?: (context: FeedbackContext) => FeedbackContext;
  review?: (context: ReviewContext) => ReviewContext;
  /** Replaces the files that people uploaded. */
  uploads?: UploadList;
  /** True if the worker adds the item to the input. Otherwise the turn's context contains the item. */
  isOfWorker?: true;
};

/** The items that `eval --ablate` can remove from the agent's input, each with the change to the input. */
export const ABLATIONS = {
  hunk: {
    about: 'the diff above each line comment',
    feedback: (context) => ({
      ...context,
      events: context.events.map((event) => ({ ...event, diffHunk: null })),
    }),
  },
  ci: {
    about: 'the results and logs of checks',
    feedback: (context) => ({ ...context, checks: [], events: context.events.map(withoutLog) }),
    review: (context) => ({ ...context, checks: [] }),
  },
  linked: {
    about: 'the issues and pull requests that the issue or a comment mentions',
    start: (context) => ({ ...context, linked: [], unreadLinks: [] }),
    feedback: (context) => ({ ...context, linked: [], unreadLinks: [] }),
    review: (context) => ({ ...context, linked: [], unreadLinks: [] }),
  },
  rules: { about: 'the rules of the repository', isOfWorker: true },
  verify: {
    about: 'the second agent that verifies blocking findings',
    review: (context) => ({ ...context, policy: { ...context.policy, verify: false } }),
  },
  images: {
    about: 'the images and other files that people uploaded',
    uploads: { listed: [], omitted: 0 },
  },
} as const satisfies Record<string, Ablation>;

export type AblatedItem = keyof typeof ABLATIONS;

export function isAblatedItem(name: string): name is AblatedItem {
  return Object.hasOwn(ABLATIONS, name);
}

/** Keeps the first line of a failed check, which names the check. The agent must still answer the event. */
function withoutLog(event: FeedbackContext['events'][number]): FeedbackContext['events'][number] {
  return event.kind === 'ci' ? { ...event, body: event.body.split('\n', 1)[0] ?? '', log: null } : event;
}

/** Removes the item from the contexts of a case. */
export function ablate(evalCase: EvalCase, item: AblatedItem | null): EvalCase {
  if (item === null) return evalCase;
  const { start, feedback, review, uploads }: Ablation = ABLATIONS[item];
  return {
    ...evalCase,
    start: start?.(evalCase.start) ?? evalCase.start,
    feedback: evalCase.feedback && (feedback?.(evalCase.feedback) ?? evalCase.feedback),
    review: evalCase.review && (review?.(evalCase.review) ?? evalCase.review),
    uploads: uploads ? { start: uploads, feedback: uploads, review: uploads } : evalCase.uploads,
  };
}

/** True if the removal can change the agent's input. If not, `eval` reuses the complete input's result. */
export function isAffected(evalCase: EvalCase, replay: Replay, item: AblatedItem): boolean {
  const { isOfWorker }: Ablation = ABLATIONS[item];
  if (isOfWorker) return true;
  const read = (input: EvalCase): string => JSON.stringify([input[replay], input.uploads[replay]]);
  return read(ablate(evalCase, item)) !== read(evalCase);
}
