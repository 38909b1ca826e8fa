import {
  buildBranchName,
  buildSlug,
  decidePromotion,
  explainUnfitIssue,
  Failure,
  isLiveRun,
  type Log,
  type PromotionFacts,
  readLabelPriority,
} from '@mergexo/core';
import type { GitHub, Issue, PullDetails } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { nextOrdinal } from '../intake/take-in-issue.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { type DocumentRead, readDocument } from './read-document.js';

export type PromoteTools = {
  state: State;
  github: Pick<GitHub, 'fetchPull' | 'fetchPullFiles' | 'fetchFileAt' | 'fetchIssue'>;
  now: () => number;
  log: Log;
};

const MERGED = 'merged/';
/** Of a pull request that brings more documents than that, the rest is somebody's import of old ones. */
const MAX_DOCUMENTS = 20;

/** Remembered with the news of the merge, so that no crash forgets it. Inside a transaction. */
export function markMerged(
  { state, now }: Pick<PromoteTools, 'state' | 'now'>,
  repoId: number,
  prNumber: number,
): void {
  state.saveCursor(repoId, `${MERGED}${prNumber}`, { cursor: null, etag: null }, now());
}

/** A merged design document becomes an implementation that is ready; who merged it, and whose it was, does not matter. */
export async function promoteMerged(tools: PromoteTools, repo: Repo): Promise<void> {
  const { state, log } = tools;
  for (const mark of state.listCursorNames(repo.id, MERGED)) {
    const prNumber = Number(mark.slice(MERGED.length));
    try {
      await promoteDocuments(tools, repo, prNumber);
      state.transaction(() => state.deleteCursor(repo.id, mark));
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
      // What is gone for good would be asked for in every cycle.
      if (error.kind === 'not-found') state.transaction(() => state.deleteCursor(repo.id, mark));
      log.warn({ pr_number: prNumber, err: error }, 'a merged document could not be read');
    }
  }
}

async function promoteDocuments(tools: PromoteTools, repo: Repo, prNumber: number): Promise<void> {
  const { state, github } = tools;
  const { fullName, defaultBranch } = repo.config;
  const known = state.readPull(repo.id, prNumber);
  const parent = known && state.readRun(known.runId);
  if (parent !== undefined && parent.flow !== 'design_doc') return;
  const pull = await github.fetchPull(fullName, prNumber);
  if (pull.status !== 'merged' || pull.baseRef !== defaultBranch) return;
  const mergeSha = pull.mergeCommitSha ?? pull.headSha;
  for (const path of await listDocuments(tools, repo, pull, parent)) {
    // As it is now: it may have been implemented since, where the records of that are lost.
    const document = await readDocument(github, fullName, { path, sha: defaultBranch });
    await promote(tools, repo, { path, document, mergeSha, parent, prNumber });
  }
}

async function listDocuments(
  { github }: PromoteTools,
  repo: Repo,
  pull: PullDetails,
  parent: Run | undefined,
): Promise<string[]> {
  if (parent !== undefined) return parent.designDocPath === null ? [] : [parent.designDocPath];
  const { fullName, designDocsDir } = repo.config;
  const { files } = await github.fetchPullFiles(fullName, pull.number);
  return files
    .filter(
      ({ status, path }) =>
        status !== 'removed' && path.startsWith(`${designDocsDir}/`) && path.endsWith('.md'),
    )
    .map(({ path }) => path)
    .slice(0, MAX_DOCUMENTS);
}

type Merged = {
  path: string;
  document: DocumentRead;
  mergeSha: string;
  parent: Run | undefined;
  prNumber: number;
};

async function promote(tools: PromoteTools, repo: Repo, merged: Merged): Promise<void> {
  const { state } = tools;
  const { path, document, parent, prNumber } = merged;
  const skip = (reason: string, issueNumber: number | null): void =>
    state.transaction(() =>
      recordEvents(tools, [
        { type: 'promotion_skipped', repoId: repo.id, issueNumber, prNumber, payload: { path, reason } },
      ]),
    );
  if (document.kind === 'unreadable') return skip(document.reason, parent?.issueNumber ?? null);
  if (document.kind === 'absent')
    return skip('the document is not in the default branch', parent?.issueNumber ?? null);
  const promotion = decidePromotion(document.text, parent?.issueNumber ?? null);
  if (promotion.kind === 'skip') return skip(promotion.reason, parent?.issueNumber ?? null);
  const { issueNumber, facts } = promotion;
  const issue = await findIssue(tools, repo, issueNumber);
  if (issue === undefined) return skip(`there is no issue #${issueNumber}`, null);
  const { allowedUsers, labels } = repo.config;
  // Whoever labelled the issue of our own design has vouched for it; a later closing still counts.
  const unfit = explainUnfitIssue(issue, { allowedUsers, ignoreLabel: labels.ignore });
  if (unfit !== undefined && !(parent !== undefined && issue.open)) return skip(unfit, issueNumber);
  state.transaction(() => createImplementation(tools, repo, { ...merged, issue, facts }));
}

async function findIssue({ github }: PromoteTools, repo: Repo, number: number): Promise<Issue | undefined> {
  try {
    return await github.fetchIssue(repo.config.fullName, number);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function createImplementation(
  tools: PromoteTools,
  repo: Repo,
  merged: Merged & { issue: Issue; facts: PromotionFacts | null },
): void {
  const { state, now } = tools;
  const { path, mergeSha, parent, issue, facts } = merged;
  const runs = state.listRunsOfIssue(repo.id, issue.number);
  // After a loss of the records a run is known by its document alone.
  const isDone = (run: Run): boolean => run.designMergeSha === null || run.designMergeSha === mergeSha;
  const earlier = runs.filter((run) => run.flow === 'implementation' && run.designDocPath === path);
  if (earlier.some((run) => isLiveRun(run) || isDone(run))) return;
  const flow = 'implementation' as const;
  const ordinal = nextOrdinal(runs, flow);
  const branch = buildBranchName({ flow, issueNumber: issue.number, slug: buildSlug(issue.title), ordinal });
  const about = { repoId: repo.id, issueNumber: issue.number, flow, ordinal, issueTitle: issue.title };
  const run = state.recordRun({ ...about, branch, designDocPath: path }, now());
  if (run === undefined) return;
  state.saveRun(
    {
      ...run,
      priority: facts?.priority ?? parent?.priority ?? run.priority,
      estimatedSize: facts?.estimatedSize ?? parent?.estimatedSize ?? null,
      conflictHintPaths: facts?.touchPaths ?? parent?.conflictHintPaths ?? [],
      dependsOn: facts?.dependsOn ?? parent?.dependsOn ?? [],
      parentRunId: parent?.id ?? null,
      designMergeSha: mergeSha,
      labelPriority: readLabelPriority(issue.labels),
    },
    now(),
  );
  const payload = { path, branch, merged_as: mergeSha };
  recordEvents(tools, [
    { type: 'implementation_ready', repoId: repo.id, runId: run.id, issueNumber: issue.number, payload },
  ]);
}
