import { permissionOf } from '../domain/permissions.js';
import { Permission, type Repo, type User } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { nodeId, viewUser } from './user.js';

/** The forty URLs that every repository object carries, by the part behind the repository's own URL. */
const LINKS = {
  forks_url: '/forks',
  keys_url: '/keys{/key_id}',
  collaborators_url: '/collaborators{/collaborator}',
  teams_url: '/teams',
  hooks_url: '/hooks',
  issue_events_url: '/issues/events{/number}',
  events_url: '/events',
  assignees_url: '/assignees{/user}',
  branches_url: '/branches{/branch}',
  tags_url: '/tags',
  blobs_url: '/git/blobs{/sha}',
  git_tags_url: '/git/tags{/sha}',
  git_refs_url: '/git/refs{/sha}',
  trees_url: '/git/trees{/sha}',
  statuses_url: '/statuses/{sha}',
  languages_url: '/languages',
  stargazers_url: '/stargazers',
  contributors_url: '/contributors',
  subscribers_url: '/subscribers',
  subscription_url: '/subscription',
  commits_url: '/commits{/sha}',
  git_commits_url: '/git/commits{/sha}',
  comments_url: '/comments{/number}',
  issue_comment_url: '/issues/comments{/number}',
  contents_url: '/contents/{+path}',
  compare_url: '/compare/{base}...{head}',
  merges_url: '/merges',
  archive_url: '/{archive_format}{/ref}',
  downloads_url: '/downloads',
  issues_url: '/issues{/number}',
  pulls_url: '/pulls{/number}',
  milestones_url: '/milestones{/number}',
  notifications_url: '/notifications{?since,all,participating}',
  labels_url: '/labels{/name}',
  releases_url: '/releases{/id}',
  deployments_url: '/deployments',
} as const;

export const repoUrl = ({ api }: ViewContext, repo: Repo) => `${api}/repos/${repo.owner}/${repo.name}`;
export const repoPage = ({ world }: ViewContext, repo: Repo) => `${world.url}/${repo.owner}/${repo.name}`;

export function viewMinimalRepo(context: ViewContext, repo: Repo) {
  const url = repoUrl(context, repo);
  const owner = context.world.store.users.find((user) => user.login === repo.owner);
  if (!owner) throw new Error(`${repo.owner}, the owner of ${repo.name}, is no user`);
  return {
    id: repo.id,
    node_id: nodeId('R', repo.id),
    name: repo.name,
    full_name: `${repo.owner}/${repo.name}`,
    private: repo.private,
    owner: viewUser(context, owner),
    html_url: repoPage(context, repo),
    description: repo.description,
    fork: false,
    url,
    ...Object.fromEntries(Object.entries(LINKS).map(([name, part]) => [name, `${url}${part}`])),
  };
}

/** As it stands inside pull requests; the same object for all rows of a page is rendered once by the caller. */
export function viewRepo(context: ViewContext, repo: Repo) {
  const page = repoPage(context, repo);
  const open = context.world.store.issues.filter(
    (issue) => issue.repoId === repo.id && issue.state === 'open' && !issue.deleted,
  ).length;
  return {
    ...viewMinimalRepo(context, repo),
    created_at: repo.createdAt,
    updated_at: repo.updatedAt,
    pushed_at: repo.pushedAt,
    git_url: page.replace(/^http/, 'git').concat('.git'),
    ssh_url: `git@${new URL(context.world.url).hostname}:${repo.owner}/${repo.name}.git`,
    clone_url: `${page}.git`,
    svn_url: page,
    homepage: null,
    size: 1,
    stargazers_count: 0,
    watchers_count: 0,
    language: null,
    has_issues: true,
    has_projects: false,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    mirror_url: null,
    archived: repo.archived,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: [],
    visibility: repo.private ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repo.defaultBranch,
  };
}

export function viewFullRepo(context: ViewContext, repo: Repo, viewer: User) {
  return {
    ...viewRepo(context, repo),
    permissions: viewPermissions(repo, viewer),
    allow_squash_merge: true,
    allow_merge_commit: true,
    allow_rebase_merge: false,
    allow_auto_merge: false,
    delete_branch_on_merge: false,
    network_count: 0,
    subscribers_count: 0,
  };
}

export function viewPermissions(repo: Repo, user: User) {
  const have = permissionOf(repo, user);
  const rank = have === null ? -1 : Permission.options.indexOf(have);
  const names = {
    read: 'pull',
    triage: 'triage',
    write: 'push',
    maintain: 'maintain',
    admin: 'admin',
  } as const;
  return Object.fromEntries(Permission.options.map((name, index) => [names[name], rank >= index]));
}
