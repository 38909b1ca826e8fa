import { findIssue } from '../domain/issues.js';
import { fullName } from '../domain/permissions.js';
import { syncRefs } from '../domain/sync-refs.js';
import { createToken, findUser } from '../domain/users.js';
import type { FaultInput } from '../faults/fault.js';
import type { Payer } from '../limits/limiter.js';
import type { Permission, Repo, User } from '../store/rows.js';
import { addUpload, type UploadInput } from '../uploads/upload.js';
import type { Quirks, World } from '../world/world.js';

/** Makes changes that no API request can make: faults, time, expired tokens, deleted issues, renames. */
export function createControl(world: World) {
  const { store } = world;
  const change = (name: string, edit: (repo: Repo) => Partial<Repo>): void => {
    const repo = repoNamed(world, name);
    store.repos.put({ ...repo, ...edit(repo) });
  };
  return {
    fault: (fault: FaultInput) => world.faults.arm(fault),
    clearFaults: () => world.faults.clear(),
    /** Stores a file, as the comment box of GitHub's website does, and returns its URL. */
    upload: (input: UploadInput) => addUpload(world, input),
    /** Advances the twin's clock and returns its new time. */
    advance: (ms: number) => {
      world.clock.advance(ms);
      world.note({});
      return world.clock.now();
    },
    /** Counts the requests of a person, or of all installations of the App whose bot this is. */
    ledger: (login: string) => {
      const accounts = accountsOf(world, userNamed(world, login));
      return { counted: accounts.reduce((sum, { id }) => sum + world.limiter.ledger(id).counted, 0) };
    },
    /** Lists responses that violate GitHub's API description, and requests for routes that the twin lacks. */
    violations: () =>
      world.history.list('violation').map((entry) => `${entry.route}: ${entry.errors.join('; ')}`),
    set: (quirks: Partial<Quirks>) => void Object.assign(world.quirks, quirks),
    /** Expires all current tokens of the user. */
    expireToken: (login: string) => {
      const { id } = userNamed(world, login);
      for (const token of store.tokens.filter((row) => row.userId === id))
        store.tokens.put({ ...token, expiresAtMs: world.clock.now() });
    },
    /** Adds a token, as a refresh would. The history identifies tokens by their id. */
    addToken: (login: string, scopes = ['repo', 'workflow', 'read:org']) =>
      createToken(world, userNamed(world, login).id, { scopes }),
    /** Uses up the primary rate limit until its window ends. */
    exhaustRate: (login: string) => {
      for (const payer of accountsOf(world, userNamed(world, login))) world.limiter.exhaust(payer);
    },
    setPermission: (name: string, login: string, permission: Permission | null) =>
      change(name, ({ permissions: { [login]: _gone, ...rest } }) => ({
        permissions: permission === null ? rest : { ...rest, [login]: permission },
      })),
    archive: (name: string, archived: boolean) => change(name, () => ({ archived })),
    deleteIssue: (name: string, number: number) => {
      const issue = findIssue({ world, repo: repoNamed(world, name) }, number);
      store.issues.put({ ...issue, deleted: true });
    },
    rename: (name: string, next: string) =>
      change(name, (repo) => ({ name: next, formerNames: [...repo.formerNames, fullName(repo)] })),
    /** Updates pull requests after a push directly into the bare repository, which bypasses the twin. */
    noticeRefs: (name: string) => {
      const repo = repoNamed(world, name);
      return world.gitRepo(repo).lock(() => syncRefs({ world, repo }, null));
    },
  };
}

function accountsOf({ store }: World, user: User): Payer[] {
  const app = store.apps.find((row) => row.botId === user.id);
  const installations = store.installations.filter((row) => row.appId === app?.id);
  return [
    { kind: 'user', id: user.id, extraPerHour: 0 },
    ...installations.map(({ id }) => ({ kind: 'installation', id, extraPerHour: 7_500 }) as const),
  ];
}

export function repoNamed(world: World, name: string): Repo {
  const repo = world.store.repos.find((row) => fullName(row) === name);
  if (!repo) throw new Error(`the twin has no repository ${name}`);
  return repo;
}

export function userNamed(world: World, login: string): User {
  const user = findUser(world, login);
  if (!user) throw new Error(`the twin has no user ${login}`);
  return user;
}
