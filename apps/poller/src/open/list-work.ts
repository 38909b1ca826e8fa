import { isWithin, type Log } from '@mergexo/core/basics';
import type { ActiveWork, SettledWork } from '@mergexo/core/scheduler';
import type { GitHub } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { skipUnreadable } from '../attempt.js';
import { BY_HAND } from '../lifecycle/run/abandon-start.js';
import { updatePull } from '../lifecycle/update.js';
import { findIssue } from '../threads/find-issue.js';
import type { Records, Repo } from '../tools.js';

export type WorkTools = {
  state: State;
  github: Pick<GitHub, 'fetchPullFiles' | 'fetchIssue'>;
  now: () => number;
  log: Log;
};

/** Lists of changed files are read when a head is new; the rest waits for the next cycle. */
const MAX_LISTS = 10;
const ASK_AGAIN_MS = 10 * 60_000;

/** The files of open pull requests, and what running work says that it will touch. */
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
      // Of implementations they are saved with the look for drift.
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

/** Undefined where GitHub does not tell: then what was known or said before has to do. */
async function listFiles(
  { github, log }: WorkTools,
  repo: Repo,
  prNumber: number,
): Promise<string[] | undefined> {
  const about = { message: 'the files of a pull request could not be listed', pr_number: prNumber };
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

/** What is merged; and issues that we never worked on count once they are closed. */
export async function listSettled(
  tools: WorkTools,
  repo: Repo,
  candidates: readonly Run[],
): Promise<SettledWork[]> {
  const { state } = tools;
  const merged = state
    .listRuns(repo.id, ['merged', 'closed'])
    .filter(({ flow, status, blockedKind }) =>
      status === 'merged' ? flow !== 'design_doc' : blockedKind === BY_HAND,
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
    // An open one is asked for again now and then; a closed one stays settled.
    if (settledAt === null && !isWithin(ASK_AGAIN_MS, checkedAt, tools.now()) && asks < MAX_LISTS) {
      asks += 1;
      const about = { message: 'an issue that others depend on could not be read', issue_number: number };
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
