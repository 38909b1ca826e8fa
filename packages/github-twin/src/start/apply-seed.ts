import { userNamed } from '../control/control.js';
import { openIssue } from '../domain/issues.js';
import { ensureLabels } from '../domain/labels.js';
import { syncRefs } from '../domain/sync-refs.js';
import { createToken } from '../domain/tokens.js';
import { ACTIONS_APP } from '../domain/workflow-runs.js';
import { createBareRepo } from '../git/create-repo.js';
import { setRef } from '../git/refs.js';
import { writeCommit } from '../git/write-files.js';
import { actingAs } from '../history/history.js';
import type { Repo } from '../store/rows.js';
import type { World } from '../world/world.js';
import type { Seed } from './seed.js';

/** Fills an empty twin. A twin that was started before keeps what it has. */
export async function applySeed(world: World, seed: Seed): Promise<void> {
  for (const user of seed.users) addUser(world, user);
  if (!world.store.users.find((user) => user.login === ACTIONS_APP))
    addUser(world, { login: ACTIONS_APP, name: 'GitHub Actions', scopes: [] });
  for (const repo of seed.repos) await addRepo(world, repo);
}

function addUser(world: World, seed: Seed['users'][number]): void {
  const { store } = world;
  const id = store.nextId();
  const type = seed.type ?? (seed.login.endsWith('[bot]') ? 'Bot' : 'User');
  const plain = seed.login.replace('[bot]', '');
  const email = seed.email ?? `${id}+${plain}@users.noreply.github.com`;
  store.users.put({ id, login: seed.login, name: seed.name ?? null, email, type, createdAt: world.stamp() });
  if (type === 'Organization') return;
  createToken(world, id, { scopes: seed.scopes, secret: seed.token });
}

async function addRepo(world: World, seed: Seed['repos'][number]): Promise<void> {
  const { store } = world;
  const [owner = '', name = ''] = seed.name.split('/');
  const ownerRow = userNamed(world, owner);
  for (const login of Object.keys(seed.permissions)) userNamed(world, login);
  const now = world.stamp();
  const repo = store.repos.put({
    id: store.nextId(),
    owner: ownerRow.login,
    name,
    formerNames: [],
    description: seed.description,
    private: seed.private,
    archived: false,
    defaultBranch: seed.defaultBranch,
    protectedBranches: seed.protectedBranches,
    permissions: seed.permissions,
    nextNumber: 1,
    createdAt: now,
    updatedAt: now,
    pushedAt: now,
  });
  await createBareRepo(world.gitRepo(repo).dir, repo.defaultBranch);
  if (Object.keys(seed.files).length > 0) await addFiles(world, repo, seed.files);
  for (const label of seed.labels) store.labels.put({ id: store.nextId(), repoId: repo.id, ...label });
  for (const issue of seed.issues) actingAs(issue.by ?? owner, () => addIssue(world, repo, issue));
}

async function addFiles(world: World, repo: Repo, files: Record<string, string>): Promise<void> {
  const owner = userNamed(world, repo.owner);
  const { dir } = world.gitRepo(repo);
  const author = { name: owner.name ?? owner.login, email: owner.email };
  const sha = await writeCommit(dir, {
    files,
    message: 'Initial commit',
    parent: null,
    author,
    atMs: world.clock.now(),
  });
  await setRef(dir, `refs/heads/${repo.defaultBranch}`, sha);
  await syncRefs(world, repo, owner);
}

function addIssue(world: World, repo: Repo, seed: Seed['repos'][number]['issues'][number]): void {
  const { store } = world;
  const issue = openIssue(world, repo, userNamed(world, seed.by ?? repo.owner), {
    title: seed.title,
    body: seed.body ?? null,
    labelIds: ensureLabels(world, repo, seed.labels),
    pull: null,
  });
  const now = world.stamp();
  for (const { by, body } of seed.comments)
    store.comments.put({
      id: store.nextId(),
      repoId: repo.id,
      number: issue.number,
      userId: userNamed(world, by).id,
      body,
      createdAt: now,
      updatedAt: now,
      bornMs: world.clock.now(),
    });
}
