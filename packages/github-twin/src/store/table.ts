import type { z } from 'zod';

export type Change = { table: string; op: 'create' | 'update' | 'delete'; id: number; row: object };

/** Rows by id, in the order of their creation. Rows are never changed in place: `put` replaces them. */
export type Table<Row> = {
  get(id: number): Row | undefined;
  all(): Row[];
  find(test: (row: Row) => boolean): Row | undefined;
  filter(test: (row: Row) => boolean): Row[];
  put(row: Row): Row;
  remove(id: number): void;
  /** The row as it was at a time of the past; the oldest version that is remembered when it is younger. */
  asOf(id: number, ms: number): Row | undefined;
  /** Takes a row back from the journal, silently. */
  restore(id: number, row: unknown): void;
};

export type TableEvents = { now(): number; onChange(change: Change): void };

export function createTable<Row extends { id: number }>(
  name: string,
  schema: z.ZodType<Row>,
  { now, onChange }: TableEvents,
): Table<Row> {
  const rows = new Map<number, Row>();
  const versions = createVersions<Row>();
  return {
    get: (id) => rows.get(id),
    all: () => [...rows.values()],
    find: (test) => {
      for (const row of rows.values()) if (test(row)) return row;
      return undefined;
    },
    filter: (test) => [...rows.values()].filter(test),
    put: (row) => {
      const before = rows.get(row.id);
      const op = before ? 'update' : 'create';
      if (before) versions.add(before, now());
      rows.set(row.id, row);
      onChange({ table: name, op, id: row.id, row });
      return row;
    },
    remove: (id) => {
      const row = rows.get(id);
      versions.forget(id);
      if (row && rows.delete(id)) onChange({ table: name, op: 'delete', id, row });
    },
    asOf: (id, ms) => versions.find(id, ms) ?? rows.get(id),
    restore: (id, row) => {
      if (row === null) rows.delete(id);
      else rows.set(id, schema.parse(row));
    },
  };
}

/** How many earlier versions of a row are kept: enough for a stale read, and little for a long run. */
const REMEMBERED = 20;

function createVersions<Row extends { id: number }>() {
  const earlier = new Map<number, { row: Row; untilMs: number }[]>();
  return {
    add(row: Row, untilMs: number): void {
      earlier.set(row.id, [...(earlier.get(row.id) ?? []), { row, untilMs }].slice(-REMEMBERED));
    },
    find: (id: number, ms: number): Row | undefined =>
      earlier.get(id)?.find(({ untilMs }) => untilMs > ms)?.row,
    forget: (id: number): void => void earlier.delete(id),
  };
}
