import { generateKeyPairSync, randomBytes } from 'node:crypto';
import type { App, AppKey } from '../store/app-rows.js';
import type { Grants, User } from '../store/rows.js';
import { born, stampOf, type World } from '../world/world.js';

export type NewApp = { slug: string; name: string; owner: User; permissions: Grants; events: string[] };

const MOST_KEYS = 25;

export const botLoginOf = (slug: string) => `${slug}[bot]`;

/** Registers an App. `bot` is its user, if the twin already has it. */
export function createApp(world: World, { owner, ...wanted }: NewApp, bot?: User): App {
  const { id: botId } = bot ?? addBot(world, wanted.slug, wanted.name);
  const clientId = `Iv23li${randomBytes(12).toString('base64url').replace(/[-_]/g, 'x').slice(0, 14)}`;
  const permissions: Grants = { ...wanted.permissions, metadata: 'read' };
  return world.store.apps.put({
    ...born(world),
    ...wanted,
    permissions,
    clientId,
    ownerId: owner.id,
    botId,
  });
}

function addBot(world: World, slug: string, name: string): User {
  const id = world.store.nextId();
  const login = botLoginOf(slug);
  const email = `${id}+${login}@users.noreply.github.com`;
  return world.store.users.put({ id, login, name, email, type: 'Bot', createdAt: stampOf(world) });
}

export const listKeys = ({ store }: World, app: App): AppKey[] =>
  store.appKeys.filter((row) => row.appId === app.id);

/** Adds a private key, a new one unless `pem` is given. GitHub's keys are PKCS #1 and never expire. */
export function addKey(world: World, app: App, pem = generateKey()): AppKey {
  if (listKeys(world, app).length >= MOST_KEYS)
    throw new Error(`the App ${app.slug} has ${MOST_KEYS} keys, which is GitHub's maximum`);
  return world.store.appKeys.put({ id: world.store.nextId(), appId: app.id, pem });
}

function generateKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

export function findApp({ store }: World, slug: string): App | undefined {
  return store.apps.find((row) => row.slug === slug);
}

/** Finds the App that owns this bot user. */
export function findAppOfBot({ store }: World, userId: number): App | undefined {
  return store.apps.find((row) => row.botId === userId);
}
