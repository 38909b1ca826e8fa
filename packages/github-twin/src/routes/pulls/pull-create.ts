import { z } from 'zod';
import { invalid } from '../../basics/api-error.js';
import { listPulls, openIssue } from '../../domain/issues.js';
import { pointPullRef } from '../../domain/sync-refs.js';
import { checkLength, checkTitle } from '../../domain/texts.js';
import { type Answer, created, readBody } from '../../rest/call.js';
import type { RepoCall } from '../../rest/repo-route.js';
import { viewFullPull } from './view-full-pull.js';

const refuse = (extra: { field?: string; code?: string; message?: string }) =>
  invalid({ resource: 'PullRequest', code: 'custom', ...extra });

/** Creates a pull request under the repository's lock, because a concurrent push would make its head outdated. */
export function createPull(call: RepoCall): Promise<Answer> {
  return call.world.gitRepo(call.repo).lock(() => create(call));
}

async function create(call: RepoCall): Promise<Answer> {
  const { world, repo } = call;
  const body = readBody(call, {
    title: z.string().default(''),
    head: z.string(),
    base: z.string(),
    body: z.string().optional(),
    draft: z.boolean().default(false),
  });
  const title = checkTitle('PullRequest', body.title);
  const text = body.body === undefined ? null : checkLength('PullRequest', body.body);
  const sides = await findSides(call, body.head, body.base);
  // There is no await between this check and the new row, so two simultaneous requests create only one pull request.
  const isSame = ({ headRef, baseRef }: Sides) => headRef === sides.headRef && baseRef === sides.baseRef;
  if (listPulls(call).some(({ state, pull }) => state === 'open' && isSame(pull)))
    throw refuse({ message: `A pull request already exists for ${repo.owner}:${sides.headRef}.` });
  const merge = { mergedAt: null, mergedById: null, mergeCommitSha: null };
  const pull = { id: world.store.nextId(), ...sides, draft: body.draft, ...merge, reviewerIds: [] };
  const { number } = openIssue(call, { title, body: text, labelIds: [], pull });
  await pointPullRef(call, number, sides.headSha);
  // GitHub computes whether a new pull request can be merged only after it has answered.
  return created({
    ...(await viewFullPull({ ...call, mergeableUnknown: true }, number)),
    merge_commit_sha: null,
  });
}

type Sides = { headRef: string; headSha: string; baseRef: string; baseSha: string };

async function findSides({ world, repo }: RepoCall, head: string, base: string): Promise<Sides> {
  const gitRepo = world.gitRepo(repo);
  const [owner, headRef = ''] = head.includes(':') ? head.split(':', 2) : [repo.owner, head];
  const headSha = owner === repo.owner ? gitRepo.branch(headRef) : undefined;
  const baseSha = gitRepo.branch(base);
  if (headSha === undefined) throw refuse({ field: 'head', code: 'invalid' });
  if (baseSha === undefined) throw refuse({ field: 'base', code: 'invalid' });
  const compared = await gitRepo.compare(baseSha, headSha);
  if (!compared) throw refuse({ message: `The ${headRef} branch has no history in common with ${base}` });
  if (compared.aheadBy === 0) throw refuse({ message: `No commits between ${base} and ${headRef}` });
  return { headRef, headSha, baseRef: base, baseSha };
}
