import { createLimitedMap } from './limited-map.js';

type Comment = { id: number; updatedAt: string };

export type CommentLists<Row extends Comment> = {
  /**
   * Stores a complete list. `version` identifies everything besides the text that affects the rows, such as the head.
   */
  store(thread: string, rows: readonly Row[], version?: string): void;
  /**
   * Adds or replaces one row of a stored list. Returns false if no list is stored, or if the list already has
   * this row or a newer version.
   */
  upsert(thread: string, row: Row): boolean;
  /** True if a list is stored, even if it is no longer complete. */
  has(thread: string): boolean;
  /**
   * The stored rows, if there are as many as GitHub counts. Otherwise undefined, so that the caller reads the
   * list again.
   */
  read(thread: string, count: number, version?: string): Row[] | undefined;
};

const MAX_THREADS = 200;

/** Remembers the comments of each thread, so that an unchanged thread is not listed again. */
export function createCommentLists<Row extends Comment>(): CommentLists<Row> {
  const lists = createLimitedMap<{ rows: ReadonlyMap<number, Row>; version: string }>(MAX_THREADS);
  return {
    store(thread, rows, version = '') {
      const known = lists.get(thread)?.rows;
      // A feed may have returned a newer row than the list, because the list may lag.
      const newest = (row: Row): Row => {
        const other = known?.get(row.id);
        return other !== undefined && other.updatedAt >= row.updatedAt ? other : row;
      };
      // A new version changes rows without changing their time.
      const isSame = lists.get(thread)?.version === version;
      const kept = rows.map((row): [number, Row] => [row.id, isSame ? newest(row) : row]);
      lists.set(thread, { rows: new Map(kept), version });
    },
    upsert(thread, row) {
      const list = lists.get(thread);
      if (list === undefined) return false;
      const known = list.rows.get(row.id);
      if (known !== undefined && (row.updatedAt < known.updatedAt || isEqual(row, known))) return false;
      lists.set(thread, { ...list, rows: new Map([...list.rows, [row.id, row]]) });
      return true;
    },
    has: (thread) => lists.get(thread) !== undefined,
    read(thread, count, version = '') {
      const list = lists.get(thread);
      if (list === undefined) return count === 0 ? [] : undefined;
      if (list.rows.size !== count || list.version !== version) return undefined;
      return [...list.rows.values()].sort((a, b) => a.id - b.id);
    },
  };
}

function isEqual(row: object, known: object): boolean {
  return JSON.stringify(row) === JSON.stringify(known);
}
