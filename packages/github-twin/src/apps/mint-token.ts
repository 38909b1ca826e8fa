import { randomBytes } from 'node:crypto';
import { ApiError } from '../basics/api-error.js';
import type { Installation } from '../store/app-rows.js';
import type { Grants, Repo, Token } from '../store/rows.js';
import type { World } from '../world/world.js';
import { includes, listRepos, permissionsOf } from './installations.js';

export type WantedToken = {
  repositories?: string[] | undefined;
  repository_ids?: number[] | undefined;
  permissions?: Grants | undefined;
};
export type Minted = { token: Token; permissions: Grants; repos: Repo[] | null };

const refuse = (message: string) => new ApiError(422, message);

/** Creates an installation token. It allows at most what the installation allows, and less if asked for. */
export function mintToken(world: World, installation: Installation, wanted: WantedToken): Minted {
  if (installation.suspendedAt !== null) throw new ApiError(403, 'This installation has been suspended');
  const app = world.store.apps.get(installation.appId);
  if (!app) throw new Error(`the App of installation ${installation.id} is gone`);
  const granted = permissionsOf(world, installation);
  const permissions = chooseGrants(granted, wanted.permissions);
  const repos = chooseRepos(listRepos(world, installation), wanted);
  const now = world.clock.now();
  const token = world.store.tokens.put({
    id: world.store.nextId(),
    secret: createSecret(app.id),
    userId: app.botId,
    scopes: [],
    // `expires_at` has whole seconds, and the token expires exactly then.
    expiresAtMs: Math.floor(now / 1000) * 1000 + world.quirks.installationTokenSeconds * 1000,
    installation: {
      installationId: installation.id,
      repoIds: repos?.map(({ id }) => id) ?? null,
      permissions,
      mintedAtMs: now,
    },
  });
  return { token, permissions, repos };
}

function chooseGrants(granted: Grants, wanted: Grants | undefined): Grants {
  if (wanted === undefined) return granted;
  const missing = Object.entries(wanted).some(([name, level]) => !includes(granted, name, level));
  if (missing) throw refuse('The permissions requested are not granted to this installation.');
  return { ...wanted, metadata: 'read' };
}

/** Returns null for all repositories of the installation. */
function chooseRepos(all: Repo[], { repositories, repository_ids: ids }: WantedToken): Repo[] | null {
  if (repositories === undefined && ids === undefined) return null;
  const isNamed = (repo: Repo) => (name: string) => name.toLowerCase() === repo.name.toLowerCase();
  const chosen = all.filter((repo) => repositories?.some(isNamed(repo)) || ids?.includes(repo.id));
  const wanted = new Set([...(repositories ?? []).map((name) => name.toLowerCase()), ...(ids ?? [])]);
  if (wanted.size > 500) throw refuse('You can request at most 500 repositories.');
  const known = new Set(chosen.flatMap((repo) => [repo.name.toLowerCase(), repo.id]));
  if (![...wanted].every((one) => known.has(one)))
    throw refuse(
      'There is at least one repository that does not exist or is not accessible to the parent installation.',
    );
  return chosen;
}

/** GitHub's tokens contain a JSON web token and have about 520 characters, with two dots. */
function createSecret(appId: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const header = encode({ alg: 'RS256', typ: 'JWT' });
  const payload = encode({ iss: 'github', jti: randomBytes(60).toString('hex') });
  return `ghs_${appId}_${header}.${payload}.${randomBytes(190).toString('base64url')}`;
}
