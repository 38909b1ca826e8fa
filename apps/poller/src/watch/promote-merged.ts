import { Failure } from '@mergexo/core/basics';
import { buildBranchName } from '@mergexo/core/flows';
import {
  decidePromotion,
  explainUnfitIssue,
  isLiveRun,
  type PromotionFacts,
  readLabelPriority,
} from '@mergexo/core/runs';
import { buildSlug, quoteName } from '@mergexo/core/text';
import type { GitHub, Issue, PullFile } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { recordNotice } from '../lifecycle/action.js';
import { recordEvents } from '../lifecycle/record-events.js';
import { abandonStart, endRun, findAbandonment } from '../lifecycle/run/abandon-start.js';
import { nextOrdinal } from '../lifecycle/run/record-issue.js';
import { createRun } from '../lifecycle/run/run.js';
import { updateRun } from '../lifecycle/update.js';
import { findIssue, isReadable } from '../threads/find-issue.js';
import type { Records, Repo } from '../tools.js';
import { type DocumentRead, listDocuments, readDocument } from './read-document.js';

export type PromoteTools = Records & {
  github: Pick<
    GitHub,
    'fetchPull' | 'fetchMergeCommit' | 'fetchPullFiles' | 'fetchFileAt' | 'fetchIssue' | 'fetchRepository'
  >;
};

/** Maximum number of documents per pull request. A larger number is probably an import of old documents. */
const MAX_DOCUMENTS = 20;

/** Creates a ready implementation for each merged design document, no matter who wrote or merged it. */
export async function promoteMerged(tools: PromoteTools, repo: Repo): Promise<void> {
  const { state, log } = tools;
  for (const task of state.listPendingTasks(repo.id, 'promote_merged')) {
    const { number: prNumber } = task;
    // Marks the task as done instead of deleting it, because the feed may repeat the merge.
    const forget = (): void => state.transaction(() => state.markTaskDone(task, tools.now()));
    try {
      if (await promoteDocuments(tools, repo, prNumber)) forget();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
      // A deleted pull request would fail in every cycle, while a loss of access may be temporary.
      if (error.kind === 'not-found' && (await isReadable(tools.github, repo))) forget();
      log.warn(
        { pr_number: prNumber, err: error },
        'could not read the design documents of a merged pull request; MergeXO retries unless it was deleted',
      );
    }
  }
}

/** Promotes the documents of a merged pull request. Returns false if GitHub does not report the merge yet. */
async function promoteDocuments(tools: PromoteTools, repo: Repo, prNumber: number): Promise<boolean> {
  const { state, github } = tools;
  const { fullName, defaultBranch } = repo.config;
  const known = state.readPull(repo.id, prNumber);
  const parent = known && state.readRun(known.runId);
  if (parent !== undefined && parent.flow !== 'design_doc') return true;
  const pull = await github.fetchPull(fullName, prNumber);
  if (pull.status !== 'merged') return false;
  if (pull.baseRef !== defaultBranch) return true;
  const mergeSha = (await github.fetchMergeCommit(fullName, pull)) ?? pull.headSha;
  const changed = (await listDocuments(github, repo, prNumber)).slice(0, MAX_DOCUMENTS);
  const documents = chooseDocuments(changed, parent);
  if (documents.length === 0 && parent !== undefined)
    state.transaction(() => reportMissing(tools, parent, prNumber));
  for (const { path, status, previousPath } of documents) {
    // Reads the current version, because it contains a mark if the design was implemented before a database loss. Right
    // after the merge, GitHub may still return the old branch, so the merge commit is the fallback.
    const now = await readDocument(github, fullName, { path, sha: defaultBranch });
    const document =
      now.kind === 'absent' ? await readDocument(github, fullName, { path, sha: mergeSha }) : now;
    const earlier = status === 'renamed' ? previousPath : null;
    await promote(tools, repo, { path, previousPath: earlier, document, mergeSha, parent, prNumber });
  }
  return true;
}

/** Reports that no implementation starts, because our own design was merged without its document. */
function reportMissing(tools: PromoteTools, parent: Run, prNumber: number): void {
  const { repoId, id: runId, issueNumber, designDocPath } = parent;
  const path = designDocPath ?? '';
  const text = [
    `**This design was merged without its document, so no implementation starts.** MergeXO expected it at ${quoteName(path)}.`,
    `To start the implementation, merge a pull request that adds the document there, with \`issue: ${issueNumber}\` in its frontmatter.`,
  ].join('\n\n');
  const notice = { kind: 'document_notice' as const, repoId, runId, thread: prNumber, cause: ['missing'] };
  recordNotice(tools, { ...notice, payload: { text } });
  const payload = { path, reason: 'the pull request was merged without a design document' };
  recordEvents(tools, [{ type: 'promotion_skipped', repoId, runId, issueNumber, prNumber, payload }]);
}

