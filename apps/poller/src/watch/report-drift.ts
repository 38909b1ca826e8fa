import { planNotice } from '@mergexo/core/actions';
import type { Log } from '@mergexo/core/basics';
import { findDrift } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { Pull, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { updatePull } from '../lifecycle/update.js';
import type { Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

type Tools = {
  state: State;
  github: Pick<GitHub, 'fetchPullFiles'>;
  now: () => number;
  log: Log;
};

const MAX_LISTS = 5;

/** After each push of an implementation: the files that its design did not name stand in the pull request, in one place. */
export async function reportDrift(tools: Tools, repo: Repo): Promise<void> {
  const { state } = tools;
  const pulls = state
    .listWatchedPulls(repo.id)
    .filter((pull) => isListed(pull) && state.readRun(pull.runId)?.flow === 'implementation')
    .filter(({ changedFilesSha, headSha }) => changedFilesSha !== headSha);
  for (const pull of pulls.slice(0, MAX_LISTS)) {
    await skipUnreadable(
      tools.log,
      { message: 'the files of a pull request could not be read', pr_number: pull.prNumber },
      () => lookAt(tools, repo, pull),
    );
  }
}

async function lookAt(tools: Tools, repo: Repo, { prNumber, headSha }: Pull): Promise<void> {
  const { state, now } = tools;
  const { files } = await tools.github.fetchPullFiles(repo.config.fullName, prNumber);
  const paths = files.map(({ path }) => path);
  state.transaction(() => {
    const pull = state.readPull(repo.id, prNumber);
    const run = pull && state.readRun(pull.runId);
    // The list may be of a later head than the one that we knew; then it is read again.
    if (pull === undefined || run === undefined || pull.headSha !== headSha) return;
    const design = { touchPaths: run.conflictHintPaths ?? [], designDocPath: run.designDocPath };
    const before = findDrift(pull.changedFiles ?? [], design);
    const drift = findDrift(paths, design);
    updatePull(tools, pull, { changedFiles: paths, changedFilesSha: headSha });
    if (JSON.stringify(before) === JSON.stringify(drift)) return;
    const { repoId, runId, issueNumber } = pull;
    const words = JSON.stringify(drift);
    const notice = planNotice({
      kind: 'update_body',
      repoId,
      runId,
      thread: prNumber,
      cause: [headSha],
      words,
    });
    state.recordActions([notice], now());
    const payload = { files: drift.length, first: drift[0] ?? null };
    recordEvents(tools, [{ type: 'drift_found', repoId, runId, issueNumber, prNumber, payload }]);
  });
}
