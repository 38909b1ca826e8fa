import { planNotice } from '@mergexo/core/actions';
import { Failure, type Log } from '@mergexo/core/basics';
import { buildBranchName } from '@mergexo/core/flows';
import {
  decidePromotion,
  explainUnfitIssue,
  isLiveRun,
  type PromotionFacts,
  readLabelPriority,
} from '@mergexo/core/runs';
import { buildSlug, quoteName } from '@mergexo/core/text';
import type { GitHub, Issue, PullDetails, PullFile } from '@mergexo/github';
import type { Run, State } from '@mergexo/state';
import { recordEvents } from '../lifecycle/record-events.js';
import { abandonStart, BY_HAND, endRun, findAbandonment } from '../lifecycle/run/abandon-start.js';
import { createRun } from '../lifecycle/run/run.js';
import { nextOrdinal } from '../lifecycle/run/take-in-issue.js';
import { updateRun } from '../lifecycle/update.js';
import { findIssue, isReadable } from '../threads/find-issue.js';
import type { Repo } from '../tools.js';
import { type DocumentRead, readDocument } from './read-document.js';

export type PromoteTools = {
  state: State;
  github: Pick<GitHub, 'fetchPull' | 'fetchPullFiles' | 'fetchFileAt' | 'fetchIssue' | 'fetchRepository'>;
  now: () => number;
  log: Log;
};

/** Of a pull request that brings more documents than that, the rest is somebody's import of old ones. */
const MAX_DOCUMENTS = 20;

/** A merged design document becomes an implementation that is ready; who merged it, and whose it was, does not matter. */
export async function promoteMerged(tools: PromoteTools, repo: Repo): Promise<void> {
  const { state, log } = tools;
  for (const task of state.listPendingTasks(repo.id, 'promote_merged')) {
    const { number: prNumber } = task;
    const forget = (): void => state.transaction(() => state.deleteTask(task));
    try {
      if (await promoteDocuments(tools, repo, prNumber)) forget();
    } catch (error) {
      if (!(error instanceof Failure) || error.kind === 'rate-limited') throw error;
      // What is gone for good would be asked for in every cycle; a whole repository may be away for a while.
      if (error.kind === 'not-found' && (await isReadable(tools.github, repo))) forget();
      log.warn({ pr_number: prNumber, err: error }, 'a merged document could not be read');
    }
  }
}

/** False when GitHub does not show the merge yet that it told us of. */
async function promoteDocuments(tools: PromoteTools, repo: Repo, prNumber: number): Promise<boolean> {
  const { state, github } = tools;
  const { fullName, defaultBranch } = repo.config;
  const known = state.readPull(repo.id, prNumber);
  const parent = known && state.readRun(known.runId);
  if (parent !== undefined && parent.flow !== 'design_doc') return true;
  const pull = await github.fetchPull(fullName, prNumber);
  if (pull.status !== 'merged') return false;
  if (pull.baseRef !== defaultBranch) return true;
  const mergeSha = pull.mergeCommitSha ?? pull.headSha;
  const documents = await listDocuments(tools, repo, pull, parent);
  if (documents.length === 0 && parent !== undefined)
    state.transaction(() => reportMissing(tools, parent, prNumber));
  for (const { path, status, previousPath } of documents) {
    // As it is now: it may have been implemented since, where the records of that are lost. Right after the merge the
    // branch may still be shown as it was.
    const now = await readDocument(github, fullName, { path, sha: defaultBranch });
    const document =
      now.kind === 'absent' ? await readDocument(github, fullName, { path, sha: mergeSha }) : now;
    const earlier = status === 'renamed' ? previousPath : null;
    await promote(tools, repo, { path, previousPath: earlier, document, mergeSha, parent, prNumber });
  }
  return true;
}

/** Our own design was merged without its document: nothing else would tell people why no implementation starts. */
function reportMissing(tools: PromoteTools, parent: Run, prNumber: number): void {
  const { state, now } = tools;
  const { repoId, id: runId, issueNumber, designDocPath } = parent;
  const path = designDocPath ?? '';
  const words = [
    `**This design was merged without its document, so no implementation starts.** MergeXO expected it at ${quoteName(path)}.`,
    `To start the implementation, merge a pull request that adds the document there, with \`issue: ${issueNumber}\` in its frontmatter.`,
  ].join('\n\n');
  const notice = { kind: 'document_notice' as const, repoId, runId, thread: prNumber, cause: ['missing'] };
  state.recordActions([planNotice({ ...notice, words })], now());
  const payload = { path, reason: 'the pull request was merged without a design document' };
  recordEvents(tools, [{ type: 'promotion_skipped', repoId, runId, issueNumber, prNumber, payload }]);
}

async function listDocuments(
  { github }: PromoteTools,
  repo: Repo,
  pull: PullDetails,
  parent: Run | undefined,
): Promise<PullFile[]> {
  const { fullName, designDocsDir } = repo.config;
  const { files } = await github.fetchPullFiles(fullName, pull.number);
  const documents = files
    .filter(
      ({ status, path }) =>
        status !== 'removed' && path.startsWith(`${designDocsDir}/`) && path.endsWith('.md'),
    )
    .slice(0, MAX_DOCUMENTS);
  // Our own design brings one document; people may have given it another name in its review.
  const own = documents.filter(({ path }) => path === parent?.designDocPath);
  return own.length > 0 ? own : documents;
}

type Merged = {
  path: string;
  /** Where it was renamed. */
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
  if (promotion.kind === 'implemented') state.transaction(() => endHeld(tools, repo, path, promotion.reason));
  if (promotion.kind !== 'promote') return skip(promotion.reason, parent?.issueNumber ?? null);
  const { issueNumber, facts } = promotion;
  const issue = await findIssue(tools.github, repo, issueNumber);
  if (issue === undefined) return skip(`there is no issue #${issueNumber}`, null);
  const { allowedUsers, labels } = repo.config;
  // Whoever labelled the issue of our own design has vouched for it; a later closing still counts.
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

/** Undefined, or why there is no run of it. What was asked for while its issue rests begins when that goes on. */
function createImplementation(
  tools: PromoteTools,
  repo: Repo,
  merged: Merged & { issue: Issue; facts: PromotionFacts | null },
): string | undefined {
  const { state } = tools;
  const { path, previousPath, mergeSha, parent, prNumber, issue } = merged;
  const runs = state.listRunsOfIssue(repo.id, issue.number);
  // After a loss of the records a run is known by its document alone, or by nothing but its flow.
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
  const branch = buildBranchName({ flow, issueNumber: issue.number, slug: buildSlug(issue.title), ordinal });
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

/** What the document says now; where it says nothing usable, what its design knew. */
function describeDesign(
  run: Run,
  { path, mergeSha, parent, issue, facts }: Merged & { issue: Issue; facts: PromotionFacts | null },
): Partial<Omit<Run, 'id' | 'status' | 'blockedKind' | 'error'>> {
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

/** Somebody implemented it by hand while it was held back, or waited for an answer. */
function endHeld(tools: PromoteTools, repo: Repo, path: string, reason: string): void {
  const held = tools.state
    .listRuns(repo.id, ['ready', 'awaiting_issue_followup', 'blocked'])
    .filter(
      ({ flow, designDocPath, prNumber }) =>
        flow === 'implementation' && designDocPath === path && prNumber === null,
    );
  for (const run of held) endRun(tools, run, { reason, kind: BY_HAND, said: false });
}
