import { z } from 'zod';

/**
 * `ping` is GitHub's test of a new webhook. `repo` says that something changed in a repository. `unknown` says that
 * something changed somewhere, because the payload was too large to read. `ignored` concerns nothing that MergeXO reads.
 */
export type Delivery =
  | { kind: 'ping' }
  | { kind: 'repo'; repoId: number; senderId: number | null }
  | { kind: 'unknown' }
  | { kind: 'ignored' }
  | { kind: 'invalid' };

/** The events after which a poll can find something new. */
const RELEVANT = new Set([
  'issues',
  'issue_comment',
  'issue_dependencies',
  'sub_issues',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
  'workflow_run',
  'check_suite',
  'check_run',
  'status',
]);

/** The sender of these events is the person who pushed, also when the news comes from somebody else's check. */
const SENT_FOR_PUSHER = new Set(['check_run', 'check_suite', 'workflow_run']);

const Id = z.number().int().positive();
const Payload = z.object({
  repository: z.object({ id: Id }),
  sender: z.object({ id: Id }).nullish(),
});

/**
 * Reads a delivery. MergeXO takes nothing from the payload except these two ids, and asks GitHub for the rest. The body
 * is undefined if it was too large to keep.
 */
export function readDelivery(event: string | undefined, body: string | undefined): Delivery {
  if (event === 'ping') return { kind: 'ping' };
  if (event === undefined || !RELEVANT.has(event)) return { kind: 'ignored' };
  if (body === undefined) return { kind: 'unknown' };
  const payload = Payload.safeParse(parseJson(body));
  if (!payload.success) return { kind: 'invalid' };
  const { repository, sender } = payload.data;
  const senderId = SENT_FOR_PUSHER.has(event) ? null : (sender?.id ?? null);
  return { kind: 'repo', repoId: repository.id, senderId };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
