import { planNotice } from '@mergexo/core/actions';
import { renderConflictNotice } from '@mergexo/core/outbox';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { isIgnored } from '../lifecycle/takeover.js';
import { askForUpdate } from '../threads/ask-for-update.js';
import type { Records, Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

type Tools = Records & { github: Pick<GitHub, 'fetchPull'> };

const MAX_LOOKS = 5;

/** Records the time of a merge, because open pull requests may now conflict with their base. Requires a transaction. */
export function noteBaseMoved({ state }: Pick<Tools, 'state'>, repoId: number, mergedAt: string): void {
  const known = state.readRepoWatch(repoId)?.baseMovedAt ?? null;
  // The feed may repeat earlier merges.
  if (known === null || mergedAt > known) state.saveRepoWatch(repoId, { baseMovedAt: mergedAt });
}

/** Checks each pull request for conflicts once per head and merge. Makes no requests before the first merge. */
export async function watchConflicts(tools: Tools, repo: Repo): Promise<void> {
  const { state, log } = tools;
  const base = state.readRepoWatch(repo.id)?.baseMovedAt ?? null;
  if (base === null) return;
  const pulls = state.listWatchedPulls(repo.id).filter((pull) => isListed(pull) && !isIgnored(pull));
  const due = pulls.filter((pull) => !wasCompared(state, pull, base));
  for (const pull of due.slice(0, MAX_LOOKS)) {
    await skipUnreadable(
      log,
      {
        message:
          'could not check a pull request for conflicts with its base; MergeXO retries in the next cycle',
        pr_number: pull.prNumber,
      },
      () => lookAt(tools, repo, { pull, base }),
    );
  }
}

function wasCompared(state: State, { repoId, prNumber, headSha }: Pull, base: string): boolean {
  const watch = state.readPullWatch(repoId, prNumber);
  return watch?.mergeableHeadSha === headSha && watch.mergeableBaseAt === base;
}

async function lookAt(
  tools: Tools,
  repo: Repo,
  { pull: seen, base }: { pull: Pull; base: string },
): Promise<void> {
  const { state, github, now } = tools;
  const { mergeable, headSha, status, baseRef } = await github.fetchPull(repo.config.fullName, seen.prNumber);
  // GitHub computes `mergeable` after the first request, so the next cycle asks again.
  if (status !== 'open' || mergeable === null || headSha !== seen.headSha) return;
  state.transaction(() => {
    state.savePullWatch(repo.id, seen.prNumber, { mergeableHeadSha: headSha, mergeableBaseAt: base });
    const pull = state.readPull(repo.id, seen.prNumber);
    if (mergeable || pull === undefined) return;
    const { repoId, runId, issueNumber, prNumber } = pull;
    const { autoUpdate } = repo.config;
    const text = renderConflictNotice({ baseBranch: baseRef, autoUpdate });
    const about = { repoId, runId, thread: prNumber, cause: [headSha] };
    const notice = planNotice({ ...about, kind: 'conflict_notice', payload: { text } });
    if (state.readAction(notice.id) !== undefined) return;
    state.recordActions([notice], now());
    const payload = { head: headSha, base: baseRef };
    recordEvents(tools, [{ type: 'base_conflict', repoId, runId, issueNumber, prNumber, payload }]);
    if (autoUpdate) askForUpdate(tools, pull, { headSha, baseRef });
  });
}
