import { findDrift } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { Pull } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { recordNotice } from '../lifecycle/action.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { updatePull } from '../lifecycle/update.js';
import type { Records, Repo } from '../tools.js';
import { isListed } from './watch-pulls.js';

type Tools = Records & { github: Pick<GitHub, 'fetchPullFiles'> };

const MAX_LISTS = 5;

/** Reports files outside the design in the pull request body, after each push to an implementation. */
export async function reportDrift(tools: Tools, repo: Repo): Promise<void> {
  const { state } = tools;
  const pulls = state
    .listWatchedPulls(repo.id)
    .filter((pull) => isListed(pull) && state.readRun(pull.runId)?.flow === 'implementation')
    .filter(({ changedFilesSha, headSha }) => changedFilesSha !== headSha);
  for (const pull of pulls.slice(0, MAX_LISTS)) {
    await skipUnreadable(
      tools.log,
      {
        message:
          'could not list the files of a pull request to compare with its design; MergeXO retries in the next cycle',
        pr_number: pull.prNumber,
      },
      () => lookAt(tools, repo, pull),
    );
  }
}

async function lookAt(tools: Tools, repo: Repo, { prNumber, headSha }: Pull): Promise<void> {
  const { state } = tools;
  const { files } = await tools.github.fetchPullFiles(repo.config.fullName, prNumber);
  const paths = files.map(({ path }) => path);
  state.transaction(() => {
    const pull = state.readPull(repo.id, prNumber);
    const run = pull && state.readRun(pull.runId);
    // If the head changed, the next cycle reads the list again.
    if (pull === undefined || run === undefined || pull.headSha !== headSha) return;
    const design = { touchPaths: run.conflictHintPaths ?? [], designDocPath: run.designDocPath };
    const before = findDrift(pull.changedFiles ?? [], design);
    const drift = findDrift(paths, design);
    updatePull(tools, pull, { changedFiles: paths, changedFilesSha: headSha });
    if (JSON.stringify(before) === JSON.stringify(drift)) return;
    const { repoId, runId, issueNumber } = pull;
    const about = { repoId, runId, thread: prNumber, cause: [headSha] };
    recordNotice(tools, { ...about, kind: 'update_body', payload: { drift } });
    const payload = { files: drift.length, first: drift[0] ?? null };
    recordEvents(tools, [{ type: 'drift_found', repoId, runId, issueNumber, prNumber, payload }]);
  });
}
