import { planNotice } from '@mergexo/core/actions';
import type { Log } from '@mergexo/core/basics';
import { renderConflictNotice } from '@mergexo/core/outbox';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { askForUpdate } from '../threads/ask-for-update.js';
import type { Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

type Tools = { state: State; github: Pick<GitHub, 'fetchPull'>; now: () => number; log: Log };

const MAX_LOOKS = 5;

/** Something was merged: whoever is open may not fit any more. Inside a transaction. */
export function noteBaseMoved({ state }: Pick<Tools, 'state'>, repoId: number, mergedAt: string): void {
  const known = state.readRepoWatch(repoId)?.baseMovedAt ?? null;
  // The feed also brings earlier merges once more.
  if (known === null || mergedAt > known) state.saveRepoWatch(repoId, { baseMovedAt: mergedAt });
}

/** Looks once per head and merge whether each pull request still fits its base; costs nothing while nothing is merged. */
export async function watchConflicts(tools: Tools, repo: Repo): Promise<void> {
  const { state, log } = tools;
  const base = state.readRepoWatch(repo.id)?.baseMovedAt ?? null;
  if (base === null) return;
  const pulls = state.listWatchedPulls(repo.id).filter((pull) => isListed(pull) && !isIgnored(pull));
  const due = pulls.filter((pull) => !wasCompared(state, pull, base));
  for (const pull of due.slice(0, MAX_LOOKS)) {
    await skipUnreadable(
      log,
      { message: 'a pull request could not be compared with its base', pr_number: pull.prNumber },
      () => lookAt(tools, repo, pull, base),
    );
  }
}

function wasCompared(state: State, { repoId, prNumber, headSha }: Pull, base: string): boolean {
  const watch = state.readPullWatch(repoId, prNumber);
  return watch?.mergeableHeadSha === headSha && watch.mergeableBaseAt === base;
}

async function lookAt(tools: Tools, repo: Repo, seen: Pull, base: string): Promise<void> {
  const { state, github, now } = tools;
  const { mergeable, headSha, status, baseRef } = await github.fetchPull(repo.config.fullName, seen.prNumber);
  // GitHub computes it when it is first asked; an answer comes with one of the next looks.
  if (status !== 'open' || mergeable === null || headSha !== seen.headSha) return;
  state.transaction(() => {
    state.savePullWatch(repo.id, seen.prNumber, { mergeableHeadSha: headSha, mergeableBaseAt: base });
    const pull = state.readPull(repo.id, seen.prNumber);
    if (mergeable || pull === undefined) return;
    const { repoId, runId, issueNumber, prNumber } = pull;
    const { autoUpdate } = repo.config;
    const words = renderConflictNotice({ baseBranch: baseRef, autoUpdate });
    const notice = planNotice({
      kind: 'conflict_notice',
      repoId,
      runId,
      thread: prNumber,
      cause: [headSha],
      words,
    });
    if (state.readAction(notice.id) !== undefined) return;
    state.recordActions([notice], now());
    recordEvents(tools, [
      {
        type: 'base_conflict',
        repoId,
        runId,
        issueNumber,
        prNumber,
        payload: { head: headSha, base: baseRef },
      },
    ]);
    if (autoUpdate) askForUpdate(tools, pull, { headSha, baseRef });
  });
}
