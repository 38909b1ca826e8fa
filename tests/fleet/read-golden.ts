import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Reads the expected transcript. If UPDATE_GOLDEN=1 is set or the file is missing, first writes the given one. */
export function readGolden(name: string, transcript?: string): string {
  const path = fileURLToPath(new URL(`../golden/${name}.md`, import.meta.url));
  if (transcript !== undefined && (process.env['UPDATE_GOLDEN'] === '1' || !existsSync(path)))
    writeFileSync(path, transcript);
  return readFileSync(path, 'utf8');
}
