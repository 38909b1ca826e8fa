import { invalid } from '../basics/api-error.js';
import type { Refs } from '../git/refs.js';
import type { PullIssue, Repo } from '../store/rows.js';
import type { World } from '../world/world.js';
import { listPulls } from './issues.js';

const refuseState = (why: string) =>
  invalid({
    resource: 'PullRequest',
    code: 'custom',
    field: 'state',
    message: `state cannot be changed. ${why}`.trim(),
  });

/** What keeps a closed pull request closed: without its own commits on its branches there is nothing to go on with. */
export async function refuseReopening(
  { world, repo, refs }: { world: World; repo: Repo; refs: Refs },
  issue: PullIssue,
): Promise<void> {
  const { headRef, baseRef, mergedAt } = issue.pull;
  const head = refs[`refs/heads/${headRef}`];
  const base = refs[`refs/heads/${baseRef}`];
  if (mergedAt !== null) throw refuseState('');
  if (head === undefined) throw refuseState(`The ${headRef} branch has been deleted.`);
  if (base === undefined) throw refuseState(`The ${baseRef} branch has been deleted.`);
  const gitRepo = world.gitRepo(repo);
  if (!(await gitRepo.isAncestor(issue.pull.headSha, head)))
    throw refuseState(`The ${headRef} branch was force-pushed or recreated.`);
  const compared = await gitRepo.compare(base, head);
  if (!compared) throw refuseState(`The ${headRef} branch has no history in common with ${baseRef}.`);
  if (compared.aheadBy === 0) throw refuseState(`There are no new commits on the ${headRef} branch.`);
  const again = listPulls(world, repo).some(
    ({ state, pull }) => state === 'open' && pull.headRef === headRef && pull.baseRef === baseRef,
  );
  if (again) throw refuseState(`There is already an open pull request from ${headRef} to ${baseRef}.`);
}
