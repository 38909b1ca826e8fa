import type { Health } from '@mergexo/core/health';
import { NOTICE_TEXTS } from '@mergexo/core/ledger';
import { ALL } from '@mergexo/core/runs';
import { ATTENTION_STAGES, countWork, listAliveWorkers, type Snapshot } from '@mergexo/state';
import { nameOf } from './name-of.js';

export type PauseNote = {
  /** Null for every repository. */
  repo: string | null;
  /** Null for the whole repository. */
  issue: number | null;
  by: string;
  reason: string | null;
  since: number;
};

/** What every page shows around its content. */
export type Chrome = {
  now: number;
  /** Number of issues that wait for a person. */
  attention: number;
  running: number;
  pauses: readonly PauseNote[];
  /** Sentences about what stops MergeXO. */
  problems: readonly string[];
};

export function readChrome(facts: Snapshot, { now, health }: { now: number; health: Health }): Chrome {
  const counts = countWork(facts, { isLive: true });
  return {
    now,
    attention: ATTENTION_STAGES.reduce((total, stage) => total + (counts[stage] ?? 0), 0),
    running: counts.running ?? 0,
    pauses: readPauseNotes(facts),
    problems: [
      ...[...health.problems, ...health.warnings].map(({ message, fix }) => `${message}. ${fix}`),
      ...listBadConfigs(facts, now),
    ],
  };
}

/** The poller's own config file is part of its health. Workers on other hosts have their own file. */
function listBadConfigs({ state }: Snapshot, now: number): string[] {
  return listAliveWorkers(state, { carried: [], now })
    .filter(({ notices }) => notices.includes('config-not-loaded'))
    .map(({ id }) => `Worker ${id}: ${NOTICE_TEXTS['config-not-loaded']}.`);
}

/** Lists operators' pauses, widest first. */
export function readPauseNotes({ state }: Snapshot): PauseNote[] {
  const names = new Map(state.listRepositories().map((repository) => [repository.id, nameOf(repository)]));
  return state
    .listPauses()
    .toSorted((one, other) => one.repoId - other.repoId || one.issueNumber - other.issueNumber)
    .map(({ repoId, issueNumber, by, reason, since }) => ({
      repo: repoId === ALL ? null : (names.get(repoId) ?? `repository ${repoId}`),
      issue: issueNumber === ALL ? null : issueNumber,
      by,
      reason,
      since,
    }));
}
