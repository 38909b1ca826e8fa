import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSecret, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { computeSender, LedgerAnswer, type LedgerMessage, OPERATOR } from '@mergexo/core/ledger';
import { askLedger, findRedisTarget } from '@mergexo/queue';
import type { Context } from '../context.js';

export type ResetRequest = Extract<LedgerMessage, { kind: 'reset' }>;
export type ResetDone = Extract<LedgerAnswer, { kind: 'reset' }>;
type Settled = ResetDone | Extract<LedgerAnswer, { kind: 'refused' }>;

/** The program that resets blocked work is part of the poller, because only the poller changes the state. */
const PROGRAM = fileURLToPath(new URL('../../../poller/dist/bin/reset.js', import.meta.url));
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Changes the state directly if no poller owns it, else asks the poller. Because a poller may start or stop in between,
 * the function alternates until one way succeeds or the request expires. All attempts share one request id, so the
 * reset happens at most once.
 */
export async function resetPulls(
  settings: Settings,
  context: Context,
  request: ResetRequest,
): Promise<{ answer: Settled; through: 'state' | 'poller' }> {
  for (;;) {
    const direct = await askOperator(settings, context, { message: request, preview: false });
    if (isSettled(direct)) return { answer: direct, through: 'state' };
    const remainingMs = request.expiresAt - Date.now();
    const blockedReason =
      direct.kind === 'retry-later'
        ? direct.reason
        : `The reset program gave an unexpected answer: ${direct.kind}.`;
    if (remainingMs <= 0) throw giveUp(blockedReason);
    const answer = await askRunningPoller(settings, request, Math.min(remainingMs, ANSWER_TIMEOUT_MS));
    if (answer !== undefined && isSettled(answer)) return { answer, through: 'poller' };
    await sleep(500);
  }
}

/**
 * Asks the poller. Returns undefined if the poller or Redis did not respond. The caller retries with the same message.
 */
async function askRunningPoller(
  { config, redis, paths, signingSecret, redact }: Settings,
  message: LedgerMessage,
  timeoutMs: number,
): Promise<LedgerAnswer | undefined> {
  const target = findRedisTarget(redis, paths.redis);
  if (target === undefined) return undefined;
  try {
    const { current } = readSecret(paths.secret, signingSecret);
    const sender = computeSender(current, OPERATOR);
    redact.learn([current, sender.key]);
    return await askLedger({ ...config.redis, target, sender }, message, timeoutMs);
  } catch (error) {
    if (error instanceof Failure && ['unavailable', 'timed-out'].includes(error.kind)) return undefined;
    throw error;
  }
}

function isSettled(answer: LedgerAnswer): answer is Settled {
  return answer.kind === 'reset' || answer.kind === 'refused';
}

function giveUp(blockedReason: string): Failure {
  return new Failure(
    'timed-out',
    `${blockedReason} The poller did not respond in time, and the request expired. ` +
      `Run \`${MERGEXO_CLI} feedback blocked list\` to see whether the reset was applied.`,
  );
}

/** Runs the poller's reset program. `retry-later` means that a poller owns the state. A preview needs no owner. */
export async function askOperator(
  { configPath }: Settings,
  { env }: Context,
  { message, preview }: { message: ResetRequest; preview: boolean },
): Promise<LedgerAnswer> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env } });
  // If the program exits early, writing to its input fails. The exit code is checked below.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ configPath, preview, message }));
  const [answer, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0)
    throw new Failure('unavailable', stderr.trim() || `The reset program exited with code ${code}.`);
  return LedgerAnswer.parse(JSON.parse(answer));
}
