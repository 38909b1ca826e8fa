import { readSecret } from '@mergexo/config';
import { Failure } from '@mergexo/core/basics';
import { computeSender, type LedgerAnswer, OPERATOR, type OperatorMessage } from '@mergexo/core/ledger';
import { askLedger, findRedisTarget } from '@mergexo/queue';
import type { DashboardConfig } from '../config.js';

export type Asked =
  | { kind: 'answered'; answer: Exclude<LedgerAnswer, { kind: 'refused' }> }
  | { kind: 'refused'; reason: string }
  /** The poller may still carry out the request until it expires. */
  | { kind: 'unanswered'; reason: string };

/** How long a page waits for the poller. The request expires at the same time. */
const ANSWER_TIMEOUT_MS = 6_000;
const UNANSWERED: readonly string[] = ['unavailable', 'timed-out', 'unauthorized'];

/** The fields that every request of the dashboard has. */
export type OperatorRequest = Pick<OperatorMessage, 'requestId' | 'by' | 'expiresAt' | 'reason'>;

export function startRequest(requestId: string, reason: string | null): OperatorRequest {
  return { requestId, by: 'dashboard', expiresAt: Date.now() + ANSWER_TIMEOUT_MS, reason };
}

/** Sends a signed request to the poller. A repeated request id has no further effect. */
export async function askPoller(settings: DashboardConfig, message: OperatorMessage): Promise<Asked> {
  try {
    const answer = await ask(settings, message);
    return answer.kind === 'refused' ? answer : { kind: 'answered', answer };
  } catch (error) {
    if (!(error instanceof Failure) || !UNANSWERED.includes(error.kind)) throw error;
    const reason =
      error.kind === 'timed-out' ? 'The poller or Redis did not respond in time.' : error.message;
    return { kind: 'unanswered', reason };
  }
}

async function ask(settings: DashboardConfig, message: OperatorMessage): Promise<LedgerAnswer> {
  const target = findRedisTarget(settings.redis, settings.paths.redis);
  if (target === undefined)
    throw new Failure('unavailable', 'Redis is not running yet. Start the poller, which starts Redis.');
  const { current } = readSecret(settings.paths.secret, settings.signingSecret);
  const sender = computeSender(current, OPERATOR);
  settings.redact.learn([current, sender.key]);
  return askLedger({ ...settings.config.redis, target, sender }, message, ANSWER_TIMEOUT_MS);
}
