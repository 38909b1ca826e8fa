import { randomBytes } from 'node:crypto';
import { Failure, remainingWaitMs } from '@mergexo/core/basics';
import { openSealed, seal } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import { attemptOf, isCarried, type Turn } from '@mergexo/core/turns';
import type { AppLogin } from '@mergexo/github';
import type { StoredWorkerToken } from '@mergexo/state';
import type { Records, Repo } from '../../tools.js';

export type WorkerTokenTools = Records & {
  keys: SigningKeys;
  app: Pick<AppLogin, 'mintForWorker' | 'revoke'>;
  /** Undefined until the poller has read the repository. */
  findRepo: (repoId: number) => Repo | undefined;
  monotonicNow: () => number;
  /** True if workers may push changes to workflow files. */
  workflows: boolean;
};

export type WorkerToken = { token: string; lifetimeMs: number };

export type WorkerTokens = {
  /** Returns a token for the turn's repository. The token is valid until the attempt ends or the token expires. */
  find(turn: Turn): Promise<WorkerToken>;
  /** Revokes the tokens of attempts that are over. */
  revokeEnded(): Promise<void>;
};

/** A worker gets a new token if the current one has less than this left, or less than a sixth of its life. */
const MAX_MARGIN_MS = 600_000;

const RETRY_MS = 30_000;

type Held = { token: string; endsAt: number; replaceAt: number };

/**
 * Creates and revokes the tokens of workers. Each token is recorded, encrypted, before a worker gets it, so that a
 * restarted poller revokes it too. If the poller crashes before it records a token, no worker has that token.
 */
export function createWorkerTokens(tools: WorkerTokenTools): WorkerTokens {
  const { state, keys, app, now, monotonicNow, log } = tools;
  const held = new Map<string, Held>();
  const minting = new Map<string, Promise<Held>>();

  const mint = async (turn: Turn, key: string): Promise<Held> => {
    const repo = tools.findRepo(turn.repoId);
    if (repo === undefined) throw new Failure('unavailable', 'The poller has not read the repository yet.');
    const { token, lifetimeMs } = await app.mintForWorker(repo.config.fullName, tools);
    const margin = Math.min(MAX_MARGIN_MS, lifetimeMs / 6);
    const endsAt = monotonicNow() + lifetimeMs;
    const attempt = attemptOf(turn);
    const sealed = seal(token, { ...keyOf(keys.current, turn.turnKey, attempt), nonce: randomBytes(12) });
    const since = now();
    state.recordWorkerToken({ turnKey: turn.turnKey, attempt, sealed, since, until: since + lifetimeMs });
    const next = { token, endsAt, replaceAt: endsAt - margin };
    held.set(key, next);
    return next;
  };

  const retryAt = new Map<number, number>();
  const forget = ({ id, turnKey, attempt }: StoredWorkerToken): void => {
    state.deleteWorkerToken(id);
    held.delete(`${turnKey} ${attempt}`);
    retryAt.delete(id);
  };

  const revoke = async (row: StoredWorkerToken): Promise<void> => {
    const { turnKey, attempt, sealed } = row;
    const token = [keys.current, ...keys.older]
      .map((key) => openSealed(sealed, keyOf(key, turnKey, attempt)))
      .find((opened) => opened !== undefined);
    // After the signing secret changes, the token cannot be decrypted anymore. It expires within an hour.
    if (token !== undefined) await app.revoke(token);
    forget(row);
  };

  return {
    async find(turn) {
      const key = `${turn.turnKey} ${attemptOf(turn)}`;
      const known = held.get(key);
      if (known !== undefined && monotonicNow() < known.replaceAt) return toAnswer(known);
      const pending = minting.get(key) ?? mint(turn, key).finally(() => minting.delete(key));
      minting.set(key, pending);
      return toAnswer(await pending);
    },

    async revokeEnded() {
      for (const row of state.listWorkerTokens()) {
        const isDue = monotonicNow() >= (retryAt.get(row.id) ?? 0);
        if (!isDue || !isOver(state.readTurn(row.turnKey), row.attempt)) continue;
        try {
          await revoke(row);
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          log.warn(
            { err: error, turn_key: row.turnKey },
            'could not revoke the token of a turn; MergeXO retries until the token expires',
          );
          retryAt.set(row.id, monotonicNow() + RETRY_MS);
          if (remainingWaitMs(row, now()) === 0) forget(row);
        }
      }
    },
  };

  function toAnswer({ token, endsAt }: Held): WorkerToken {
    return { token, lifetimeMs: Math.max(0, endsAt - monotonicNow()) };
  }
}

/** True if no worker may push for this attempt anymore. */
export function isOver(turn: Turn | undefined, attempt: number): boolean {
  return turn === undefined || attemptOf(turn) !== attempt || !isCarried(turn) || turn.workerId === null;
}

const keyOf = (key: string, turnKey: string, attempt: number) =>
  ({ key, purpose: ['worker-token', turnKey, attempt] }) as const;
