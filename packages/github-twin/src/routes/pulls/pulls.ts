import { z } from 'zod';
import { forbidden, refusedByTwin } from '../../basics/api-error.js';
import { findPull, isPull, listPulls } from '../../domain/issues.js';
import { mergePull } from '../../domain/merge-pull.js';
import { mayAct } from '../../domain/permissions.js';
import { refuseReopening } from '../../domain/refuse-reopening.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import { listPullCommits } from '../../git/commits.js';
import { diffText } from '../../git/diff.js';
import { type Answer, numberParam, ok, readBody } from '../../rest/call.js';
import { applyLag, listPage, sortRows } from '../../rest/lists.js';
import { type RepoCall, repoRoute } from '../../rest/repo-route.js';
import type { PullIssue } from '../../store/rows.js';
import { viewCommit, viewFile } from '../../views/commit.js';
import { viewPullSimple } from '../../views/pull.js';
import { viewRepo } from '../../views/repo.js';
import { storeEdited } from '../issues/issues.js';
import { createPull } from './pull-create.js';
import { viewFullPull } from './view-full-pull.js';

const one = '/pulls/{pull_number}';

export const pullRoutes = [
  repoRoute('GET /pulls', listRepoPulls),
  repoRoute('POST /pulls', createPull, 'write'),
  repoRoute(`GET ${one}`, readPull),
  repoRoute(`PATCH ${one}`, updatePull),
  repoRoute(`GET ${one}/files`, async (call) => {
    const { pull } = pullOf(call);
    const compared = await call.world.gitRepo(call.repo).compare(pull.baseSha, pull.headSha);
    const files = (compared?.files ?? []).slice(0, 3_000);
    return listPage(call, files, (_, file) => viewFile(call, pull.headSha, file));
  }),
  repoRoute(`GET ${one}/commits`, async (call) => {
    const commits = await listPullCommits(call.world.gitRepo(call.repo).dir, pullOf(call).pull);
    return listPage(call, commits, viewCommit);
  }),
  repoRoute(`PUT ${one}/merge`, merge, 'write'),
];

export function pullOf(call: RepoCall): PullIssue {
  return findPull(call, numberParam(call, 'pull_number'));
}

function listRepoPulls(call: RepoCall) {
  const { query, world, repo } = call;
  const state = query.get('state') ?? 'open';
  const base = query.get('base');
  const head = query.get('head');
  const matching = applyLag(call, world.store.issues, listPulls(call))
    .filter(isPull)
    .filter((issue) => state === 'all' || issue.state === state)
    .filter(({ pull }) => base === null || pull.baseRef === base)
    // Without an owner, GitHub ignores the filter and lists all pull requests.
    .filter(({ pull }) => !head?.includes(':') || head === `${repo.owner}:${pull.headRef}`);
  const newestFirst = ['created', null].includes(query.get('sort'));
  const view = viewRepo(call);
  return listPage(call, sortRows(matching, query, newestFirst ? 'desc' : 'asc'), (_, issue) =>
    viewPullSimple(call, issue, view),
  );
}

/** Responds with JSON or, if requested, a diff. */
async function readPull(call: RepoCall): Promise<Answer> {
  const { number, pull } = pullOf(call);
  if (!/application\/vnd\.github\.(?:v3\.)?diff\b/.test(call.accept))
    return ok(await viewFullPull(call, number));
  const gitRepo = call.world.gitRepo(call.repo);
  const compared = await gitRepo.compare(pull.baseSha, pull.headSha);
  const range = { from: compared?.mergeBase ?? pull.baseSha, to: pull.headSha };
  const content = await diffText(gitRepo.dir, range);
  return { status: 200, text: { type: 'application/vnd.github.diff; charset=utf-8', content } };
}

async function updatePull(call: RepoCall) {
  const asked = pullOf(call);
  if (asked.userId !== call.user.id && !mayAct(call.repo, call, 'triage'))
    throw forbidden('Must have triage access to Repository.');
  const { title, body, state } = readBody(call, {
    title: z.string().optional(),
    body: z.string().nullish(),
    state: z.enum(['open', 'closed']).optional(),
  });
  if (state === 'open' && asked.state === 'closed') await refuseReopening(call, asked);
  const issue = pullOf(call);
  const edited = {
    ...issue,
    title: title === undefined ? issue.title : checkTitle('PullRequest', title),
    body: body == null ? issue.body : checkLength('PullRequest', body),
  };
  return ok(await viewFullPull(call, storeEdited(call, edited, { state }).number));
}

async function merge(call: RepoCall) {
  const text = z.string().optional();
  const { merge_method, commit_title, commit_message, sha } = readBody(call, {
    commit_title: text,
    commit_message: text,
    sha: text,
    merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
  });
  const { number } = pullOf(call);
  if (merge_method === 'rebase') throw refusedByTwin(501, 'it does not rebase pull requests');
  const request = { method: merge_method, title: commit_title, message: commit_message, sha };
  const merged = await mergePull(call, number, request);
  return ok({ sha: merged, merged: true, message: 'Pull Request successfully merged' });
}
