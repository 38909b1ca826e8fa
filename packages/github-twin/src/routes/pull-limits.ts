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
const refuseBase = (message: string) =>
  invalid({ resource: 'PullRequest', code: 'invalid', field: 'base', message });

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
  if (hasSame(call, issue, baseRef))
    throw refuseState(`There is already an open pull request from ${headRef} to ${baseRef}.`);
}

/** What keeps a pull request on its base. */
export async function refuseBaseChange(call: RepoCall, issue: PullIssue, base: string): Promise<void> {
  const { headRef, headSha, baseRef } = issue.pull;
  if (base === baseRef) return;
  const sha = call.refs[`refs/heads/${base}`];
  if (issue.state === 'closed') throw refuseBase('Cannot change the base branch of a closed pull request.');
  if (sha === undefined) throw refuseBase(`Proposed base branch '${base}' was not found`);
  const compared = base === headRef ? undefined : await call.world.depot(call.repo).compare(sha, headSha);
  if (!compared || compared.aheadBy === 0)
    throw refuseBase(`There are no new commits between base branch '${base}' and head branch '${headRef}'`);
  if (hasSame(call, issue, base))
    throw refuseBase(`A pull request already exists for base branch '${base}' and head branch '${headRef}'`);
}

function hasSame(call: RepoCall, issue: PullIssue, baseRef: string): boolean {
  return listPulls(call.world, call.repo).some(
    ({ id, state, pull }) =>
      id !== issue.id && state === 'open' && pull.headRef === issue.pull.headRef && pull.baseRef === baseRef,
  );
}
