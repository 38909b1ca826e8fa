import { invalid } from '../api-error.js';
import { listPulls } from '../domain/issues.js';
import type { PullIssue } from '../store/rows.js';
import type { RepoCall } from './repo-route.js';

const refuseState = (why: string) =>
  invalid({
    resource: 'PullRequest',
    code: 'custom',
    field: 'state',
    message: `state cannot be changed. ${why}`.trim(),
  });

/** What keeps a closed pull request closed: without its own commits on its branches there is nothing to go on with. */
export async function refuseReopening(call: RepoCall, issue: PullIssue): Promise<void> {
  const { headRef, baseRef, mergedAt } = issue.pull;
  const head = call.refs[`refs/heads/${headRef}`];
  const base = call.refs[`refs/heads/${baseRef}`];
  if (mergedAt !== null) throw refuseState('');
  if (head === undefined) throw refuseState(`The ${headRef} branch has been deleted.`);
  if (base === undefined) throw refuseState(`The ${baseRef} branch has been deleted.`);
  const depot = call.world.depot(call.repo);
  if (!(await depot.isAncestor(issue.pull.headSha, head)))
    throw refuseState(`The ${headRef} branch was force-pushed or recreated.`);
  const compared = await depot.compare(base, head);
  if (!compared) throw refuseState(`The ${headRef} branch has no history in common with ${baseRef}.`);
  if (compared.aheadBy === 0) throw refuseState(`There are no new commits on the ${headRef} branch.`);
  const again = listPulls(call.world, call.repo).some(
    ({ state, pull }) => state === 'open' && pull.headRef === headRef && pull.baseRef === baseRef,
  );
  if (again) throw refuseState(`There is already an open pull request from ${headRef} to ${baseRef}.`);
}
