import { randomBytes } from 'node:crypto';
import { Failure } from '@mergexo/core/basics';
import {
  type CredentialMessage,
  checkHeld,
  computeAttemptSecret,
  computeSender,
  isProven,
  type LedgerAnswer,
  nameIn,
  sealToken,
} from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { Records } from '../../tools.js';
import { refuseUnproven } from '../refuse-message.js';
import type { ReportLimit } from '../report-limit.js';
import { isOver, type WorkerToken, type WorkerTokens } from './worker-tokens.js';

type CredentialTools = Records & {
  keys: SigningKeys;
  mayReport: ReportLimit;
  /** Absent if workers use their own login. */
  tokens?: Pick<WorkerTokens, 'find'> | undefined;
};

/** Failures after which the worker asks again. After any other failure, its attempt fails. */
const TRANSIENT: readonly string[] = ['unavailable', 'timed-out', 'rate-limited', 'unknown-outcome'];

/**
 * Sends a token for the turn's repository to the worker that holds the turn. Encrypts it, because other people may read
 * Redis.
 */
export async function answerCredential(
  tools: CredentialTools,
  message: CredentialMessage,
  from: string,
): Promise<LedgerAnswer> {
  const { state, keys, tokens } = tools;
  const { turnKey, attempt } = message;
  const turn = state.readTurn(turnKey);
  if (turn === undefined) return { kind: 'refused', reason: 'no such turn' };
  if (!isProven(message, turn, keys.current))
    return state.transaction(() => refuseUnproven(tools, { turn, message, from }));
  const barred = checkHeld(turn, attempt);
  if (barred !== undefined && barred.kind !== 'begun') return barred;
  if (tokens === undefined || isOver(turn, attempt))
    return { kind: 'refused', reason: 'the poller has no token for this attempt' };
  const found = await findOrRefuse(() => tokens.find(turn));
  if (typeof found === 'string') return { kind: 'refused', reason: found };
  // The turn may have ended while GitHub created the token. The token is then revoked and not sent.
  if (isOver(state.readTurn(turnKey), attempt)) return { kind: 'refused', reason: 'the attempt is over' };
  const requestId = turn.begins[attempt - 1] ?? '';
  const secret = computeAttemptSecret(keys.current, { turnKey, attempt, requestId });
  const workerKey = computeSender(keys.current, nameIn(requestId)).key;
  const sealed = sealToken(found.token, { turnKey, attempt, secret, workerKey }, randomBytes(12));
  return { kind: 'credential', sealed, lifetimeMs: Math.floor(found.lifetimeMs) };
}

async function findOrRefuse(find: () => Promise<WorkerToken>): Promise<WorkerToken | string> {
  try {
    return await find();
  } catch (error) {
    if (!(error instanceof Failure) || TRANSIENT.includes(error.kind)) throw error;
    return error.message.slice(0, 3_000);
  }
}
