import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MUTANTS } from './list-mutants.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '20000' },
    /** Time limit for one mutant. */
    minutes: { type: 'string', default: '10' },
    /** Selects the mutants whose names contain this text. */
    only: { type: 'string', default: '' },
    /** Runs every n-th mutant, for a short check. */
    every: { type: 'string', default: '1' },
  },
});
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

type Verdict = { caught: boolean; last: string; symptom: string };

/** Runs one deliberate bug in a separate process until a schedule breaks a promise. */
function runMutant(name: string): Promise<Verdict> {
  const args = [
    ...['--import', new URL('./mutate.js', import.meta.url).href, '--no-warnings', here('../main.js')],
    ...['--seed', values.seed, '--runs', values.runs, '--minutes', values.minutes, '--violations', '1'],
  ];
  const env = { ...process.env, SEARCH_MUTANT: name, NODE_OPTIONS: '' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env, maxBuffer: 1e8 }, (_error, stdout, stderr) => {
      const lines = stdout.trimEnd().split('\n');
      const last = lines.at(-1) ?? stderr;
      resolve({ caught: /, 1 violations$/.test(last), last, symptom: lines[1]?.trim() ?? stderr });
    });
  });
}

const wanted = MUTANTS.filter(
  ({ name }, index) => name.includes(values.only) && index % Number(values.every) === 0,
);
let caught = 0;
for (const { name } of wanted) {
  const verdict = await runMutant(name);
  if (verdict.caught) caught += 1;
  process.stdout.write(
    `${verdict.caught ? 'caught' : 'MISSED'}: ${name}\n  ${verdict.symptom.slice(0, 200)}\n  ${verdict.last}\n`,
  );
}
process.stdout.write(`${caught} of ${wanted.length} deliberate bugs were caught\n`);
process.exitCode = caught === wanted.length ? 0 : 1;
