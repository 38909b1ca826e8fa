import type { RepoConfig } from '@mergexo/config';
import { z } from 'zod';
import type { Ask } from './ask-github.js';
import { type Finding, finding } from './finding.js';

const Login = z.object({ login: z.string() });
const Access = z.object({ permissions: z.object({ push: z.boolean() }).optional() });

/** The second login: whether GitHub would count its approvals. Without it, reviews are comments. */
export async function inspectReviewer(
  ask: Ask,
  repos: readonly RepoConfig[],
  author: string,
): Promise<Finding[]> {
  const answer = await ask('/user');
  const parsed = Login.safeParse(answer.kind === 'heard' && answer.status === 200 ? answer.data : undefined);
  if (!parsed.success) {
    const fix =
      'Make a new token for the reviewer, or unset MERGEXO_REVIEWER_TOKEN: reviews are comments then.';
    return [finding('reviewer', 'failure', 'GitHub does not take MERGEXO_REVIEWER_TOKEN', fix)];
  }
  const { login } = parsed.data;
  if (login.toLowerCase() === author.toLowerCase()) {
    const fix = 'Use the token of another login: nobody can approve or reject a pull request of their own.';
    return [finding('reviewer', 'warning', `MERGEXO_REVIEWER_TOKEN belongs to ${author} too`, fix)];
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
    return finding('reviewer', 'failure', `GitHub shows ${login} no repository ${fullName}`, fix);
  if (repo.data.permissions?.push === true)
    return finding('reviewer', 'ok', `${login} may approve and reject in ${fullName}`);
  return finding('reviewer', 'warning', `reviews of ${login} in ${fullName} do not count for its rules`, fix);
}
