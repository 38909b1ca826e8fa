import { invalid } from '../basics/api-error.js';
import type { PullIssue } from '../store/rows.js';
import type { InRepo } from '../world/world.js';
import { listPulls } from './issues.js';

/** Throws if a closed pull request cannot be reopened, for example because it has no commits left to merge. */
export async function refuseReopening(where: InRepo, issue: PullIssue): Promise<void> {
  const obstacle = await findObstacle(where, issue);
  if (obstacle === undefined) return;
  const message = `state cannot be changed. ${obstacle}`.trim();
  throw invalid({ resource: 'PullRequest', code: 'custom', field: 'state', message });
}

async function findObstacle(where: InRepo, { pull }: PullIssue): Promise<string | undefined> {
  const { headRef, baseRef } = pull;
  const gitRepo = where.world.gitRepo(where.repo);
  const [head, base] = [gitRepo.branch(headRef), gitRepo.branch(baseRef)];
  if (pull.mergedAt !== null) return '';
  if (head === undefined) return `The ${headRef} branch has been deleted.`;
  if (base === undefined) return `The ${baseRef} branch has been deleted.`;
  if (!(await gitRepo.isAncestor(pull.headSha, head)))
    return `The ${headRef} branch was force-pushed or recreated.`;
  const compared = await gitRepo.compare(base, head);
  if (!compared) return `The ${headRef} branch has no history in common with ${baseRef}.`;
  if (compared.aheadBy === 0) return `There are no new commits on the ${headRef} branch.`;
  const again = listPulls(where).some(
    (other) => other.state === 'open' && other.pull.headRef === headRef && other.pull.baseRef === baseRef,
  );
  return again ? `There is already an open pull request from ${headRef} to ${baseRef}.` : undefined;
}
