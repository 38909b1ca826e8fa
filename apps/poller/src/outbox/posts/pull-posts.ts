import { type Action, parseTarget } from '@mergexo/core/actions';
import { readToken, renderPullBody, signBody, verifyBody } from '@mergexo/core/outbox';
import { renderRunName, replaceDrift } from '@mergexo/core/runs';
import { neutraliseTitle, redactStrings } from '@mergexo/core/text';
import type { PullRequest } from '@mergexo/github';
import { buildMeta } from './build-meta.js';
import type { Post, PostContext, PostTools } from './post.js';

export function createPullPost(tools: PostTools, action: Action, context: PostContext): Post {
  const { github, keys, redact, viewer } = tools;
  const { fullName, defaultBranch } = context.repo.config;
  const { result, commit } = context.plan ?? {};
  if (result?.kind !== 'pull' || commit === null || commit === undefined || context.run === undefined)
    throw new Error('cannot open a pull request from a plan without commits');
  const { flow, issueNumber, designDocPath } = context.run;
  const place = { repoId: context.repo.id, thread: action.target };
  const summary = redact(result.summary);
  const words = redact(
    renderPullBody({
      flow,
      issueNumber,
      summary,
      designDocPath,
      design: describeDesign(context),
      acceptance: result.acceptance && redactStrings(result.acceptance, redact),
      provedBy: result.provedBy && redactStrings(result.provedBy, redact),
      receipt: context.receipt,
    }),
  );
  const body = signBody(words, { meta: buildMeta(action, context), place, keys });

  return {
    token: readToken(body) ?? '',
    async find() {
      const listed = await github.fetchPullsOfBranch(fullName, commit.branch);
      // The list contains forks of the same owner. GitHub refuses a second pull request only for the same base.
      const pulls = listed.filter(({ headRepoId }) => headRepoId === context.repo.id);
      // Anybody can copy the signed lines into a pull request of their own.
      const own = pulls.filter(({ author }) => viewer.ids.has(author.id));
      const metaOf = (pull: PullRequest) => verifyBody(pull.body, place, keys)?.meta;
      const runName = context.run && renderRunName(context.run);
      // GitHub may list a pull request from an earlier turn of the run only after a delay.
      const ours =
        own.find((pull) => metaOf(pull)?.turn === context.turn?.turnKey) ??
        own.find((pull) => pull.status === 'open' && metaOf(pull)?.run === runName);
      if (ours !== undefined) return { kind: 'ours', remoteId: ours.number, opened: ours };
      const open = pulls.find(({ status, baseRef }) => status === 'open' && baseRef === defaultBranch);
      return open === undefined ? { kind: 'absent' } : { kind: 'foreign', url: open.url };
    },
    async send() {
      const title = neutraliseTitle(redact(result.title));
      const opened = await github.postPull(fullName, {
        title,
        body,
        head: commit.branch,
        base: defaultBranch,
      });
      return { remoteId: opened.number, opened };
    },
  };
}

function describeDesign({
  repo,
  start,
}: PostContext): { baseUrl: string; prNumber: number | null } | undefined {
  if (start === undefined || start.design === null) return undefined;
  const repoUrl = start.issue.url.replace(/\/issues\/\d+$/, '');
  return { baseUrl: `${repoUrl}/blob/${repo.config.defaultBranch}`, prNumber: start.design.prNumber };
}

/** Updates MergeXO's section of the body. MergeXO never changes a body that a person edited. */
export function createBodyPost(
  { github, keys, redact }: PostTools,
  action: Action<'update_body'>,
  context: PostContext,
): Post {
  const { fullName } = context.repo.config;
  const drift = redactStrings(action.payload.drift, redact);
  const place = { repoId: context.repo.id, thread: `branch:${context.pull?.branch ?? ''}` };
  const read = async () => {
    const { body } = await github.fetchPull(fullName, action.thread);
    const proof = verifyBody(body, place, keys);
    const next = proof?.intact
      ? signBody(replaceDrift(proof.body, drift), { meta: proof.meta, place, keys })
      : body;
    return { isDone: next === body, next };
  };
  return {
    token: '',
    find: async () =>
      (await read()).isDone ? { kind: 'ours', remoteId: action.thread } : { kind: 'absent' },
    async send() {
      await github.updatePullBody(fullName, action.thread, (await read()).next);
      return { remoteId: action.thread };
    },
  };
}

/** Reruns failed jobs. The attempt number of the workflow run shows whether GitHub applied the request. */
export function createRerunPost({ github }: PostTools, action: Action, context: PostContext): Post {
  const { fullName } = context.repo.config;
  const failed = parseTarget(action.target);
  if (failed.kind !== 'checks') throw new Error(`${action.target} is not a workflow run`);
  return {
    token: '',
    async find() {
      const run = await github.fetchActionsRun(fullName, failed.runId);
      const isDone = run !== null && (run.attempt > failed.attempt || run.status !== 'completed');
      return isDone ? { kind: 'ours', remoteId: failed.runId } : { kind: 'absent' };
    },
    async send() {
      await github.rerunFailedJobs(fullName, failed.runId);
      return { remoteId: failed.runId };
    },
  };
}
