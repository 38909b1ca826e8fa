import { type Brake, findBrake } from '@mergexo/core/ledger';
import { listWork, type Snapshot, type Work } from '@mergexo/state';
import type { IssueParams } from '../../parse-issue-params.js';
import { findRepository } from '../read-blocked.js';

/** Work that continues at a known time, which an operator can start earlier. */
export type Retry = Work & { brake: Scheduled; why: string; retryAt: number | null };
type Scheduled = Extract<Brake, 'backoff' | 'daily-limit'>;

/** Finds a retry by the number of the issue or of its pull request. */
export function findRetry(facts: Snapshot, { repo, number }: IssueParams, now: number): Retry | undefined {
  const { state } = facts;
  const repository = findRepository(facts, repo);
  if (repository === undefined) return undefined;
  const issue = state.readPull(repository.id, number)?.issueNumber ?? number;
  const page = { order: 'updated', descending: true, limit: 1, offset: 0 } as const;
  const [work] = listWork(facts, { isLive: true, repoId: repository.id, issue }, page);
  return work && readRetry(facts, work, now);
}

export function readRetry({ state }: Snapshot, work: Work, now: number): Retry | undefined {
  const turn = work.turnKey === null ? undefined : state.readTurn(work.turnKey);
  const held = work.pr === null ? undefined : state.readPull(work.repoId, work.pr);
  const brake = findBrake({ status: held?.status ?? work.status, blockedKind: work.hold, turn, now });
  if (brake !== 'backoff' && brake !== 'daily-limit') return undefined;
  const why = (brake === 'backoff' ? turn?.reason : work.reason) ?? 'no reason was recorded';
  return { ...work, brake, why, retryAt: turn?.notBefore ?? null };
}
