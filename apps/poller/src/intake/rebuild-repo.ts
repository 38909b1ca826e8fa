import {
  buildBranchName,
  buildDesignDocPath,
  buildSlug,
  Failure,
  hasLabel,
  looksSigned,
  type Meta,
  parseRunName,
  placeOfRemark,
  type RuntimeEventType,
  verifyBody,
} from '@mergexo/core';
import type { Issue, IssueComment, PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { type ListTools, listPull } from '../feedback/list-pull.js';
import { noteTakeover } from '../feedback/takeover.js';
import { oldestFirst, toRemark } from '../feedback/to-remark.js';
import { awaitFollowup } from '../followup/end-start.js';
import { takeInIssueRemark } from '../followup/take-in-issue-remark.js';
import { markMerged } from '../promotion/promote-merged.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';
import { rebuildReviews } from './rebuild-reviews.js';

/** Of the pull requests that are over, so many are looked at: older ones ask for nothing any more. */
const MAX_CLOSED = 300;

/**
 * GitHub knows what we did: our pull requests and comments say so about themselves. With an empty database the runs,
 * pull requests and answers are read back, so that nothing is begun or said a second time. It can be begun again anywhere.
 */
export async function rebuildRepo(
  tools: ListTools,
  repo: Repo,
  labelled: readonly Issue[],
  onFound: () => void,
): Promise<void> {
  const pulls = (await tools.github.fetchKnownPulls(repo.config.fullName, MAX_CLOSED)).filter(
    ({ headRepoId, headRef, author }) =>
      headRepoId === repo.id && headRef.startsWith('agent/') && tools.viewer.ids.has(author.id),
  );
  const proofs = pulls.map((pull) => ({ pull, meta: readFooter(tools, repo, pull) }));
  refuseLostSecret(repo, proofs);
  // Oldest first, as they came about.
  for (const { pull, meta } of proofs.sort((a, b) => a.pull.number - b.pull.number)) {
    const name = parseRunName(meta?.run ?? '');
    if (name === undefined) continue;
    onFound();
    await rebuildPull(tools, repo, { pull, meta, name });
  }
  const issues = [...labelled, ...(await fetchDesigned(tools, repo, { proofs, labelled }))];
  for (const issue of issues.filter(({ commentCount }) => commentCount > 0))
    await rebuildWait(tools, repo, issue, onFound);
}

type Proof = { pull: PullRequest; meta: Meta | undefined };

/** Issues whose merged design asks for an implementation, which may have waited for an answer: no label tells of that. */
async function fetchDesigned(
  { github }: ListTools,
  repo: Repo,
  { proofs, labelled }: { proofs: readonly Proof[]; labelled: readonly Issue[] },
): Promise<Issue[]> {
  const known = new Set(labelled.map(({ number }) => number));
  const numbers = proofs
    .filter(({ pull }) => pull.status === 'merged')
    .flatMap(({ meta }) => parseRunName(meta?.run ?? '') ?? [])
    .filter(({ flow, issueNumber }) => flow === 'design_doc' && !known.has(issueNumber))
    .map(({ issueNumber }) => issueNumber);
  const found: Issue[] = [];
  for (const number of new Set(numbers)) {
    const issue = await github.fetchIssue(repo.config.fullName, number).catch(toAbsent);
    if (issue?.open) found.push(issue);
  }
  return found;
}

function toAbsent(error: unknown): undefined {
  if (error instanceof Failure && error.kind === 'not-found') return undefined;
  throw error;
}

function readFooter({ keys }: ListTools, repo: Repo, pull: PullRequest): Meta | undefined {
  const place = { repoId: repo.id, thread: `branch:${pull.headRef}` };
  return verifyBody(pull.body, place, keys)?.meta;
}

/** Answering under a new secret would say everything once more. */
function refuseLostSecret(repo: Repo, proofs: readonly Proof[]): void {
  const foreign = proofs.find(({ pull, meta }) => meta === undefined && looksSigned(pull.body));
  if (foreign === undefined || proofs.some(({ meta }) => meta !== undefined)) return;
  throw new Failure(
    'invalid-data',
    `The signing secret that ${repo.config.fullName}#${foreign.pull.number} was made with is lost, and so is the database. ` +
      'Restore the secret file (or MERGEXO_SECRET); nothing is done in this repository until then.',
  );
}

/** Can be interrupted anywhere and begun again: what is there is gone on with. */
async function rebuildPull(
  tools: ListTools,
  repo: Repo,
  { pull, meta, name }: { pull: PullRequest; meta: Meta | undefined; name: RunName },
): Promise<void> {
  const { state, github } = tools;
  const { number: prNumber } = pull;
  const isOpen = pull.status === 'open';
  const own = isOpen ? await github.fetchThread(repo.config.fullName, prNumber) : undefined;
  const comments = own?.comments ?? [];
  const metas = listMetas(tools, repo, prNumber, comments);
  state.transaction(() => {
    if (state.readPull(repo.id, prNumber) === undefined) recordPull(tools, repo, pull, { name, metas });
    if (own !== undefined) noteTakeover(tools, repo, own.issue);
  });
  const known = state.readPull(repo.id, prNumber);
  if (isOpen && known !== undefined) {
    const { issueNumber } = known;
    const thread = await github.fetchThread(repo.config.fullName, issueNumber);
    const about = { issueNumber, comments: thread.comments, consumedUpTo: gateOf(meta) };
    state.transaction(() => {
      noteTakeover(tools, repo, thread.issue);
      rebuildThread(tools, repo, about);
    });
  }
  // Whoever was blocked is blocked by now, so that a later command finds it so.
  if (!isOpen || known?.listedAt !== null) return;
  const { reviews } = await listPull(tools, repo, known);
  state.transaction(() => rebuildReviews(tools, repo, known, reviews));
}

function gateOf(meta: Meta | undefined): number {
  return Number(meta?.gate ?? 0);
}

/** Comments on the issue: those up to the gate were part of the work, those that we redirected say so. Inside a transaction. */
function rebuildThread(
  tools: ListTools,
  repo: Repo,
  {
    issueNumber,
    comments,
    consumedUpTo,
  }: { issueNumber: number; comments: readonly IssueComment[]; consumedUpTo: number },
): void {
  const { state, now } = tools;
  const metas = listMetas(tools, repo, issueNumber, comments);
  const said = new Set(metas.flatMap(({ cause }) => cause ?? []));
  for (const comment of oldestFirst(comments))
    takeInIssueRemark(tools, repo, toRemark(comment), { consumedUpTo, said, leavesCommands: false });
  state.moveCommentCursors(repo.id, issueNumber, { prePrLastConsumedCommentId: consumedUpTo }, now());
}

function recordPull(
  tools: ListTools,
  repo: Repo,
  pull: PullRequest,
  { name, metas }: { name: RunName; metas: readonly Meta[] },
): void {
  const { state, now } = tools;
  const { number: prNumber, headRef: branch, url } = pull;
  const run = recordRun(tools, repo, { ...name, branch, title: pull.title, body: pull.body });
  if (run === undefined) return;
  const { id: runId, issueNumber } = run;
  // A block outlives a closing.
  const last = readLastNotice(metas.filter(({ kind }) => kind !== 'close_notice'));
  const isBlocked = pull.status === 'open' && last?.kind === 'block_notice';
  const status = pull.status !== 'open' ? pull.status : isBlocked ? 'blocked' : 'awaiting_feedback';
  const block = isBlocked
    ? { blockedKind: 'rebuilt', error: 'It was blocked when the records were lost.' }
    : { blockedKind: null, error: null };
  state.saveRun({ ...run, ...block, status, prNumber }, now());
  if (pull.status === 'merged' && name.flow === 'design_doc') markMerged(tools, repo.id, prNumber);
  // The head that we signed last; a rewrite meanwhile must not go unseen.
  const headSha = metas.find(({ head }) => head !== undefined)?.head ?? pull.headSha;
  state.recordPull({ repoId: repo.id, prNumber, runId, issueNumber, branch, headSha, url }, now());
  const row = state.readPull(repo.id, prNumber);
  const escalation = isEscalated(metas) ? { humanReviewRequired: true, escalatedAt: now() } : {};
  const seen = { headSha: pull.headSha, acceptedAt: null };
  if (row !== undefined) state.savePull({ ...row, ...block, ...escalation, ...seen, status }, now());
  const stateSummary = `The records of earlier work were lost. Pull request: ${pull.title}`;
  state.saveSession({ runId, adapter: repo.config.agent.adapter, threadId: null, stateSummary }, now());
  const about = { repoId: repo.id, runId, issueNumber, prNumber };
  recordEvents(tools, [
    { type: 'state_rebuilt', ...about, payload: { status } },
    // They number what is said of each: the next one must not be taken for one of these.
    ...metas.flatMap(({ kind }) => {
      const type = COUNTED.get(kind ?? '');
      return type === undefined ? [] : [{ type, ...about, payload: { rebuilt: true } }];
    }),
  ]);
}

const COUNTED = new Map<string, RuntimeEventType>([
  ['block_notice', 'pull_blocked'],
  ['close_notice', 'pull_closed'],
  ['escalation_notice', 'review_escalated'],
]);

/** Before a pull request, our last word on the issue tells what the run waits for. */
export async function rebuildWait(
  tools: ListTools,
  repo: Repo,
  issue: Issue,
  onFound: () => void,
): Promise<void> {
  const { state, now } = tools;
  if (state.hasLiveRun(repo.id, issue.number)) return;
  const { comments } = await tools.github.fetchThread(repo.config.fullName, issue.number);
  const last = readLastNotice(listMetas(tools, repo, issue.number, comments));
  const name = parseRunName(last?.run ?? '');
  if (name === undefined || (last?.kind !== 'wait_comment' && last?.kind !== 'block_notice')) return;
  onFound();
  const isWaiting = last.kind === 'wait_comment';
  state.transaction(() => {
    const run = recordRun(tools, repo, { ...name, branch: null, title: issue.title, body: '' });
    if (run === undefined) return;
    const reason = 'It waited when the records were lost; our last comment on the issue says for what.';
    const payload = { status: isWaiting ? 'awaiting_issue_followup' : 'blocked' };
    const about = { repoId: repo.id, runId: run.id, issueNumber: issue.number };
    recordEvents(tools, [{ type: 'state_rebuilt', ...about, payload }]);
    if (!isWaiting) {
      state.saveRun({ ...run, status: 'blocked', blockedKind: 'rebuilt', error: reason }, now());
      return;
    }
    const branch = readBranch(tools, repo, issue.number, comments) ?? run.branch ?? '';
    const checkpoint = last.head === undefined ? null : { branch, sha: last.head };
    // When the label came is not known: whatever nobody has acted on waits until it goes.
    const isOver = hasLabel(issue.labels, repo.config.labels.ignore);
    const ignoredSince = isOver ? issue.updatedAt : null;
    awaitFollowup(tools, { ...run, branch, ignoredSince }, { waitKind: 'rebuilt', reason, checkpoint });
    rebuildThread(tools, repo, { issueNumber: issue.number, comments, consumedUpTo: gateOf(last) });
  });
}

/** Our own words name it; the title that it was made of may have changed since. */
function readBranch(
  { keys, viewer }: ListTools,
  repo: Repo,
  thread: number,
  comments: readonly IssueComment[],
): string | undefined {
  const place = placeOfRemark(repo.id, { thread, rootId: null });
  const named = comments
    .filter(({ author, body }) => viewer.ids.has(author.id) && verifyBody(body, place, keys)?.intact)
    .flatMap(({ body }) => /^What was done so far is on `(agent\/[\w./-]{1,200})`/m.exec(body)?.[1] ?? []);
  return named.at(-1);
}

const NOTICES = [
  'close_notice',
  'block_notice',
  'unblock_notice',
  'wait_comment',
  'status_comment',
  'general_comment',
];

function readLastNotice(metas: readonly Meta[]): Meta | undefined {
  return metas.find(({ kind }) => kind !== undefined && NOTICES.includes(kind));
}

/** A person was asked to review, and nobody has let it go on since. */
function isEscalated(metas: readonly Meta[]): boolean {
  const last = metas.find(({ kind }) => kind === 'escalation_notice' || kind === 'resume_notice');
  return last?.kind === 'escalation_notice';
}

/** Of what is really ours, newest first. */
function listMetas(
  { keys, viewer }: ListTools,
  repo: Repo,
  thread: number,
  comments: readonly IssueComment[],
): Meta[] {
  const place = placeOfRemark(repo.id, { thread, rootId: null });
  return comments
    .filter(({ author }) => viewer.ids.has(author.id))
    .sort((a, b) => b.id - a.id)
    .flatMap(({ body }) => verifyBody(body, place, keys)?.meta ?? []);
}

type RunName = { issueNumber: number; flow: Run['flow']; ordinal: number };

function recordRun(
  { state, now }: ListTools,
  repo: Repo,
  run: RunName & { branch: string | null; title: string; body: string },
): Run | undefined {
  const { issueNumber, flow, ordinal, title, branch } = run;
  const name = { flow, issueNumber, slug: buildSlug(title), ordinal };
  // Our own words in the pull request name the document.
  const named = [...run.body.matchAll(/^Design document: `([^`\n]{1,500})`$/gm)].at(-1)?.[1];
  const path = named ?? buildDesignDocPath(repo.config.designDocsDir, name);
  const designDocPath = flow === 'design_doc' ? path : flow === 'implementation' ? (named ?? null) : null;
  return state.recordRun(
    {
      repoId: repo.id,
      issueNumber,
      flow,
      ordinal,
      issueTitle: title,
      branch: branch ?? buildBranchName(name),
      designDocPath,
    },
    now(),
  );
}
