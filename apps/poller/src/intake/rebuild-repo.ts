import {
  buildDesignDocPath,
  buildSlug,
  Failure,
  looksSigned,
  type Meta,
  parseRunName,
  placeOfRemark,
  type RunStatus,
  verifyBody,
} from '@mergexo/core';
import type { Issue, IssueComment, PullRequest } from '@mergexo/github';
import type { Run } from '@mergexo/state';
import { type ListTools, listPull } from '../feedback/list-pull.js';
import { recordEvents } from '../record-events.js';
import type { Repo } from '../repo.js';

/** Of the pull requests that are over, so many are looked at: older ones ask for nothing any more. */
const MAX_CLOSED = 300;

/**
 * GitHub knows what we did: our pull requests and comments say so about themselves. With an empty database the runs,
 * pull requests and answers are read back, so that nothing is begun or said a second time. True when there was anything.
 */
export async function rebuildRepo(
  tools: ListTools,
  repo: Repo,
  labelled: readonly Issue[],
): Promise<boolean> {
  const pulls = (await tools.github.fetchKnownPulls(repo.config.fullName, MAX_CLOSED)).filter(
    ({ headRepoId, headRef, author }) =>
      headRepoId === repo.id && headRef.startsWith('agent/') && author.id === tools.viewer.id,
  );
  const proofs = pulls.map((pull) => ({ pull, meta: readFooter(tools, repo, pull) }));
  refuseLostSecret(repo, proofs);
  let found = false;
  // Oldest first, as they came about.
  for (const { pull, meta } of proofs.sort((a, b) => a.pull.number - b.pull.number))
    if (meta !== undefined) found = (await rebuildPull(tools, repo, pull, meta)) || found;
  for (const issue of labelled.filter(({ commentCount }) => commentCount > 0))
    found = (await rebuildWait(tools, repo, issue)) || found;
  return found;
}

function readFooter({ keys }: ListTools, repo: Repo, pull: PullRequest): Meta | undefined {
  const place = { repoId: repo.id, thread: `branch:${pull.headRef}` };
  return verifyBody(pull.body, place, keys)?.meta;
}

/** Answering under a new secret would say everything once more. */
function refuseLostSecret(
  repo: Repo,
  proofs: readonly { pull: PullRequest; meta: Meta | undefined }[],
): void {
  const foreign = proofs.find(({ pull, meta }) => meta === undefined && looksSigned(pull.body));
  if (foreign === undefined || proofs.some(({ meta }) => meta !== undefined)) return;
  throw new Failure(
    'invalid-data',
    `The signing secret that ${repo.config.fullName}#${foreign.pull.number} was made with is lost, and so is the database. ` +
      'Restore the secret file (or MERGEXO_SECRET); nothing is done in this repository until then.',
  );
}

async function rebuildPull(tools: ListTools, repo: Repo, pull: PullRequest, meta: Meta): Promise<boolean> {
  const { state, now } = tools;
  const name = parseRunName(meta.run ?? '');
  if (name === undefined) return false;
  const { number: prNumber, headRef: branch, headSha, url } = pull;
  const status: RunStatus = pull.status === 'open' ? 'awaiting_feedback' : pull.status;
  const known = state.transaction(() => {
    const run = recordRun(tools, repo, { ...name, branch, title: pull.title });
    if (run === undefined) return undefined;
    state.saveRun({ ...run, status, prNumber }, now());
    const row = {
      repoId: repo.id,
      prNumber,
      runId: run.id,
      issueNumber: run.issueNumber,
      branch,
      headSha,
      url,
    };
    state.recordPull(row, now());
    const recorded = state.readPull(repo.id, prNumber);
    if (recorded !== undefined && pull.status !== 'open')
      state.savePull({ ...recorded, status: pull.status }, now());
    const { adapter } = repo.config.agent;
    const stateSummary = `The records of earlier work were lost. Pull request: ${pull.title}`;
    state.saveSession({ runId: run.id, adapter, threadId: null, stateSummary }, now());
    const payload = { status };
    recordEvents(tools, [
      {
        type: 'state_rebuilt',
        repoId: repo.id,
        runId: run.id,
        issueNumber: run.issueNumber,
        prNumber,
        payload,
      },
    ]);
    return state.readPull(repo.id, prNumber);
  });
  if (known === undefined || pull.status !== 'open') return known !== undefined;
  const { conversation } = await listPull(tools, repo, known);
  const last = readLastNotice(tools, repo, prNumber, conversation);
  if (last?.kind !== 'block_notice') return true;
  state.transaction(() => {
    const blocked = {
      status: 'blocked' as const,
      blockedKind: 'rebuilt',
      error: 'It was blocked when the records were lost.',
    };
    const row = state.readPull(repo.id, prNumber);
    const run = state.readRun(known.runId);
    if (row !== undefined) state.savePull({ ...row, ...blocked }, now());
    if (run !== undefined) state.saveRun({ ...run, ...blocked }, now());
  });
  return true;
}

/** Before a pull request, our last word on the issue tells what the run waits for. */
async function rebuildWait(tools: ListTools, repo: Repo, issue: Issue): Promise<boolean> {
  const { state, now } = tools;
  if (state.hasLiveRun(repo.id, issue.number)) return false;
  const { comments } = await tools.github.fetchThread(repo.config.fullName, issue.number);
  const last = readLastNotice(tools, repo, issue.number, comments);
  const name = parseRunName(last?.run ?? '');
  if (name === undefined || (last?.kind !== 'wait_comment' && last?.kind !== 'block_notice')) return false;
  const status = last.kind === 'wait_comment' ? ('awaiting_issue_followup' as const) : ('blocked' as const);
  state.transaction(() => {
    const run = recordRun(tools, repo, { ...name, branch: null, title: issue.title });
    if (run === undefined) return;
    const error = 'It waited when the records were lost; our last comment on the issue says for what.';
    state.saveRun({ ...run, status, blockedKind: 'rebuilt', error }, now());
    const payload = { status };
    recordEvents(tools, [
      { type: 'state_rebuilt', repoId: repo.id, runId: run.id, issueNumber: issue.number, payload },
    ]);
  });
  return true;
}

const NOTICES = ['block_notice', 'unblock_notice', 'wait_comment', 'status_comment'];

/** The newest that is really ours. */
function readLastNotice(
  { keys, viewer }: ListTools,
  repo: Repo,
  thread: number,
  comments: readonly IssueComment[],
): Meta | undefined {
  const place = placeOfRemark(repo.id, { thread, rootId: null });
  return comments
    .filter(({ author }) => author.id === viewer.id)
    .sort((a, b) => b.id - a.id)
    .map(({ body }) => verifyBody(body, place, keys)?.meta)
    .find((meta) => meta?.kind !== undefined && NOTICES.includes(meta.kind));
}

function recordRun(
  { state, now }: ListTools,
  repo: Repo,
  run: { issueNumber: number; flow: Run['flow']; ordinal: number; branch: string | null; title: string },
): Run | undefined {
  const { issueNumber, flow, ordinal, title } = run;
  const prefix = `${issueNumber}-`;
  const slug = run.branch?.split('/').at(-1)?.replace(prefix, '') ?? buildSlug(title);
  const path = buildDesignDocPath(repo.config.designDocsDir, { flow, issueNumber, slug, ordinal: 1 });
  const designDocPath = flow === 'design_doc' ? path : null;
  return state.recordRun(
    { repoId: repo.id, issueNumber, flow, ordinal, issueTitle: title, branch: run.branch, designDocPath },
    now(),
  );
}
