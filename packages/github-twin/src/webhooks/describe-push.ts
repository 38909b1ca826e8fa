import { fullName } from '../domain/permissions.js';
import { findByEmail, findUser } from '../domain/users.js';
import { type CommitInfo, listCommits, type Person } from '../git/commits.js';
import type { HistoryEntry } from '../history/history.js';
import { repoPage, viewOwner, viewRepo } from '../views/repo.js';
import type { RepoView, World } from '../world/world.js';
import { type Announcement, announce } from './announcement.js';

/** GitHub lists no more commits in one event. */
const MOST_COMMITS = 2_048;
const NO_COMMIT = '0'.repeat(40);

type RefEntry = Extract<HistoryEntry, { kind: 'ref' }>;

/** Describes a push to one branch or tag. */
export function describePush(world: World, entry: RefEntry): Announcement[] {
  const repo = world.store.repos.find((row) => fullName(row) === entry.repo);
  if (!repo) return [];
  return announce(world, { event: 'push', repoId: repo.id }, (view) => viewPush(view, entry));
}

async function viewPush(view: RepoView, { ref, before, after, forced, by }: RefEntry): Promise<object> {
  const { world } = view;
  const pusher = by === null ? undefined : findUser(world, by);
  const commits = after === null ? [] : await readPushed(view, { ref, before, after });
  const viewed = await Promise.all(commits.map((commit) => viewPushed(view, commit)));
  return {
    ref,
    before: before ?? NO_COMMIT,
    after: after ?? NO_COMMIT,
    created: before === null,
    deleted: after === null,
    forced,
    base_ref: null,
    compare: comparePage(view, { ref, before, after }),
    commits: viewed,
    head_commit: after === null ? null : await viewHead(view, after),
    repository: viewPushedRepo(view),
    pusher: pusher ? { name: pusher.login, email: pusher.email } : { name: 'deploy_key' },
  };
}

type Move = { ref: string; before: string | null; after: string };

/** Lists the pushed commits, oldest first. A new branch brings only commits that the default branch lacks. */
function readPushed({ world, repo }: RepoView, { ref, before, after }: Move): Promise<CommitInfo[]> {
  const gitRepo = world.gitRepo(repo);
  const isDefault = ref === `refs/heads/${repo.defaultBranch}`;
  const base = before ?? (isDefault ? undefined : gitRepo.branch(repo.defaultBranch));
  const range = ['--reverse', '--topo-order', after, ...(base === undefined ? [] : [`^${base}`])];
  return listCommits(gitRepo.dir, range).then((commits) => commits.slice(-MOST_COMMITS));
}

async function viewHead(view: RepoView, sha: string): Promise<object> {
  return viewPushed(view, await view.world.gitRepo(view.repo).readCommit(sha));
}

async function viewPushed(view: RepoView, commit: CommitInfo): Promise<object> {
  const changes = await view.world.gitRepo(view.repo).readChanges(commit);
  const list = (...kinds: string[]) =>
    changes.filter(({ status }) => kinds.includes(status)).map(({ filename }) => filename);
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${repoPage(view)}/commit/${commit.sha}`,
    author: viewSigner(view, commit.author),
    committer: viewSigner(view, commit.committer),
    added: list('added', 'copied'),
    removed: list('removed'),
    modified: list('modified', 'renamed', 'changed'),
  };
}

function viewSigner({ world }: RepoView, { name, email, date }: Person): object {
  const user = findByEmail(world, email);
  return { name, email, date, ...(user && { username: user.login }) };
}

function comparePage(view: RepoView, { ref, before, after }: Pick<RefEntry, 'ref' | 'before' | 'after'>) {
  const page = `${repoPage(view)}/compare/`;
  const name = ref.replace(/^refs\/(heads|tags)\//, '');
  const short = (sha: string) => sha.slice(0, 12);
  if (before === null) return `${page}${name}`;
  return `${page}${short(before)}...${after === null ? short(NO_COMMIT) : short(after)}`;
}

/** In a push, two times of the repository are Unix times, and its owner has a name and an email address. */
function viewPushedRepo(view: RepoView): object {
  const { repo, world } = view;
  const toUnix = (time: string) => Math.floor(Date.parse(time) / 1000);
  const owner = findUser(world, repo.owner);
  return {
    ...viewRepo(view),
    created_at: toUnix(repo.createdAt),
    pushed_at: toUnix(repo.pushedAt),
    owner: { name: repo.owner, email: owner?.email ?? null, ...viewOwner(view) },
    stargazers: 0,
    master_branch: repo.defaultBranch,
  };
}
