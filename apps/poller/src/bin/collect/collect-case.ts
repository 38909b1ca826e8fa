import type { RepoConfig } from '@mergexo/config';
import type { Log } from '@mergexo/core/basics';
import { type CheckRun, chooseFailures, describeChecks } from '@mergexo/core/ci';
import { type EvalCase, findClosedIssue } from '@mergexo/core/eval';
import type { Remark } from '@mergexo/core/feedback';
import { buildBranchName, listFlowLabels } from '@mergexo/core/flows';
import { findDistrust } from '@mergexo/core/runs';
import { buildSlug, hasLabel } from '@mergexo/core/text';
import {
  buildFeedbackContext,
  type FeedbackContext,
  type Links,
  type ReviewContext,
  type StartContext,
  toRole,
} from '@mergexo/core/turns';
import type { GitHub, Issue, IssueComment, PullDetails, ReviewComment } from '@mergexo/github';
import { describeIssue } from '../../threads/describe-issue.js';
import { fetchLinked } from '../../threads/fetch-linked.js';
import { toLineRemark } from '../../threads/to-remark.js';
import { type DetailTools, readDetails, toFailureRemark } from '../../watch/raise-failures.js';
import { toCheckRun } from '../../watch/watch-checks.js';
import { readThen } from './read-then.js';

export type CollectTools = {
  github: Pick<
    GitHub,
    | 'fetchThread'
    | 'fetchMergeCommit'
    | 'fetchReviewComments'
    | 'fetchActionsRunsOf'
    | 'refreshIssue'
    | 'fetchTextHistory'
  > &
    DetailTools['github'];
  repo: RepoConfig;
  log: Log;
};

/** A case without the files that people uploaded. */
export type CaseTexts = Omit<EvalCase, 'uploads' | 'files'>;

/** `skipped`: MergeXO could not have opened a turn for this pull request, or it was not merged. */
export type Collected = { kind: 'case'; texts: CaseTexts } | { kind: 'skipped'; reason: string };

/** Collects a merged pull request with the texts as they were when it was opened. Sends only read requests. */
export async function collectCase(tools: CollectTools, prNumber: number): Promise<Collected> {
  const { github, repo } = tools;
  const { fullName } = repo;
  const { pull, comments } = await github.fetchReviewComments(fullName, prNumber);
  const skip = (reason: string): Collected => ({ kind: 'skipped', reason: `#${prNumber} ${reason}` });
  const mergeSha = pull.status === 'merged' ? await github.fetchMergeCommit(fullName, pull) : null;
  if (mergeSha === null) return skip('was not merged');
  const issueNumber = findClosedIssue(pull.body, fullName);
  if (issueNumber === undefined) return skip('names no issue that it closes');
  const { issue: current, comments: thread } = await github.fetchThread(fullName, issueNumber);
  if (current.isPullRequest) return skip(`closes #${issueNumber}, which is a pull request`);
  if (findDistrust(current.author, repo.allowedUsers) !== undefined)
    return skip(`closes #${issueNumber}, whose author is not in allowed_users`);
  const { text: issue, notes } = await readThen(tools, current, pull.createdAt);
  if (issue === undefined) return skip(`closes #${issueNumber}, but ${notes.join()}`);
  const said = selectThen(thread, pull.createdAt);
  const trusted = said.kept.filter(({ author }) => findDistrust(author, repo.allowedUsers) === undefined);
  const { notes: linkNotes, ...links } = await findLinks(tools, { pull, issue, comments: trusted });
  const start = { ...buildStart(repo, issue, trusted), ...links };
  const lines = listPeopleLines(pull, comments);
  const material = { pull, start, lines, issueComments: trusted };
  const { notes: reviewNotes, ...reviewed } = await describeReviewed(tools, material);
  return {
    kind: 'case',
    texts: {
      repo: fullName,
      prNumber,
      issueNumber,
      headSha: pull.headSha,
      mergeSha,
      start,
      ...reviewed,
      notes: [
        ...notes,
        ...said.dropped.map((id) => `comment ${id} was edited after #${prNumber} was opened`),
        ...linkNotes,
        ...reviewNotes,
      ],
    },
  };
}

