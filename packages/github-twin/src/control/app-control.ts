import { addKey, botLoginOf, createApp, findApp, listKeys } from '../apps/create-app.js';
import {
  acceptPermissions,
  findInstallation,
  install,
  setPermissions,
  setSuspended,
  uninstall,
} from '../apps/installations.js';
import { mintToken, type WantedToken } from '../apps/mint-token.js';
import { findUser } from '../domain/users.js';
import type { App, Installation } from '../store/app-rows.js';
import type { Grants } from '../store/rows.js';
import { stampOf, type World } from '../world/world.js';
import { repoNamed, userNamed } from './control.js';

/** An interface, so that inferred types show the name `AppControl`. */
export interface AppControl extends ReturnType<typeof createAppControl> {}

export type AppInput = {
  slug: string;
  owner: string;
  name?: string | undefined;
  permissions?: Grants;
  events?: string[];
};

/** Registers an App without a key, as an owner does on GitHub's website. */
export function registerApp(world: World, { slug, owner, name = slug, ...rest }: AppInput): AppControl {
  if (findApp(world, slug) || findUser(world, botLoginOf(slug)))
    throw new Error(`the twin already has an App or a user ${botLoginOf(slug)}`);
  const { permissions = {}, events = [] } = rest;
  createApp(world, { slug, name, owner: userNamed(world, owner), permissions, events });
  return createAppControl(world, slug);
}

/** Creates the actions that the owner of an App, and the owners of accounts that use it, have on GitHub's website. */
export function createAppControl(world: World, slug: string) {
  const { id, clientId, botId } = appNamed(world, slug);
  const app = (): App => appNamed(world, slug);
  const on = (account: string): Installation => {
    const found = findInstallation(world, app(), userNamed(world, account).id);
    if (!found) throw new Error(`the App ${slug} is not installed on ${account}`);
    return found;
  };
  const idsOf = (names: string[] | undefined) => names?.map((name) => repoNamed(world, name).id) ?? null;
  return {
    slug,
    id,
    clientId,
    /** The id of the bot user, which differs from the App's. */
    botId,
    login: botLoginOf(slug),
    /** The keys in order of age. `pem` is the private key, which GitHub shows only once. */
    keys: () => listKeys(world, app()).map(({ id: keyId, pem }) => ({ id: keyId, pem })),
    /** Adds a key and returns it. Generates the key unless it is given. */
    addKey: (pem?: string) => addKey(world, app(), pem),
    removeKey: (keyId: number) => world.store.appKeys.remove(keyId),
    /** Installs the App on all repositories of an account, or on these. Returns the id of the installation. */
    install: (account: string, repositories?: string[]) =>
      install(world, app(), { account: userNamed(world, account), repoIds: idsOf(repositories) }).id,
    installationId: (account: string) => on(account).id,
    /** Changes the repositories of an installation. Without a list, selects all repositories of the account. */
    selectRepositories: (account: string, repositories?: string[]) =>
      void world.store.installations.put({
        ...on(account),
        repoIds: idsOf(repositories),
        updatedAt: stampOf(world),
      }),
    suspend: (account: string) => setSuspended(world, on(account), true),
    unsuspend: (account: string) => setSuspended(world, on(account), false),
    uninstall: (account: string) => uninstall(world, on(account)),
    /**
     * Changes the permissions that the App asks for. Removed permissions end at once; added ones need
     * `acceptPermissions`.
     */
    setPermissions: (permissions: Grants) => setPermissions(world, app(), permissions),
    acceptPermissions: (account: string) => acceptPermissions(world, on(account)),
    /** Creates an installation token without a request. */
    token: (account: string, wanted: WantedToken = {}) => mintToken(world, on(account), wanted).token.secret,
  };
}

function appNamed(world: World, slug: string): App {
  const app = findApp(world, slug);
  if (!app) throw new Error(`the twin has no App ${slug}`);
  return app;
}
