import { includes } from '../apps/installations.js';
import { listIssues } from '../domain/issues.js';
import { fullName, hasPermission, type Visitor } from '../domain/permissions.js';
import { findUser } from '../domain/users.js';
import { Permission } from '../store/rows.js';
import type { InRepo, RepoView } from '../world/world.js';
import { viewAddresses, viewFields, viewUserOf } from './user.js';

/** Fields of features that the twin's repositories never have. */
const ZEROS = ['stargazers_count', 'watchers_count', 'forks_count', 'forks', 'watchers'];
const NULLS = ['homepage', 'language', 'mirror_url', 'license'];
const FALSES = [
  'has_projects',
  'has_wiki',
  'has_pages',
  'has_discussions',
  'disabled',
  'allow_forking',
  'is_template',
  'web_commit_signoff_required',
];
const NEVER = Object.fromEntries([
  ...ZEROS.map((name) => [name, 0]),
  ...NULLS.map((name) => [name, null]),
  ...FALSES.map((name) => [name, false]),
]);

export const repoUrl = ({ api, repo }: RepoView) => `${api}/repos/${repo.owner}/${repo.name}`;
export const repoPage = ({ world, repo }: InRepo) => `${world.url}/${repo.owner}/${repo.name}`;

export function viewOwner(context: RepoView) {
  return viewUserOf(context, findUser(context.world, context.repo.owner)?.id ?? null);
}

export function viewMinimalRepo(context: RepoView) {
  const { repo } = context;
  const url = repoUrl(context);
  return {
    ...viewAddresses(context, 'minimal-repository', url),
    ...viewFields('R', repo, ['name', 'private', 'description']),
    full_name: fullName(repo),
    owner: viewOwner(context),
    html_url: repoPage(context),
    fork: false,
    url,
  };
}

/** Renders a repository inside a pull request. The caller renders it once for all rows of a page. */
export function viewRepo(context: RepoView) {
  const { world, repo } = context;
  const page = repoPage(context);
  const open = listIssues(context).filter((issue) => issue.state === 'open').length;
  return {
    ...viewMinimalRepo(context),
    ...NEVER,
    ...viewFields('R', repo, ['createdAt', 'updatedAt', 'pushedAt', 'archived', 'defaultBranch']),
    git_url: page.replace(/^http/, 'git').concat('.git'),
    ssh_url: `git@${new URL(world.url).hostname}:${fullName(repo)}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    size: 1,
    has_issues: true,
    has_pull_requests: true,
    pull_request_creation_policy: 'all',
    topics: [],
    has_downloads: true,
    open_issues_count: open,
    visibility: repo.private ? 'private' : 'public',
    open_issues: open,
  };
}

export function viewFullRepo(context: RepoView & Visitor) {
  const names = ['pull', 'triage', 'push', 'maintain', 'admin'];
  const has = (need: Permission) => mayShow(context, need);
  return {
    ...viewRepo(context),
    permissions: Object.fromEntries(Permission.options.map((need, rank) => [names[rank], has(need)])),
    network_count: 0,
    subscribers_count: 0,
  };
}

/** An App with `contents: write` can push, but is never a maintainer. */
function mayShow({ repo, user, access }: RepoView & Visitor, need: Permission): boolean {
  if (!access) return hasPermission(repo, user, need);
  if (need === 'read') return true;
  return ['triage', 'write'].includes(need) && includes(access.permissions, 'contents', 'write');
}
