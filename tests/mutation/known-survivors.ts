import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Survivor } from './read-report.js';

const Survivors = z.array(
  z.strictObject({
    file: z.string(),
    mutator: z.string(),
    code: z.string(),
    replacement: z.string(),
    /** Why no test can or should notice this bug. */
    reason: z.string().min(10),
  }),
);
export type KnownSurvivor = z.infer<typeof Survivors>[number];

export const readSurvivors = (path: string): KnownSurvivor[] =>
  Survivors.parse(JSON.parse(readFileSync(path, 'utf8')));

/** Compares code instead of line numbers, which move. */
export const isSame = (known: KnownSurvivor, { file, mutator, code, replacement }: Survivor): boolean =>
  known.file === file &&
  known.mutator === mutator &&
  known.code === code &&
  known.replacement === replacement;
