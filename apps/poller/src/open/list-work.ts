import { isWithin } from '@mergexo/core/basics';
import { RUN_END_TRAITS } from '@mergexo/core/runs';
import type { ActiveWork, SettledWork } from '@mergexo/core/scheduler';
import type { GitHub } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { updatePull } from '../lifecycle/update.js';
import { findIssue } from '../threads/find-issue.js';
import type { Records, Repo } from '../tools.js';

export type WorkTools = Records & { github: Pick<GitHub, 'fetchPullFiles' | 'fetchIssue'> };

/** Maximum number of requests per cycle for the files of new heads, and for issues that other issues depend on. */
const MAX_LISTS = 10;
const ASK_AGAIN_MS = 10 * 60_000;

/** Returns the files of open pull requests, and the paths that running work expects to change. */
export async function listActive(tools: WorkTools, repo: Repo): Promise<ActiveWork[]> {
  const { state } = tools;
  let lists = 0;
  const pulls: ActiveWork[] = [];
  for (const pull of state.listWatchedPulls(repo.id)) {
    const { issueNumber, prNumber } = pull;
    let paths = pull.changedFiles;
    if (pull.changedFilesSha !== pull.headSha && lists < MAX_LISTS) {
      lists += 1;
      const listed = await listFiles(tools, repo, prNumber);
      paths = listed ?? paths;
      // The files of implementations are not saved here, because `reportDrift` saves them.
      if (listed !== undefined && state.readRun(pull.runId)?.flow !== 'implementation')
        saveFiles(tools, { repoId: repo.id, prNumber, headSha: pull.headSha, paths: listed });
    }
    pulls.push({ issueNumber, prNumber, paths: paths ?? state.readRun(pull.runId)?.conflictHintPaths ?? [] });
  }
  const running = state
    .listRuns(repo.id, ['running', 'awaiting_issue_followup'])
    .filter(({ prNumber }) => prNumber === null)
    .map(({ issueNumber, conflictHintPaths }) => ({
      issueNumber,
      prNumber: null,
      paths: conflictHintPaths ?? [],
    }));
  return [...pulls, ...running];
}

/** Lists the files of a pull request. Returns undefined if GitHub cannot list them. */
async function listFiles(
  { github, log }: WorkTools,
  repo: Repo,
  prNumber: number,
): Promise<string[] | undefined> {
  const about = {
    message: 'could not list the files of a pull request; the scheduler uses the last known ones',
    pr_number: prNumber,
  };
  const listed = await skipUnreadable(log, about, () =>
    github.fetchPullFiles(repo.config.fullName, prNumber),
  );
  return listed?.files.map(({ path }) => path);
}

function saveFiles(
  tools: Pick<Records, 'state' | 'now'>,
  seen: { repoId: number; prNumber: number; headSha: string | null; paths: readonly string[] },
): void {
  const { state } = tools;
  state.transaction(() => {
    const pull = state.readPull(seen.repoId, seen.prNumber);
    if (pull === undefined) return;
    updatePull(tools, pull, { changedFiles: seen.paths, changedFilesSha: seen.headSha });
  });
}

/** Returns merged or otherwise finished work, and closed issues that MergeXO never worked on. */
export async function listSettled(
  tools: WorkTools,
  repo: Repo,
  candidates: readonly Run[],
): Promise<SettledWork[]> {
  const { state } = tools;
  const merged = state
    .listRuns(repo.id, ['merged', 'closed'])
    .filter(({ flow, status, endedKind }) =>
      status === 'merged'
        ? flow !== 'design_doc'
        : endedKind !== null && RUN_END_TRAITS[endedKind].countsAsDone,
    )
    .map(({ issueNumber, designDocPath, updatedAt }) => ({
      issueNumber,
      documentPath: designDocPath,
      settledAtMs: updatedAt,
    }));
  const known = new Set(merged.map(({ issueNumber }) => issueNumber));
  const asked = new Set(
    candidates.flatMap(({ dependsOn }) => dependsOn ?? []).filter((one) => typeof one === 'number'),
  );
  const foreign = [...asked].filter((number) => !known.has(number) && !state.hasLiveRun(repo.id, number));
  let asks = 0;
  for (const number of foreign) {
    const watch = state.readIssueWatch(repo.id, number);
    const checkedAt = watch?.dependencyCheckedAt ?? 0;
    let settledAt = watch?.dependencyState === 'closed' ? checkedAt : null;
    // Checks only open issues again, because a closed issue stays settled.
    if (settledAt === null && !isWithin(ASK_AGAIN_MS, checkedAt, tools.now()) && asks < MAX_LISTS) {
      asks += 1;
      const about = {
        message: 'could not read an issue that others depend on; MergeXO treats it as open and retries',
        issue_number: number,
      };
      const issue = await skipUnreadable(tools.log, about, () => findIssue(tools.github, repo, number));
      const isClosed = issue !== undefined && !issue.open;
      if (isClosed) settledAt = tools.now();
      const dependencyState = isClosed ? 'closed' : 'open';
      state.transaction(() =>
        state.saveIssueWatch(repo.id, number, { dependencyState, dependencyCheckedAt: tools.now() }),
      );
    }
    if (settledAt !== null) merged.push({ issueNumber: number, documentPath: null, settledAtMs: settledAt });
  }
  return merged;
}
