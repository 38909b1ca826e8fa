import { findIssue } from '../domain/issues.js';
import { fullName } from '../domain/permissions.js';
import { createToken } from '../domain/tokens.js';
import { findUser } from '../domain/users.js';
import type { FaultInput } from '../faults/fault.js';
import type { FaultHandle } from '../faults/faults.js';
import type { HistoryEntry } from '../history/history.js';
import type { Ledger } from '../limits/account.js';
import type { Permission, Repo, User } from '../store/rows.js';
import type { Quirks, World } from '../world/world.js';

export type Control = {
  fault(fault: FaultInput): FaultHandle;
  clearFaults(): void;
  /** Moves the twin's clock; answers with its new time. */
  advance(ms: number): number;
  ledger(login: string): Ledger;
  listHistory(kind: string | undefined, afterSeq: number): HistoryEntry[];
  /** Answers of the twin's own that GitHub could not have given, and routes that it lacks. */
  violations(): string[];
  set(quirks: Partial<Quirks>): void;
  /** All tokens that the user has now. */
  expireToken(login: string): void;
  /** A further token, as after a refresh; its id is what the history shows. */
  addToken(login: string, scopes?: string[]): { id: number; secret: string };
  /** Uses up the primary limit until its window ends. */
  exhaustRate(login: string): void;
  setPermission(repo: string, login: string, permission: Permission | null): void;
  archive(repo: string, archived: boolean): void;
  deleteIssue(repo: string, number: number): void;
  rename(repo: string, name: string): void;
};

/** What GitHub's owner, an administrator or bad luck can do to the world. */
export function createControl(world: World): Control {
  const { store } = world;
  const change = (name: string, edit: (repo: Repo) => Partial<Repo>) => {
    const repo = repoNamed(world, name);
    store.repos.put({ ...repo, ...edit(repo) });
  };
  return {
    fault: (fault) => world.faults.arm(fault),
    clearFaults: () => world.faults.clear(),
    advance: (ms) => {
      world.clock.advance(ms);
      store.noteTime(world.clock.now());
      return world.clock.now();
    },
    ledger: (login) => world.limiter.ledger(userNamed(world, login).id),
    listHistory: (kind, afterSeq) =>
      world.history
        .list()
        .filter((entry) => entry.seq > afterSeq && (kind === undefined || entry.kind === kind)),
    violations: () =>
      world.history.list('violation').map((entry) => `${entry.route}: ${entry.errors.join('; ')}`),
    set: (quirks) => void Object.assign(world.quirks, quirks),
    expireToken: (login) => {
      const { id } = userNamed(world, login);
      for (const token of store.tokens.filter((row) => row.userId === id))
        store.tokens.put({ ...token, expiresAtMs: world.clock.now() });
    },
    addToken: (login, scopes = ['repo', 'workflow', 'read:org']) =>
      createToken(world, userNamed(world, login).id, { scopes }),
    exhaustRate: (login) => world.limiter.exhaust(userNamed(world, login).id),
    setPermission: (name, login, permission) =>
      change(name, ({ permissions: { [login]: _gone, ...rest } }) => ({
        permissions: permission === null ? rest : { ...rest, [login]: permission },
      })),
    archive: (name, archived) => change(name, () => ({ archived })),
    deleteIssue: (name, number) =>
      void store.issues.put({ ...findIssue(world, repoNamed(world, name), number), deleted: true }),
    rename: (name, next) =>
      change(name, (repo) => ({ name: next, formerNames: [...repo.formerNames, fullName(repo)] })),
  };
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
