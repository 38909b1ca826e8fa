import { AsyncLocalStorage } from 'node:async_hooks';

type Facts =
  | {
      kind: 'request';
      via: 'rest' | 'graphql' | 'git';
      user: string | null;
      /** The token's id, so that tests can distinguish the tokens of one user. */
      token: number | null;
      method: string;
      path: string;
      query: string;
      route: string | null;
      /** When the request arrived. `at` is when its response left, after any latency. */
      arrivedAt: string;
      /** 0 if no response was sent. */
      status: number;
      counted: boolean;
      outcome: 'answered' | 'dropped' | 'client-gone';
      /** The permissions that an App's token used, such as `issues=write`. */
      permissions: string[];
      faults: string[];
    }
  | {
      kind: 'write';
      by: string | null;
      table: string;
      op: 'create' | 'update' | 'delete';
      id: number;
      row: Record<string, unknown>;
    }
  | {
      kind: 'ref';
      /** Null for a push directly into the bare repository. */
      by: string | null;
      repo: string;
      ref: string;
      before: string | null;
      after: string | null;
      forced: boolean;
    }
  | { kind: 'violation'; route: string; errors: string[] };
export type HistoryEntry = Facts & { seq: number; at: string };

export type History = ReturnType<typeof createHistory>;

const actors = new AsyncLocalStorage<string | null>();

/** Records all writes during `work` under this login. Null means that the author is unknown. */
export function actingAs<T>(login: string | null, work: () => T): T {
  return actors.run(login, work);
}

export function currentActor(): string | null {
  return actors.getStore() ?? null;
}

/** Creates the append-only history that tests read. */
export function createHistory(now: () => number, onRecord: (entry: HistoryEntry) => void) {
  const entries: HistoryEntry[] = [];
  return {
    record(facts: Facts): void {
      const entry = { seq: entries.length + 1, at: new Date(now()).toISOString(), ...facts };
      entries.push(entry);
      onRecord(entry);
    },
    /** Adds an entry from an earlier process, unchanged. */
    restore: (entry: HistoryEntry) => void entries.push(entry),
    list: <Kind extends HistoryEntry['kind']>(kind?: Kind): Extract<HistoryEntry, { kind: Kind }>[] =>
      entries.filter((entry): entry is Extract<HistoryEntry, { kind: Kind }> => !kind || entry.kind === kind),
  };
}
