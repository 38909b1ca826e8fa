import { createApp } from '../apps/create-app.js';
import { registerApp } from '../control/app-control.js';
import { userNamed } from '../control/control.js';
import { addLabel } from '../domain/labels.js';
import { createToken } from '../domain/users.js';
import { ACTIONS_APP } from '../domain/workflow-runs.js';
import { createBareRepo } from '../git/create-repo.js';
import type { Person } from '../people/people.js';
import { born, stampOf, type World } from '../world/world.js';
import type { Seed, SeedApp } from './seed.js';

/** Fills an empty twin. The seed's people create the commits and issues through the API's routes. */
export async function applySeed(world: World, seed: Seed, as: (login: string) => Person): Promise<void> {
  for (const user of seed.users) addUser(world, user);
  if (!seed.users.some(({ login }) => login === ACTIONS_APP))
    addUser(world, { login: ACTIONS_APP, name: 'GitHub Actions', scopes: [] });
  addAppsOfBots(world);
  for (const { files, issues, ...repo } of seed.repos) {
    const owner = await addRepo(world, repo);
    if (Object.keys(files).length > 0)
      await as(owner).push(repo.name, { branch: repo.defaultBranch, files, message: 'Initial commit' });
    for (const { by = owner, ...issue } of issues) await as(by).openIssue(repo.name, issue);
  }
  for (const app of seed.apps) addApp(world, app);
}

function addUser(world: World, seed: Seed['users'][number]): void {
  const { store } = world;
  const id = store.nextId();
  const type = seed.type ?? (seed.login.endsWith('[bot]') ? 'Bot' : 'User');
  const email = seed.email ?? `${id}+${seed.login.replace('[bot]', '')}@users.noreply.github.com`;
  store.users.put({ id, login: seed.login, name: seed.name ?? null, email, type, createdAt: stampOf(world) });
  if (type !== 'Organization') createToken(world, id, { scopes: seed.scopes, secret: seed.token });
}

/** As on GitHub, every bot belongs to an App. These Apps have no keys, because their bots have tokens of their own. */
function addAppsOfBots(world: World): void {
  const users = world.store.users.all();
  const owner =
    users.find(({ type }) => type === 'Organization') ?? users.find(({ type }) => type === 'User');
  for (const bot of users.filter(({ type }) => type === 'Bot')) {
    const slug = bot.login.replace(/\[bot\]$/, '');
    const permissions = { checks: 'write', contents: 'read' } as const;
    createApp(world, { slug, name: bot.name ?? slug, owner: owner ?? bot, permissions, events: [] }, bot);
  }
}

function addApp(world: World, { owner, keys, installations, ...seed }: SeedApp): void {
  const app = registerApp(world, { ...seed, owner });
  for (const pem of keys) app.addKey(pem);
  if (keys.length === 0) app.addKey();
  for (const { account, repositories } of installations) app.install(account, repositories);
}

/** Adds a repository and returns its owner's login. */
async function addRepo(world: World, seed: Omit<Seed['repos'][number], 'files' | 'issues'>): Promise<string> {
  const [ownerName = '', name = ''] = seed.name.split('/');
  const { login: owner } = userNamed(world, ownerName);
  for (const login of Object.keys(seed.permissions)) userNamed(world, login);
  const { labels, ...rest } = seed;
  const fresh = { formerNames: [], archived: false, nextNumber: 1, pushedAt: stampOf(world) };
  const repo = world.store.repos.put({ ...born(world), ...rest, ...fresh, owner, name });
  await createBareRepo(world.gitRepo(repo).dir, repo.defaultBranch);
  for (const label of labels) addLabel({ world, repo }, label);
  return owner;
}
