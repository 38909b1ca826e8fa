import type { RepoConfig } from '@mergexo/config';
import { z } from 'zod';
import type { Ask } from './ask-github.js';
import { type Finding, failure, ok, warning } from './finding.js';

const Login = z.object({ login: z.string() });
const Access = z.object({ permissions: z.object({ push: z.boolean() }).optional() });

/**
 * Checks that GitHub counts approvals by the reviewer's login. Without that login, MergeXO posts reviews as comments.
 */
export async function inspectReviewer(
  ask: Ask,
  repos: readonly RepoConfig[],
  author: string,
): Promise<Finding[]> {
  const answer = await ask('/user');
  const parsed = Login.safeParse(answer.kind === 'heard' && answer.status === 200 ? answer.data : undefined);
  if (!parsed.success) {
    const fix =
      'Create a new token for the reviewer, or unset MERGEXO_REVIEWER_TOKEN to post reviews as comments.';
    return [failure('reviewer', 'GitHub rejects MERGEXO_REVIEWER_TOKEN', fix)];
  }
  const { login } = parsed.data;
  if (login.toLowerCase() === author.toLowerCase()) {
    const fix = 'Use the token of another login: nobody can approve or reject their own pull request.';
    return [warning('reviewer', `MERGEXO_REVIEWER_TOKEN belongs to ${author} too`, fix)];
  }
  const findings: Finding[] = [];
  for (const { fullName } of repos.filter(({ reviewEnabled }) => reviewEnabled))
    findings.push(await checkAccess(ask, fullName, login));
  return findings;
}

async function checkAccess(ask: Ask, fullName: string, login: string): Promise<Finding> {
  const answer = await ask(`/repos/${fullName}`);
  const repo = Access.safeParse(answer.kind === 'heard' && answer.status === 200 ? answer.data : undefined);
  const fix = `Give ${login} the role Write in the settings of ${fullName} (Collaborators).`;
  if (!repo.success)
    return failure('reviewer', `${login} cannot see the repository ${fullName} on GitHub`, fix);
  if (repo.data.permissions?.push === true)
    return ok('reviewer', `${login} may approve and reject in ${fullName}`);
  return warning('reviewer', `reviews by ${login} do not count for the branch rules of ${fullName}`, fix);
}
