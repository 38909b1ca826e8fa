/** `npm run release -- 0.2.0` prepares a release on this machine. A workflow publishes it when you push the tag. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readNotes, releaseChangelog } from './changelog.js';
import { setVersion } from './set-version.js';
import { checkVersion } from './version.js';

const HELP = `Usage: npm run release -- VERSION [--skip-checks] [--skip-assets] [--assets-only] [--dry-run]

Prepares a release: runs the checks, sets the version everywhere, dates the changelog, adds a fixture database, writes the
packages with checksums and a list of their contents (SBOM) to release/, commits, and adds the tag vVERSION. Pushes nothing.

  --skip-checks   do not run lint, types and tests
  --skip-assets   do not write release/
  --assets-only   only write release/ for the current version, which must be VERSION
  --dry-run       check the version, the changelog and the work tree, and change nothing
`;

const OPTIONS = {
  'skip-checks': { type: 'boolean', default: false },
  'skip-assets': { type: 'boolean', default: false },
  'assets-only': { type: 'boolean', default: false },
  'dry-run': { type: 'boolean', default: false },
  root: { type: 'string', default: fileURLToPath(new URL('../../../', import.meta.url)) },
  help: { type: 'boolean', default: false },
} as const;

const WRITE_FIXTURE = fileURLToPath(
  new URL('../../../packages/state/dist/testing/write-fixture.js', import.meta.url),
);

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const [version] = positionals;
  if (values.help || version === undefined) {
    process.stdout.write(HELP);
    if (!values.help) process.exitCode = 2;
    return;
  }
  const { root } = values;
  const run = (program: string, ...args: string[]): string =>
    execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const current: string = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  if (values['assets-only']) {
    if (version !== current) throw new Error(`The current version is ${current}, not ${version}.`);
    return writeAssets(root, version, run);
  }
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  checkVersion(version, current);
  const released = releaseChangelog(changelog, version, new Date().toISOString().slice(0, 10));
  const dirty = run('git', 'status', '--porcelain').trim();
  if (dirty !== '')
    throw new Error(`The work tree has uncommitted changes. Commit or discard them first:\n${dirty}`);
  if (run('git', 'tag', '--list', `v${version}`).trim() !== '')
    throw new Error(`The tag v${version} exists.`);
  if (values['dry-run']) return say(`${current} can become ${version}. Nothing was changed.`);

  if (!values['skip-checks']) for (const check of ['lint', 'types', 'test']) run('npm', 'run', check);
  writeFileSync(join(root, 'CHANGELOG.md'), released);
  const changed = setVersion(root, current, version);
  run(process.execPath, WRITE_FIXTURE, version, join(root, 'packages/state/fixtures'));
  run('git', 'add', 'CHANGELOG.md', `packages/state/fixtures/${version}.sql`, ...changed);
  run('git', 'commit', '--quiet', '--message', `release: ${version}`);
  run('git', 'tag', '--annotate', `v${version}`, '--message', `MergeXO ${version}`);
  if (!values['skip-assets']) writeAssets(root, version, run);
  say(`Released ${version} on this machine. To publish it: git push --follow-tags`);
}

type Run = (program: string, ...args: string[]) => string;

/** Writes everything that the workflow attaches to the release on GitHub. */
function writeAssets(root: string, version: string, run: Run): void {
  const dir = join(root, 'release');
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir);
  run('npm', 'run', '--silent', 'pack:cli', '--', '--out', dir);
  run('npm', 'pack', '--silent', '--workspace', '@mergexo/github-twin', '--pack-destination', dir);
  writeFileSync(
    join(dir, 'sbom.cdx.json'),
    run('npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'),
  );
  writeFileSync(
    join(dir, 'NOTES.md'),
    `${readNotes(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), version)}\n`,
  );
  const sums = readdirSync(dir)
    .sort()
    .map((name) => `${hash(join(dir, name))}  ${name}`);
  writeFileSync(join(dir, 'SHA256SUMS'), `${sums.join('\n')}\n`);
}

const hash = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
});
