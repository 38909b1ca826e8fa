import { z } from 'zod';
import { invalid } from '../../basics/api-error.js';
import { listPulls, openIssue } from '../../domain/issues.js';
import { pointPullRef } from '../../domain/sync-refs.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import { type Answer, readBody, refuseUnsupportedFields } from '../../rest/call.js';
import type { RepoCall } from '../../rest/repo-route.js';
import type { Issue } from '../../store/rows.js';
import { viewFullBody } from './pull-full.js';

const refuse = (extra: { field?: string; code?: string; message?: string }) =>
  invalid({ resource: 'PullRequest', code: 'custom', ...extra });

/** Under the repository's lock: a branch that moves meanwhile would leave the new pull request with an old head. */
export function createPull(call: RepoCall): Promise<Answer> {
  const { world, repo } = call;
  return world
    .gitRepo(repo)
    .lock(() => create({ ...call, refs: world.store.refs.get(repo.id)?.refs ?? call.refs }));
}

async function create(call: RepoCall): Promise<Answer> {
  const { world, repo, user } = call;
  refuseUnsupportedFields(call.body, ['issue', 'head_repo', 'maintainer_can_modify']);
  const body = readBody(call, {
    title: z.string().optional(),
    head: z.string(),
    base: z.string(),
    body: z.string().optional(),
    draft: z.boolean().optional(),
  });
  const title = checkTitle('PullRequest', body.title ?? '');
  const text = body.body === undefined ? null : checkLength('PullRequest', body.body);
  const sides = await findSides(call, body.head, body.base);
  // Nothing is awaited between this look and the new row: two creators at once make one pull request.
  if (listPulls(world, repo).some((issue) => issue.state === 'open' && isSame(issue, sides)))
    throw refuse({ message: `A pull request already exists for ${repo.owner}:${sides.headRef}.` });
  const issue = openIssue(world, repo, user, {
    title,
    body: text,
    labelIds: [],
    pull: {
      id: world.store.nextId(),
      ...sides,
      draft: body.draft ?? false,
      mergedAt: null,
      mergedById: null,
      mergeCommitSha: null,
      reviewerIds: [],
    },
  });
  await pointPullRef(world, repo, issue.number, sides.headSha);
  return { status: 201, body: await viewFullBody(call, issue.number) };
}

type Sides = { headRef: string; headSha: string; baseRef: string; baseSha: string };

async function findSides(call: RepoCall, head: string, base: string): Promise<Sides> {
  const { refs, repo, world } = call;
  const [owner, headRef] = head.includes(':') ? head.split(':', 2) : [repo.owner, head];
  const headSha = owner === repo.owner ? refs[`refs/heads/${headRef}`] : undefined;
  const baseSha = refs[`refs/heads/${base}`];
  if (headRef === undefined || headSha === undefined) throw refuse({ field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw refuse({ field: 'base', code: 'invalid' });
  const compared = await world.gitRepo(repo).compare(baseSha, headSha);
  if (!compared) throw refuse({ message: `The ${headRef} branch has no history in common with ${base}` });
  if (compared.aheadBy === 0) throw refuse({ message: `No commits between ${base} and ${headRef}` });
  return { headRef, headSha, baseRef: base, baseSha };
}

function isSame(issue: Issue, sides: Sides): boolean {
  return issue.pull?.headRef === sides.headRef && issue.pull.baseRef === sides.baseRef;
}
