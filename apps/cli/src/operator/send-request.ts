import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { userInfo } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSecret, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import {
  computeSender,
  LedgerAnswer,
  type LedgerMessage,
  OPERATOR,
  type OperatorMessage,
} from '@mergexo/core/ledger';
import { askLedger, findRedisTarget } from '@mergexo/queue';
import { findLockHolder } from '@mergexo/state/hold-lock';
import type { Context } from '../context.js';

type Refusal = Extract<LedgerAnswer, { kind: 'refused' }>;
/** The answer to each kind of request. */
type AnswerTo = { reset: 'reset'; steer: 'steered' };
export type Done<Kind extends OperatorMessage['kind']> = Extract<LedgerAnswer, { kind: AnswerTo[Kind] }>;
type Answered<Kind extends OperatorMessage['kind']> = {
  answer: Done<Kind> | Refusal;
  through: 'state' | 'poller';
};

const ANSWERS: AnswerTo = { reset: 'reset', steer: 'steered' };
/** The program is part of the poller, because only the poller changes the state. */
const PROGRAM = fileURLToPath(new URL('../../../poller/dist/bin/operate.js', import.meta.url));
const ANSWER_TIMEOUT_MS = 5_000;
/** A command waits this long for the poller. The request expires at the same time, so it has no effect later. */
const EXPIRES_AFTER_MS = 30_000;

/** Returns the fields that every request has. */
export function startRequest(reason: string | null) {
  return { requestId: randomUUID(), by: nameOperator(), expiresAt: Date.now() + EXPIRES_AFTER_MS, reason };
}

/**
 * Changes the state directly if no poller owns it, else asks the poller. Because a poller may start or stop in between,
 * the function alternates until one way succeeds or the request expires. All attempts share one request id, so the
 * change happens at most once.
 */
export async function sendRequest<Kind extends OperatorMessage['kind']>(
  settings: Settings,
  context: Context,
  { request, check }: { request: Extract<OperatorMessage, { kind: Kind }>; check: string },
): Promise<Answered<Kind>> {
  const isSettled = (answer: LedgerAnswer): answer is Done<Kind> | Refusal =>
    answer.kind === ANSWERS[request.kind] || answer.kind === 'refused';
  for (;;) {
    const direct = await changeState(settings, context, request);
    if (isSettled(direct)) return { answer: direct, through: 'state' };
    const remainingMs = request.expiresAt - Date.now();
    const blockedReason =
      direct.kind === 'retry-later'
        ? direct.reason
        : `The operator program gave an unexpected answer: ${direct.kind}.`;
    if (remainingMs <= 0) throw giveUp(blockedReason, check);
    const answer = await askRunningPoller(settings, request, Math.min(remainingMs, ANSWER_TIMEOUT_MS));
    if (answer !== undefined && isSettled(answer)) return { answer, through: 'poller' };
    await sleep(500);
  }
}

/** Starts no program while a poller owns the state, because an operator who cancels a turn is waiting. */
async function changeState(
  settings: Settings,
  context: Context,
  message: OperatorMessage,
): Promise<LedgerAnswer> {
  const reason = findLockHolder(settings.paths.lock);
  if (reason !== undefined) return { kind: 'retry-later', delayMs: 0, reason };
  return askOperator(settings, context, { message, preview: false });
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

function giveUp(blockedReason: string, check: string): Failure {
  return new Failure(
    'timed-out',
    `${blockedReason} The poller did not respond in time, and the request expired. ` +
      `Run \`${MERGEXO_CLI} ${check}\` to see whether the request took effect.`,
  );
}

/** Runs the poller's operator program. `retry-later` means that a poller owns the state. A preview needs no owner. */
export async function askOperator(
  { configPath }: Settings,
  { env }: Context,
  { message, preview }: { message: OperatorMessage; preview: boolean },
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
    throw new Failure('unavailable', stderr.trim() || `The operator program exited with code ${code}.`);
  return LedgerAnswer.parse(JSON.parse(answer));
}

/** Names the person who runs this command, for the timeline. */
function nameOperator(): string {
  const name = readUserName()
    .replace(/[^\w .@-]/g, '_')
    .slice(0, 60);
  return name === '' ? 'cli' : `cli (${name})`;
}

/** Returns an empty name for a user id without an account, as in some containers. */
function readUserName(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