/** Chooses our own design's document, or all documents if none has its path, because it may be renamed. */
function chooseDocuments(documents: readonly PullFile[], parent: Run | undefined): readonly PullFile[] {
  const own = documents.filter(({ path }) => path === parent?.designDocPath);
  return own.length > 0 ? own : documents;
}

type Merged = {
  path: string;
  /** The earlier path, if the pull request renamed the document; otherwise null. */
  previousPath: string | null;
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
  if (promotion.kind === 'implemented')
    state.transaction(() => endHeld(tools, repo, { path, reason: promotion.reason }));
  if (promotion.kind !== 'promote') return skip(promotion.reason, parent?.issueNumber ?? null);
  const { issueNumber, facts } = promotion;
  const issue = await findIssue(tools.github, repo, issueNumber);
  if (issue === undefined) return skip(`there is no issue #${issueNumber}`, null);
  const { allowedUsers, labels } = repo.config;
  // The issue of our own design is already approved. `createImplementation` checks whether it is closed.
  const unfit = explainUnfitIssue(
    { ...issue, open: true, labels: [] },
    { allowedUsers, ignoreLabel: labels.ignore },
  );
  if (unfit !== undefined && parent === undefined) return skip(unfit, issueNumber);
  state.transaction(() => {
    const obstacle = createImplementation(tools, repo, { ...merged, issue, facts });
    if (obstacle !== undefined) skip(obstacle, issueNumber);
  });
}

/**
 * Creates a run, or returns the reason for not creating it. If the issue is paused or closed, the run starts when work
 * resumes.
 */
function createImplementation(
  tools: PromoteTools,
  repo: Repo,
  merged: Merged & { issue: Issue; facts: PromotionFacts | null },
): string | undefined {
  const { state } = tools;
  const { path, previousPath, mergeSha, parent, prNumber, issue } = merged;
  const runs = state.listRunsOfIssue(repo.id, issue.number);
  // After a database loss, the document path of a run may be unknown.
  const earlier = runs.filter(
    ({ flow, designDocPath }) =>
      flow === 'implementation' && (designDocPath === null || [path, previousPath].includes(designDocPath)),
  );
  const live = earlier.find(isLiveRun);
  if (live !== undefined) {
    if (live.prNumber === null) updateRun(tools, live, describeDesign(live, merged));
    return undefined;
  }
  if (earlier.some((run) => run.designMergeSha === null || run.designMergeSha === mergeSha)) return undefined;
  const other = runs.find((run) => isLiveRun(run) && run.id !== parent?.id);
  if (other !== undefined) return `a ${other.flow} run of the issue is ${other.status}`;
  const flow = 'implementation' as const;
  const ordinal = nextOrdinal(runs, flow);
  const branch = buildBranchName({
    flow,
    issueNumber: issue.number,
    slug: buildSlug(tools.state.redact(issue.title)),
    ordinal,
  });
  const about = { repoId: repo.id, issueNumber: issue.number, flow, ordinal, issueTitle: issue.title };
  const run = createRun(tools, { ...about, branch, designDocPath: path });
  if (run === undefined) return undefined;
  updateRun(tools, run, { ...describeDesign(run, merged), parentRunId: parent?.id ?? null });
  const payload = { path, branch, merged_as: mergeSha };
  const of = { repoId: repo.id, runId: run.id, issueNumber: issue.number, prNumber };
  recordEvents(tools, [{ type: 'implementation_ready', ...of, payload }]);
  const abandonment = findAbandonment(issue, repo.config.labels.ignore);
  if (abandonment !== undefined) abandonStart(tools, state.readRun(run.id) ?? run, abandonment);
  return undefined;
}

/** Returns the facts in the document, with the facts of the design run as defaults. */
function describeDesign(
  run: Run,
  { path, mergeSha, parent, issue, facts }: Merged & { issue: Issue; facts: PromotionFacts | null },
): Parameters<typeof updateRun>[2] {
  return {
    designDocPath: path,
    priority: facts?.priority ?? parent?.priority ?? run.priority,
    estimatedSize: facts?.estimatedSize ?? parent?.estimatedSize ?? run.estimatedSize,
    conflictHintPaths: facts?.touchPaths ?? parent?.conflictHintPaths ?? run.conflictHintPaths ?? [],
    dependsOn: facts?.dependsOn ?? parent?.dependsOn ?? run.dependsOn ?? [],
    designMergeSha: mergeSha,
    labelPriority: readLabelPriority(issue.labels),
  };
}

/** Ends waiting implementations of a design that somebody implemented by hand. */
function endHeld(tools: PromoteTools, repo: Repo, { path, reason }: { path: string; reason: string }): void {
  const held = tools.state
    .listRuns(repo.id, ['ready', 'awaiting_issue_followup', 'blocked'])
    .filter(
      ({ flow, designDocPath, prNumber }) =>
        flow === 'implementation' && designDocPath === path && prNumber === null,
    );
  for (const run of held) endRun(tools, run, { end: 'implemented_by_hand', reason });
}
