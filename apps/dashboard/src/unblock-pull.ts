import { readSecret } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { computeSender, type LedgerAnswer, OPERATOR, type ResetMessage } from '@mergexo/core/ledger';
import { askLedger, findRedisTarget } from '@mergexo/queue';
import type { DashboardConfig } from './config.js';

export type UnblockRequest = {
  requestId: string;
  target: NonNullable<ResetMessage['pulls']>[number];
  headSha: string | null;
};
export type Unblocked =
  | { kind: 'done'; waitingComments: number; acceptedHeadSha: string | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'unanswered'; reason: string };

/** How long the page waits for the poller. The request expires at the same time. */
const ANSWER_TIMEOUT_MS = 6_000;
const UNANSWERED: readonly string[] = ['unavailable', 'timed-out', 'unauthorized'];

/** Asks the poller to resume a blocked pull request or issue. A repeated request id has no further effect. */
export async function unblockPull(settings: DashboardConfig, request: UnblockRequest): Promise<Unblocked> {
  const { requestId, target, headSha } = request;
  const message: ResetMessage = {
    kind: 'reset',
    requestId,
    by: 'dashboard',
    expiresAt: Date.now() + ANSWER_TIMEOUT_MS,
    pulls: [target],
    repo: null,
    headSha,
  };
  try {
    return describeAnswer(await ask(settings, message));
  } catch (error) {
    if (!(error instanceof Failure) || !UNANSWERED.includes(error.kind)) throw error;
    const reason =
      error.kind === 'timed-out' ? 'The poller or Redis did not respond in time.' : error.message;
    return { kind: 'unanswered', reason };
  }
}

async function ask(settings: DashboardConfig, message: ResetMessage): Promise<LedgerAnswer> {
  const target = findRedisTarget(settings.redis, settings.paths.redis);
  if (target === undefined)
    throw new Failure('unavailable', 'Redis is not running yet. Start the poller, which starts Redis.');
  const { current } = readSecret(settings.paths.secret, settings.signingSecret);
  const sender = computeSender(current, OPERATOR);
  settings.redact.learn([current, sender.key]);
  return askLedger({ ...settings.config.redis, target, sender }, message, ANSWER_TIMEOUT_MS);
}

function describeAnswer(answer: LedgerAnswer): Unblocked {
  if (answer.kind === 'refused') return answer;
  const [pull] = answer.kind === 'reset' ? answer.pulls : [];
  if (pull === undefined)
    return { kind: 'refused', reason: `Unexpected response from the poller: ${answer.kind}.` };
  return { kind: 'done', waitingComments: pull.waitingComments, acceptedHeadSha: pull.acceptedHeadSha };
}
