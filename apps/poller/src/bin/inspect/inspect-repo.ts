import type { RepoConfig } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Ask } from './ask-github.js';
import { type Finding, finding } from './finding.js';

const Repo = z.object({
  full_name: z.string(),
  private: z.boolean(),
  archived: z.boolean(),
  default_branch: z.string(),
  owner: z.object({ login: z.string(), type: z.string() }),
  permissions: z.object({ push: z.boolean() }).optional(),
});
type Repo = z.infer<typeof Repo>;

/** One that cannot be seen counts as private: that is the usual reason. */
export type RepoReport = { findings: Finding[]; isPrivate: boolean };

export async function inspectRepo(ask: Ask, config: RepoConfig, viewer: string): Promise<RepoReport> {
  const answer = await ask(`/repos/${config.fullName}`);
  const parsed = Repo.safeParse(answer.kind === 'heard' ? answer.data : undefined);
  if (answer.kind === 'silent' || answer.status !== 200 || !parsed.success) {
    return { findings: [describeMissing(config, viewer, answer)], isPrivate: true };
  }
  const repo = parsed.data;
  const findings = [
    ...checkName(config, repo),
    checkAccess(config, repo, viewer),
    ...checkPeople(config, repo),
    await checkBranch(ask, config, repo),
    await checkLabels(ask, config),
  ];
  return { findings, isPrivate: repo.private };
}

function describeMissing({ fullName, id }: RepoConfig, viewer: string, answer: Answer): Finding {
  if (answer.kind === 'heard' && answer.status === 404) {
    const fix =
      `Mend owner and name in [repo.${id}], or give ${viewer} access to it; ` +
      'a fine-grained token must also name the repository, and a classic one needs the scope repo if it is private.';
    return finding('repo', 'failure', `GitHub shows ${viewer} no repository ${fullName}`, fix);
  }
  const what = answer.kind === 'silent' ? answer.reason : `it answers with ${answer.status}`;
  return finding('repo', 'failure', `GitHub did not show ${fullName}: ${what}`, 'Try again in a while.');
}

function checkName({ fullName, id }: RepoConfig, repo: Repo): Finding[] {
  if (repo.full_name.toLowerCase() === fullName.toLowerCase()) return [];
  const fix = `Write the new name in [repo.${id}]: the old one may belong to somebody else tomorrow.`;
  return [finding('repo', 'warning', `${fullName} is called ${repo.full_name} now`, fix)];
}

function checkAccess({ fullName, id }: RepoConfig, repo: Repo, viewer: string): Finding {
  if (repo.archived) {
    const fix = `Unarchive it on GitHub, or remove [repo.${id}].`;
    return finding('access', 'failure', `${fullName} is archived: nobody can write to it`, fix);
  }
  if (repo.permissions?.push !== true) {
    const fix = `Give ${viewer} the role Write in the settings of ${fullName} (Collaborators), or use another login.`;
    return finding('access', 'failure', `${viewer} may read ${fullName}, but not push to it`, fix);
  }
  return finding('access', 'ok', `${viewer} may read and write ${fullName}`);
}

/** Nobody ever comments as an organisation: with the default, everybody would be ignored. */
function checkPeople({ fullName, id, allowedUsers }: RepoConfig, { owner }: Repo): Finding[] {
  const isOwner = (login: string): boolean => login.toLowerCase() === owner.login.toLowerCase();
  if (owner.type !== 'Organization' || !allowedUsers.every(isOwner)) return [];
  const fix = `Set allowed_users in [repo.${id}] to the logins of the people whose issues and comments count.`;
  return [
    finding('people', 'failure', `${fullName} belongs to an organisation, and no person is allowed`, fix),
  ];
}

async function checkBranch(
  ask: Ask,
  { fullName, id, defaultBranch }: RepoConfig,
  repo: Repo,
): Promise<Finding> {
  const theirs = repo.default_branch;
  const answer = await ask(`/repos/${fullName}/branches/${encodeURIComponent(defaultBranch)}`);
  if (answer.kind === 'heard' && answer.status === 404) {
    const fix =
      theirs === defaultBranch
        ? 'Push a first commit to it.'
        : `Set default_branch = ${JSON.stringify(theirs)} in [repo.${id}].`;
    return finding('branch', 'failure', `${fullName} has no branch ${defaultBranch}`, fix);
  }
  if (theirs === defaultBranch) return finding('branch', 'ok', `${fullName}: ${defaultBranch}`);
  const fix = `Set default_branch = ${JSON.stringify(theirs)} in [repo.${id}], unless you mean it.`;
  return finding(
    'branch',
    'warning',
    `pull requests go to ${defaultBranch}, but ${fullName} has ${theirs}`,
    fix,
  );
}

async function checkLabels(
  ask: Ask,
  { fullName, labels, review, reviewEnabled }: RepoConfig,
): Promise<Finding> {
  const missing: string[] = [];
  const wanted = [...Object.values(labels), ...(reviewEnabled ? [review.escalationLabel] : [])];
  for (const label of wanted) {
    const answer = await ask(`/repos/${fullName}/labels/${encodeURIComponent(label)}`);
    if (answer.kind === 'heard' && answer.status === 404) missing.push(label);
  }
  if (missing.length === 0) return finding('labels', 'ok', `${fullName} has them all`);
  const detail = `${fullName} has no label ${missing.join(', ')}`;
  return finding(
    'labels',
    'warning',
    detail,
    `Run \`${MERGEXO_CLI} init --labels\`, or create them on GitHub.`,
  );
}
