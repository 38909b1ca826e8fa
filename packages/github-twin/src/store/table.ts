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
  /** Takes a row back from the journal, silently. */
  restore(id: number, row: unknown): void;
};

export function createTable<Row extends { id: number }>(
  name: string,
  schema: z.ZodType<Row>,
  onChange: (change: Change) => void,
): Table<Row> {
  const rows = new Map<number, Row>();
  return {
    get: (id) => rows.get(id),
    all: () => [...rows.values()],
    find: (test) => {
      for (const row of rows.values()) if (test(row)) return row;
      return undefined;
    },
    filter: (test) => [...rows.values()].filter(test),
    put: (row) => {
      const op = rows.has(row.id) ? 'update' : 'create';
      rows.set(row.id, row);
      onChange({ table: name, op, id: row.id, row });
      return row;
    },
    remove: (id) => {
      const row = rows.get(id);
      if (row && rows.delete(id)) onChange({ table: name, op: 'delete', id, row });
    },
    restore: (id, row) => {
      if (row === null) rows.delete(id);
      else rows.set(id, schema.parse(row));
    },
  };
}
