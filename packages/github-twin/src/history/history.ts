import { AsyncLocalStorage } from 'node:async_hooks';
import fs from 'node:fs';
import { z } from 'zod';

const base = { seq: z.number(), at: z.string() };

export const HistoryEntry = z.discriminatedUnion('kind', [
  z.object({
    ...base,
    kind: z.literal('request'),
    via: z.enum(['rest', 'graphql', 'git']),
    user: z.string().nullable(),
    /** The id of the token, for checkers that want to tell a user's tokens apart. */
    token: z.number().nullable(),
    method: z.string(),
    path: z.string(),
    query: z.string(),
    route: z.string().nullable(),
    /** 0 when no answer was sent. */
    status: z.number(),
    counted: z.boolean(),
    outcome: z.enum(['answered', 'dropped', 'client-gone']),
    faults: z.array(z.string()),
  }),
  z.object({
    ...base,
    kind: z.literal('write'),
    by: z.string().nullable(),
    table: z.string(),
    op: z.enum(['create', 'update', 'delete']),
    id: z.number(),
    row: z.record(z.string(), z.unknown()),
  }),
  z.object({
    ...base,
    kind: z.literal('ref'),
    /** Null when the repository was changed behind the twin's back. */
    by: z.string().nullable(),
    repo: z.string(),
    ref: z.string(),
    before: z.string().nullable(),
    after: z.string().nullable(),
    forced: z.boolean(),
  }),
  z.object({ ...base, kind: z.literal('violation'), route: z.string(), errors: z.array(z.string()) }),
]);
export type HistoryEntry = z.infer<typeof HistoryEntry>;
type Loose<T> = T extends unknown ? Omit<T, 'seq' | 'at'> : never;

export type History = ReturnType<typeof openHistory>;

const actors = new AsyncLocalStorage<string | null>();

/** Everything written inside `work` is recorded as done by this login; null: by nobody that the twin knows. */
export function actingAs<T>(login: string | null, work: () => T): T {
  return actors.run(login, work);
}

export function currentActor(): string | null {
  return actors.getStore() ?? null;
}

/**
 * The append-only truth for checkers. It lives in a file, not in memory: a long run must not grow, and a checker
 * in another process reads the same lines.
 */
export function openHistory(file: string, now: () => number) {
  dropTornLine(file);
  const lines = fs.readFileSync(file, 'utf8').split('\n').slice(0, -1);
  const lastMs = lastMsOf(lines);
  const fd = fs.openSync(file, 'a', 0o600);
  const read = createReader(file);
  let seq = lines.length;
  let open = true;
  return {
    file,
    /** When the last entry of an earlier run was made; 0 without one. */
    lastMs,
    record(entry: Loose<HistoryEntry>): void {
      if (!open) return;
      seq += 1;
      fs.writeSync(fd, `${JSON.stringify({ seq, at: new Date(now()).toISOString(), ...entry })}\n`);
    },
    list: <Kind extends HistoryEntry['kind']>(kind?: Kind): Extract<HistoryEntry, { kind: Kind }>[] =>
      read().filter((entry): entry is Extract<HistoryEntry, { kind: Kind }> => !kind || entry.kind === kind),
    close(): void {
      if (open) fs.closeSync(fd);
      open = false;
    },
  };
}

/** Remembers what it parsed, so a checker that looks often reads only what is new. */
function createReader(file: string): () => HistoryEntry[] {
  const entries: HistoryEntry[] = [];
  let offset = 0;
  return () => {
    const text = readFrom(file, offset);
    const end = text.lastIndexOf(0x0a) + 1;
    for (const line of text.subarray(0, end).toString().split('\n')) {
      if (line !== '') entries.push(HistoryEntry.parse(JSON.parse(line)));
    }
    offset += end;
    return entries;
  };
}

/** A crash can leave half a line behind; the next entry must not be glued to it. */
function dropTornLine(file: string): void {
  fs.closeSync(fs.openSync(file, 'a', 0o600));
  fs.truncateSync(file, fs.readFileSync(file).lastIndexOf(0x0a) + 1);
}

function readFrom(file: string, offset: number): Buffer {
  if (!fs.existsSync(file)) return Buffer.alloc(0);
  const fd = fs.openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fs.fstatSync(fd).size - offset));
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, offset));
  } finally {
    fs.closeSync(fd);
  }
}

function lastMsOf(lines: string[]): number {
  const last = lines.at(-1);
  return last === undefined ? 0 : Date.parse(HistoryEntry.parse(JSON.parse(last)).at);
}
