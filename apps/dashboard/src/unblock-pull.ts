import { readSecret } from '@mergexo/config';
import { Failure, silentLog } from '@mergexo/core/basics';
import { type LedgerAnswer, type ResetMessage, signReset } from '@mergexo/core/ledger';
import { bounded, checkRedis, createLedgerClient } from '@mergexo/queue';
import type { DashboardConfig } from './config.js';
import { findTarget } from './queues/redis-line.js';

export type Wish = {
  requestId: string;
  target: NonNullable<ResetMessage['pulls']>[number];
  headSha: string | null;
};
export type Unblocked =
  | { kind: 'done'; waitingComments: number; acceptedHeadSha: string | null }
  | { kind: 'refused'; reason: string }
  | { kind: 'unanswered'; reason: string };

/** A person waits for the answer. What is not taken up by then counts for nothing. */
const PATIENCE_MS = 6_000;
const CLOSE_LIMIT_MS = 1_000;

/** Asks the poller, which owns the state, to resume a blocked pull request or issue. The same wish is done once. */
export async function unblockPull(settings: DashboardConfig, wish: Wish): Promise<Unblocked> {
  const { requestId, target, headSha } = wish;
  const { current } = readSecret(settings.paths.secret, settings.signingSecret);
  const message: ResetMessage = {
    kind: 'reset',
    requestId,
    by: 'dashboard',
    expiresAt: Date.now() + PATIENCE_MS,
    signature: null,
    pulls: [target],
    repo: null,
    headSha,
  };
  try {
    return describeAnswer(await ask(settings, signReset(message, current)));
  } catch (error) {
    if (!(error instanceof Failure) || !['unavailable', 'timed-out'].includes(error.kind)) throw error;
    return { kind: 'unanswered', reason: error.message };
  }
}

async function ask(settings: DashboardConfig, message: ResetMessage): Promise<LedgerAnswer> {
  const target = findTarget(settings);
  if (target === undefined) throw new Failure('unavailable', 'There is no Redis yet: the poller starts it.');
  const { allowInsecure, keyPrefix: prefix } = settings.config.redis;
  await checkRedis(target, { allowInsecure });
  const client = await createLedgerClient({ target, log: silentLog, prefix });
  try {
    return await client.ask(message, PATIENCE_MS);
  } finally {
    await bounded(client.close(), CLOSE_LIMIT_MS);
  }
}

function describeAnswer(answer: LedgerAnswer): Unblocked {
  if (answer.kind === 'refused') return answer;
  const [pull] = answer.kind === 'reset' ? answer.pulls : [];
  if (pull === undefined) return { kind: 'refused', reason: `The poller answered ${answer.kind}.` };
  return { kind: 'done', waitingComments: pull.waitingComments, acceptedHeadSha: pull.acceptedHeadSha };
}
