import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** A defense to remove. `search` occurs once in the file. Without the defense, the suite must fail. */
export type SecurityMutant = {
  /** The promise that the defense keeps. */
  promise: string;
  file: string;
  search: string;
  replacement: string;
  suite: string;
  /** True if the suite starts built programs. */
  isBuilt: boolean;
};

const Groups = z.array(
  z.strictObject({
    file: z.string(),
    suite: z.string(),
    isBuilt: z.boolean().default(false),
    mutants: z.array(
      z.strictObject({ promise: z.string(), search: z.string().min(1), replacement: z.string() }),
    ),
  }),
);

/** Lists the mutants of `mutants.json`, which groups them by file and suite. */
export function listMutants(root: string): SecurityMutant[] {
  const groups = Groups.parse(JSON.parse(readFileSync(join(root, 'tests/security/mutants.json'), 'utf8')));
  return groups.flatMap(({ mutants, ...where }) => mutants.map((mutant) => ({ ...where, ...mutant })));
}
