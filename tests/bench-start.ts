/** `npm run bench:start` measures how long the packed CLI takes to start, next to `node -e 0`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const PACKAGE = fileURLToPath(new URL('../../packaging/dist/package', import.meta.url));
const HELP = `Usage: npm run bench:start -- [--rounds N] [--package DIR]

Prints the median time of \`mergexo --help\` and \`mergexo status\` from the npm package, and its ratio to \`node -e 0\`. Each
round runs all three, so that other work on the machine affects all of them.

  --rounds N      rounds (default: 21)
  --package DIR   the installed package (default: packaging/dist/package, which this script builds)
`;
/** Maximum time of each command, as a multiple of the time of `node -e 0`. */
const AIMS = { 'node -e 0': 1, 'mergexo --help': 2, 'mergexo status': 5 };

type Command = keyof typeof AIMS;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '21' },
    package: { type: 'string', default: PACKAGE },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) process.stdout.write(HELP);
else main(values.package, Number(values.rounds));

function main(root: string, rounds: number): void {
  const cli = join(root, 'apps/cli/bin/mergexo.js');
  if (!existsSync(cli)) throw new Error(`${cli} is missing. Run \`npm run bench:start\`.`);
  const home = mkdtempSync(join(tmpdir(), 'mergexo-start-'));
  try {
    const run = (...args: string[]): number => runNode(home, args);
    if (run(cli, 'init', '--repo', 'ada/engine', '--agent', 'codex', '--no-labels') !== 0)
      throw new Error('`mergexo init` failed');
    const commands: Record<Command, string[]> = {
      'node -e 0': ['-e', '0'],
      'mergexo --help': [cli, '--help'],
      'mergexo status': [cli, 'status'],
    };
    print(measure(commands, rounds, (args) => run(...args)));
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function runNode(home: string, args: readonly string[]): number {
  const env = { PATH: process.env['PATH'], HOME: home };
  return spawnSync(process.execPath, args, { env, cwd: home, stdio: 'ignore' }).status ?? 1;
}

/** Returns the times of each command in milliseconds. The first round fills the caches and does not count. */
function measure(
  commands: Record<Command, string[]>,
  rounds: number,
  run: (args: string[]) => unknown,
): [string, number[]][] {
  const times = Object.entries(commands).map(([name, args]): [string, string[], number[]] => [
    name,
    args,
    [],
  ]);
  for (let round = 0; round <= rounds; round += 1)
    for (const [, args, taken] of times) {
      const startedAt = performance.now();
      run(args);
      if (round > 0) taken.push(performance.now() - startedAt);
    }
  return times.map(([name, , taken]) => [name, taken]);
}

function print(measured: readonly [string, number[]][]): void {
  const medians = new Map(measured.map(([name, taken]) => [name, median(taken)]));
  const node = medians.get('node -e 0') ?? Number.NaN;
  process.stdout.write('| Command | Median | Ratio | Aim |\n|---|---|---|---|\n');
  for (const [name, aim] of Object.entries(AIMS)) {
    const ms = medians.get(name) ?? Number.NaN;
    process.stdout.write(`| \`${name}\` | ${ms.toFixed(0)} ms | ${(ms / node).toFixed(1)} | ${aim} |\n`);
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
