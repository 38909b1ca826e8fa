import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { readSecret, type Settings } from '@mergexo/config';
import { Failure, MERGEXO_CLI } from '@mergexo/core/basics';
import { LedgerAnswer, type LedgerMessage, signReset } from '@mergexo/core/ledger';
import type { Context } from '../context.js';
import { askLedger } from './ask-ledger.js';

export type ResetRequest = Extract<LedgerMessage, { kind: 'reset' }>;
export type ResetDone = Extract<LedgerAnswer, { kind: 'reset' }>;
type Settled = ResetDone | Extract<LedgerAnswer, { kind: 'refused' }>;

/** Part of the poller, because only that knows how to change the state. */
const PROGRAM = fileURLToPath(new URL('../../../poller/dist/bin/reset.js', import.meta.url));
const ANSWER_TIMEOUT_MS = 5_000;

/**
 * Where nobody owns the state it is changed directly, else its owner is asked. A poller may start or stop meanwhile, so
 * both are tried until one answers; it is one request under one id, so it is done once.
 */
export async function resetPulls(
  settings: Settings,
  context: Context,
  request: ResetRequest,
): Promise<{ answer: Settled; through: 'state' | 'poller' }> {
  for (;;) {
    const direct = await askOperator(settings, context, request, { preview: false });
    if (isSettled(direct)) return { answer: direct, through: 'state' };
    const left = request.expiresAt - Date.now();
    const held = direct.kind === 'retry-later' ? direct.reason : `unexpected answer: ${direct.kind}`;
    if (left <= 0) throw giveUp(held);
    const { current } = readSecret(settings.paths.secret, settings.signingSecret);
    const signed = signReset(request, current);
    const answer = await askLedger(settings, signed, Math.min(left, ANSWER_TIMEOUT_MS));
    if (answer !== undefined && isSettled(answer)) return { answer, through: 'poller' };
    await sleep(500);
  }
}

function isSettled(answer: LedgerAnswer): answer is Settled {
  return answer.kind === 'reset' || answer.kind === 'refused';
}

function giveUp(held: string): Failure {
  return new Failure(
    'timed-out',
    `${held} It was asked to do it, but did not answer in time; from now on the request counts for nothing. ` +
      `Look with \`${MERGEXO_CLI} feedback blocked list\` whether it was done.`,
  );
}

/** `retry-later` means that somebody else owns the state. A preview changes nothing and needs no ownership. */
export async function askOperator(
  { configPath }: Settings,
  { env }: Context,
  message: ResetRequest,
  { preview }: { preview: boolean },
): Promise<LedgerAnswer> {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env } });
  // A program that dies early does not read it; its exit tells.
  child.stdin.on('error', () => {});
  child.stdin.end(JSON.stringify({ configPath, preview, message }));
  const [answer, complaint, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  if (code !== 0) throw new Failure('unavailable', complaint.trim() || `The reset ended with ${code}.`);
  return LedgerAnswer.parse(JSON.parse(answer));
}