/**
 * Keeps comments from before the pull request. Drops comments edited since then, because their earlier text is unknown.
 */
function selectThen(comments: readonly IssueComment[], openedAt: string) {
  const earlier = comments.filter(({ createdAt, body }) => createdAt < openedAt && !isOurs(body));
  return {
    kept: earlier.filter(({ updatedAt }) => updatedAt < openedAt),
    dropped: earlier.filter(({ updatedAt }) => updatedAt >= openedAt).map(({ id }) => id),
  };
}

/** True if the text has one of MergeXO's markers. A forged marker only excludes a text from the eval. */
function isOurs(body: string): boolean {
  return /<!-- mergexo-(?:meta|action):/.test(body);
}

/**
 * Returns the linked issues that are older than the pull request, with their texts as of then. A lower number means an
 * older issue.
 */
async function findLinks(
  tools: CollectTools,
  { pull, issue, comments }: { pull: PullDetails; issue: Issue; comments: readonly IssueComment[] },
): Promise<Links & { notes: string[] }> {
  const { github, repo, log } = tools;
  const texts = [issue.title, issue.body, ...comments.map(({ body }) => body)];
  const about = { texts, except: [issue.number, pull.number] };
  const { linked, unreadLinks } = await fetchLinked({ github, log }, { id: 0, config: repo }, about);
  const older = linked.filter(({ number }) => number < pull.number);
  const then = await Promise.all(older.map((thread) => readThen(tools, thread, pull.createdAt)));
  return {
    linked: then.flatMap(({ text }) => text ?? []),
    unreadLinks: unreadLinks.filter((number) => number < pull.number),
    notes: then.flatMap(({ notes }) => notes),
  };
}

function buildStart(repo: RepoConfig, issue: Issue, comments: readonly IssueComment[]): StartContext {
  const { number, title, labels } = issue;
  const flow = chooseFlow(repo, labels);
  return {
    repo: repo.fullName,
    flow,
    branch: buildBranchName({ flow, issueNumber: number, slug: buildSlug(title), ordinal: 1 }),
    designDocPath: null,
    issue: describeIssue(issue),
    linked: [],
    unreadLinks: [],
    comments: comments.map((comment) => ({
      id: comment.id,
      author: comment.author.login,
      ...toRole(comment.association),
      body: comment.body,
      createdAt: comment.createdAt,
      updatedAt: comment.updatedAt,
      url: comment.url,
    })),
    consumedUpTo: Math.max(0, ...comments.map(({ id }) => id)),
    followup: null,
    session: null,
    stateSummary: '',
    design: null,
  };
}

/** A bug fix if the issue has a label for bugs, otherwise a small job. A replay has no design to implement. */
function chooseFlow({ labels: names }: RepoConfig, labels: readonly string[]): 'bugfix' | 'small_job' {
  const bugLabels = listFlowLabels(names).filter(({ flow }) => flow === 'bugfix');
  const isBug = [...bugLabels.map(({ name }) => name), 'bug'].some((name) => hasLabel(labels, name));
  return isBug ? 'bugfix' : 'small_job';
}

/** Lists the first comments of threads that people other than the author started, oldest first. */
function listPeopleLines(pull: PullDetails, comments: readonly ReviewComment[]): ReviewComment[] {
  return comments
    .filter(({ inReplyToId, author, body }) => {
      const isPerson = author.type !== 'Bot' && author.id !== pull.author.id;
      return inReplyToId === null && isPerson && !isOurs(body);
    })
    .sort((a, b) => a.id - b.id);
}

type Reviewed = Pick<EvalCase, 'feedback' | 'review' | 'places' | 'notes'>;
type Material = {
  pull: PullDetails;
  start: StartContext;
  lines: readonly ReviewComment[];
  issueComments: readonly IssueComment[];
};

