/**
 * `npm run test:security:mutants` removes one defense at a time and runs an attack that must then succeed. Works in a
 * copy of the repository, so that nothing here changes, even after an abort. Takes about half an hour.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { listMutants, type SecurityMutant } from './list-mutants.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** Without a defense, a test may wait for ever. `MERGEXO_TEST_PATIENCE=4` helps on a slow machine. */
const TEST_MS = 60_000 * Number(process.env['MERGEXO_TEST_PATIENCE'] ?? 1);
const SUITE_MS = 10 * TEST_MS;
const REPORTER = 'tests/jest/stop-at-failure.cjs';

/** `survived`: every test passed without the defense. `unclear`: the suite did not run. */
type Outcome = { kind: 'caught' | 'unclear'; detail: string } | { kind: 'survived'; detail: '' };

const { values } = parseArgs({ options: { only: { type: 'string', default: '' } } });
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const copy = mkdtempSync(join(tmpdir(), 'mergexo-mutants-'));
let running: number | undefined;
process.once('exit', () => {
  endGroup(running);
  rmSync(copy, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

copyRepository();
const mutants = listMutants(ROOT).filter(({ promise, suite }) => `${promise} ${suite}`.includes(values.only));
const healthy = new Map<string, Promise<Outcome>>();
const bad: string[] = [];
// Suites with built programs come last, because their mutants also change the programs that other suites start.
for (const mutant of mutants.toSorted((a, b) => Number(a.isBuilt) - Number(b.isBuilt))) {
  const outcome = await tryMutant(mutant);
  print([outcome.kind.padEnd(8), mutant.promise, outcome.detail].join('  '));
  if (outcome.kind !== 'caught') bad.push(mutant.promise);
}
print(`\n${mutants.length - bad.length} of ${mutants.length} mutants were caught.`);
process.exitCode = bad.length === 0 ? 0 : 1;

/** Copies the sources and the built files. Other packages are linked, but MergeXO's own lead into the copy. */
function copyRepository(): void {
  const isCopied = (path: string): boolean =>
    !/^\/?(?:node_modules|\.git)(?:\/|$)/.test(path.slice(ROOT.length));
  cpSync(ROOT, copy, { recursive: true, filter: isCopied, verbatimSymlinks: true });
  const modules = join(copy, 'node_modules');
  mkdirSync(join(modules, '@mergexo'), { recursive: true });
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '@mergexo') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  for (const folder of ['packages', 'apps'])
    for (const name of readdirSync(join(copy, folder)))
      symlinkSync(join(copy, folder, name), join(modules, '@mergexo', name));
}

async function tryMutant(mutant: SecurityMutant): Promise<Outcome> {
  const { file, search, replacement, suite, isBuilt } = mutant;
  const before = healthy.get(suite) ?? runSuite(suite);
  healthy.set(suite, before);
  const { kind, detail } = await before;
  if (kind !== 'survived')
    return { kind: 'unclear', detail: `the suite fails without the mutant, too: ${detail}` };
  const path = join(copy, file);
  const source = readFileSync(path, 'utf8');
  try {
    writeFileSync(
      path,
      source.replace(search, () => replacement),
    );
    if (isBuilt) await build();
    return await runSuite(suite);
  } finally {
    writeFileSync(path, source);
    if (isBuilt) await build();
  }
}

async function build(): Promise<void> {
  // A mutant may leave an import unused. The build then reports an error, but writes the programs.
  await run(['node_modules/typescript/bin/tsc', '-b']);
}

/** Runs a suite until its first failure. */
async function runSuite(suite: string): Promise<Outcome> {
  const failure = join(copy, 'first-failure');
  rmSync(failure, { force: true });
  const options = ['--runInBand', `--testTimeout=${TEST_MS}`, `--reporters=${join(copy, REPORTER)}`];
  const args = [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    ...options,
    '--runTestsByPath',
    suite,
  ];
  const ended = await run(args, { ...process.env, MERGEXO_FIRST_FAILURE: failure });
  if (ended === 'timed-out') return { kind: 'caught', detail: 'the suite did not end' };
  if (existsSync(failure)) return { kind: 'caught', detail: readFileSync(failure, 'utf8') };
  return ended === 0
    ? { kind: 'survived', detail: '' }
    : { kind: 'unclear', detail: 'the suite did not run' };
}

/** Runs a program in a process group of its own, and returns its exit code. */
function run(args: readonly string[], env = process.env): Promise<number | 'timed-out'> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: copy, env, stdio: 'ignore', detached: true });
    running = child.pid;
    const end = (result: number | 'timed-out'): void => {
      clearTimeout(timer);
      running = undefined;
      resolve(result);
    };
    const timer = setTimeout(() => {
      child.removeAllListeners('exit');
      endGroup(child.pid);
      end('timed-out');
    }, SUITE_MS);
    child.once('exit', (code) => {
      endGroup(child.pid);
      end(code ?? 1);
    });
  });
}

/** Ends the programs that a stopped test leaves behind. */
function endGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has ended.
  }
}
