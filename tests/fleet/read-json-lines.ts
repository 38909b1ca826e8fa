import { existsSync, readFileSync } from 'node:fs';

/** Parses one JSON value per line. A missing file has no values. */
export function readJsonLines<Row>(path: string): Row[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