/** Describes the commit that people commented on first. Later commits, if any, answer the comments. */
async function describeReviewed(tools: CollectTools, material: Material): Promise<Reviewed> {
  const [first] = material.lines;
  const headSha = first?.originalCommitId ?? undefined;
  if (first === undefined || headSha === undefined)
    return { feedback: null, review: null, places: [], notes: [] };
  const { text, notes } = await readThen(tools, material.pull, first.createdAt);
  const pull = { ...material.pull, ...(text ?? { title: '', body: '' }) };
  const lines = material.lines.filter(({ originalCommitId }) => originalCommitId === headSha);
  const { fullName, ciPolicy } = tools.repo;
  // GitHub has no logs for checks of other CI systems.
  const runs = (await tools.github.fetchActionsRunsOf(fullName, headSha)).map(toCheckRun);
  const failures = chooseFailures(runs, { headSha, policy: ciPolicy });
  const review = buildReview(tools.repo, { ...material, pull }, { headSha, runs });
  const failed = await Promise.all(
    failures.map(async (run) => {
      const details = await readDetails(tools, fullName, run);
      // Nothing is redacted here, because the caller redacts the whole case.
      return toFailureRemark({ run, ...details }, { thread: material.pull.number, redact: (text) => text });
    }),
  );
  return {
    feedback: buildFeedback(tools.repo, review, { ...material, lines, failed }),
    review,
    places: lines.map(({ path, originalLine }) => ({ path, line: originalLine })),
    notes,
  };
}

function buildReview(
  repo: RepoConfig,
  { pull, start }: Material,
  { headSha, runs }: { headSha: string; runs: readonly CheckRun[] },
): ReviewContext {
  const { number, author, association, baseRef, url, createdAt } = pull;
  // A stranger's text must not reach an agent. The change is still worth a review.
  const isTrusted = findDistrust(author, repo.allowedUsers) === undefined;
  const { title, body } = isTrusted ? pull : { title: '', body: '' };
  const { blockingSeverity, maxFindings, maxFixCycles, verify } = repo.review;
  return {
    repo: repo.fullName,
    flow: start.flow,
    branch: start.branch,
    designDocPath: null,
    headSha,
    pull: {
      number,
      title,
      body,
      author: author.login,
      ...toRole(association),
      baseBranch: baseRef,
      url,
      createdAt,
    },
    issue: start.issue,
    checks: describeChecks(runs, headSha),
    linked: start.linked,
    unreadLinks: start.unreadLinks,
    reviewedSha: null,
    round: 1,
    earlier: [],
    // The reviewer gets no comments by people, because it should find the same problems itself.
    discussion: { entries: [], omitted: 0 },
    policy: { blockingSeverity, maxFindings, verify },
    fixesLeft: maxFixCycles,
  };
}

/**
 * Builds the turn that answers the first comments. Returns null if there is no unedited comment by an allowed person.
 */
function buildFeedback(
  repo: RepoConfig,
  review: ReviewContext,
  { lines, issueComments, failed }: Material & { failed: readonly Remark[] },
): FeedbackContext | null {
  const { discussion, reviewedSha, round, earlier, policy, fixesLeft, ...pull } = review;
  const { headSha } = pull;
  const usable = lines
    .filter(({ author, createdAt, updatedAt }) => {
      return updatedAt === createdAt && findDistrust(author, repo.allowedUsers) === undefined;
    })
    // Uses the original lines, because a comment's current lines move with later commits.
    .map((comment) => ({
      ...comment,
      startLine: comment.originalStartLine,
      line: comment.originalLine,
      commitId: headSha,
    }));
  if (usable.length === 0) return null;
  return buildFeedbackContext({
    ...pull,
    remarks: [...usable.map(toLineRemark), ...failed],
    reviewStates: new Map(),
    reviewComments: usable,
    resolved: new Set(),
    conversation: [],
    issueComments,
    signals: [],
    session: { adapter: repo.agent.adapter, threadId: null },
    stateSummary: '',
    previousActions: [],
  });
}
