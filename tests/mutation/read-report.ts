import { z } from 'zod';

const Position = z.object({ line: z.int(), column: z.int() });
const Mutant = z.object({
  status: z.string(),
  mutatorName: z.string(),
  replacement: z.string().default(''),
  location: z.object({ start: Position, end: Position }),
});
const Report = z.object({
  files: z.record(z.string(), z.object({ source: z.string(), mutants: z.array(Mutant) })),
});

/** A deliberate bug that no test noticed. `code` is what the bug replaced. */
export type Survivor = { file: string; line: number; mutator: string; code: string; replacement: string };
export type Result = { killed: number; survivors: Survivor[] };

const KILLED = ['Killed', 'Timeout'];
const SURVIVED = ['Survived', 'NoCoverage'];

/** Reads the report of a run. Ignores mutants that do not compile or are static. */
export function readReport(text: string): Result {
  const files = Object.entries(Report.parse(JSON.parse(text)).files);
  const mutants = files.flatMap(([file, { source, mutants: all }]) =>
    all.map((mutant) => ({ file, source, mutant })),
  );
  return {
    killed: mutants.filter(({ mutant }) => KILLED.includes(mutant.status)).length,
    survivors: mutants
      .filter(({ mutant }) => SURVIVED.includes(mutant.status))
      .map(({ file, source, mutant: { mutatorName, replacement, location } }) => ({
        file,
        line: location.start.line,
        mutator: mutatorName,
        code: cut(source, location),
        replacement,
      })),
  };
}

function cut(source: string, { start, end }: z.infer<typeof Mutant>['location']): string {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, index) =>
      line.slice(index === 0 ? start.column - 1 : 0, index === last ? end.column - 1 : undefined),
    )
    .join('\n');
}

/** The share of noticed bugs in percent, rounded down; 100 without bugs. */
export function scoreOf({ killed, survivors }: Result): number {
  const all = killed + survivors.length;
  return all === 0 ? 100 : Math.floor((1_000 * killed) / all) / 10;
}
