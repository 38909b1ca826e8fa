import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MUTANTS } from './feedback-mutants.js';

export type Verdict = { name: string; caughtIn: number | null; symptom: string; seconds: number };

/** Runs one deliberate bug in its own process until a schedule finds it. `dist` has this folder's compiled files. */
export async function runMutant(
  name: string,
  options: { dist: URL; seed: number; runs: number },
): Promise<Verdict> {
  const { dist, seed, runs } = options;
  const started = performance.now();
  const output = await runNode(
    [
      ...['--import', new URL('chaos/feedback-mutate.js', dist).href, '--no-warnings'],
      fileURLToPath(new URL('chaos-feedback.js', dist)),
      ...['--seed', String(seed), '--runs', String(runs), '--shrink-seconds', '0'],
    ],
    name,
  );
  const seconds = (performance.now() - started) / 1_000;
  const [, caughtIn] = /^FAILED: (\d+) schedules/m.exec(output) ?? [];
  if (caughtIn === undefined && !/^passed: /m.test(output)) throw new Error(`${name}: ${output}`);
  const symptom = output.split('\n')[1] ?? '';
  return { name, caughtIn: caughtIn === undefined ? null : Number(caughtIn), symptom, seconds };
}

/** Runs every deliberate bug, one after the other. */
export async function runMutants(
  options: { dist: URL; seed: number; runs: number },
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const { name } of MUTANTS) {
    const verdict = await runMutant(name, options);
    verdicts.push(verdict);
    onVerdict(verdict);
  }
  return verdicts;
}

function runNode(args: string[], mutant: string): Promise<string> {
  return new Promise((resolve) => {
    const env = { ...process.env, CHAOS_MUTANT: mutant, NODE_OPTIONS: '' };
    execFile(process.execPath, args, { env }, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}
