import type { RepoConfig } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Ask } from './ask-github.js';
import { type Finding, failure, ok, warning } from './finding.js';

const Repo = z.object({
  full_name: z.string(),
  private: z.boolean(),
  archived: z.boolean(),
  default_branch: z.string(),
  owner: z.object({ login: z.string(), type: z.string() }),
  permissions: z.object({ push: z.boolean() }).optional(),
});
type Repo = z.infer<typeof Repo>;

/** `isPrivate` is true for an unreadable repository, because most unreadable repositories are private. */
export type RepoReport = { findings: Finding[]; isPrivate: boolean };

/** The account that the checks use. GitHub reports no role for an App. */
export type Inspector = { name: string; isApp: boolean };

export async function inspectRepo(
  ask: Ask,
  config: RepoConfig,
  { name: viewer, isApp }: Inspector,
): Promise<RepoReport> {
  const answer = await ask(`/repos/${config.fullName}`);
  const parsed = Repo.safeParse(answer.kind === 'heard' ? answer.data : undefined);
  if (answer.kind === 'silent' || answer.status !== 200 || !parsed.success) {
    return { findings: [describeMissing(config, viewer, answer)], isPrivate: true };
  }
  const repo = parsed.data;
  const findings = [
    ...checkName(config, repo),
    checkAccess(config, repo, { name: viewer, isApp }),
    ...checkPeople(config, repo),
    await checkBranch(ask, config, repo),
    await checkLabels(ask, config),
  ];
  return { findings, isPrivate: repo.private };
}

function describeMissing({ fullName, id }: RepoConfig, viewer: string, answer: Answer): Finding {
  if (answer.kind === 'heard' && answer.status === 404) {
    const fix =
      `Correct owner and name in [repo.${id}], or give ${viewer} access to the repository. ` +
      'A fine-grained token must also include the repository, and a classic one needs the scope repo if it is private.';
    return failure('repo', `${viewer} cannot see the repository ${fullName} on GitHub`, fix);
  }
  const what = answer.kind === 'silent' ? answer.reason : `GitHub answered with ${answer.status}`;
  return failure('repo', `could not read ${fullName} from GitHub: ${what}`, 'Try again later.');
}

function checkName({ fullName, id }: RepoConfig, repo: Repo): Finding[] {
  if (repo.full_name.toLowerCase() === fullName.toLowerCase()) return [];
  const fix = `Set the new name in [repo.${id}]: somebody else may take the old one.`;
  return [warning('repo', `${fullName} is now called ${repo.full_name}`, fix)];
}

function checkAccess({ fullName, id }: RepoConfig, repo: Repo, { name: viewer, isApp }: Inspector): Finding {
  if (repo.archived) {
    const fix = `Unarchive it on GitHub, or remove [repo.${id}].`;
    return failure('access', `${fullName} is archived: nobody can write to it`, fix);
  }
  if (isApp) return ok('access', `${viewer} can read ${fullName}`);
  if (repo.permissions?.push !== true) {
    const fix = `Give ${viewer} the role Write in the settings of ${fullName} (Collaborators), or use another login.`;
    return failure('access', `${viewer} can read ${fullName}, but cannot push to it`, fix);
  }
  return ok('access', `${viewer} can read and write ${fullName}`);
}

/**
 * Reports an organization whose `allowed_users` names only the owner, which is the default. An organization cannot
 * comment, so MergeXO would ignore everybody.
 */
function checkPeople({ fullName, id, allowedUsers }: RepoConfig, { owner }: Repo): Finding[] {
  const isOwner = (login: string): boolean => login.toLowerCase() === owner.login.toLowerCase();
  if (owner.type !== 'Organization' || !allowedUsers.every(isOwner)) return [];
  const fix = `Set allowed_users in [repo.${id}] to the logins of the people whose issues and comments count.`;
  return [
    failure('people', `${fullName} belongs to an organisation, and allowed_users names no person`, fix),
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
    return failure('branch', `${fullName} has no branch ${defaultBranch}`, fix);
  }
  if (theirs === defaultBranch) return ok('branch', `${fullName}: ${defaultBranch}`);
  const fix = `Set default_branch = ${JSON.stringify(theirs)} in [repo.${id}], unless the difference is intended.`;
  return warning(
    'branch',
    `pull requests go to ${defaultBranch}, but the default branch of ${fullName} is ${theirs}`,
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
  if (missing.length === 0) return ok('labels', `${fullName} has all labels`);
  const detail = `${fullName} has no label ${missing.join(', ')}`;
  return warning('labels', detail, `Run \`${MERGEXO_CLI} init --labels\`, or create them on GitHub.`);
}
