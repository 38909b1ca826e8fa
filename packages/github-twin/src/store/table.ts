export type Change = { table: string; op: 'create' | 'update' | 'delete'; id: number; row: object };
export type TableEvents = { now(): number; onChange(change: Change): void };

/** Number of earlier versions of a row to keep for stale reads. The limit bounds memory in long runs. */
const REMEMBERED = 20;

/** Stores rows by id, in order of creation. Rows are never changed in place: `put` replaces them. */
export function createTable<Row extends { id: number }>(table: string, { now, onChange }: TableEvents) {
  const rows = new Map<number, Row>();
  const earlier = new Map<number, { row: Row; untilMs: number }[]>();
  const replace = (row: Row, ms: number): Row | undefined => {
    const before = rows.get(row.id);
    const versions = earlier.get(row.id) ?? [];
    if (before) earlier.set(row.id, [...versions, { row: before, untilMs: ms }].slice(-REMEMBERED));
    rows.set(row.id, row);
    return before;
  };
  const drop = (id: number): boolean => {
    earlier.delete(id);
    return rows.delete(id);
  };
  return {
    get: (id: number) => rows.get(id),
    all: () => [...rows.values()],
    find: (test: (row: Row) => boolean): Row | undefined => [...rows.values()].find(test),
    filter: (test: (row: Row) => boolean): Row[] => [...rows.values()].filter(test),
    put<Kind extends Row>(row: Kind): Kind {
      const before = replace(row, now());
      onChange({ table, op: before ? 'update' : 'create', id: row.id, row });
      return row;
    },
    remove(id: number): void {
      const row = rows.get(id);
      if (drop(id) && row) onChange({ table, op: 'delete', id, row });
    },
    /** Reapplies a change from an earlier process without reporting it again. */
    restore({ op, id, row }: Change, ms: number): void {
      if (op === 'delete') drop(id);
      else if (isRow<Row>(row)) replace(row, ms);
    },
    /** Returns the row at an earlier time, or its oldest kept version. */
    asOf: (id: number, ms: number): Row | undefined =>
      earlier.get(id)?.find(({ untilMs }) => untilMs > ms)?.row ?? rows.get(id),
  };
}

/** Only the id is checked, because the journal's hashes protect the other fields. */
const isRow = <Row extends { id: number }>(row: object): row is Row => 'id' in row;
