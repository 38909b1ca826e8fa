/** The row before and after a change. `before` is undefined for a new row, `after` for a removed row. */
export type Versions<Row> = { before: Row | undefined; after: Row | undefined };

type Table<Row> = { all(): Row[]; get(id: number): Row | undefined };

/** Remembers the rows of a table, because the history records only the row after a change. */
export function trackRows<Row extends { id: number }>(table: Table<Row>): (id: number) => Versions<Row> {
  const known = new Map(table.all().map((row) => [row.id, row]));
  return (id) => {
    const [before, after] = [known.get(id), table.get(id)];
    if (after) known.set(id, after);
    else known.delete(id);
    return { before, after };
  };
}
