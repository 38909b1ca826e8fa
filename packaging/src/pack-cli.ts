/** `npm run pack:cli` bundles the compiled checkout into one npm package with the CLI and everything that it starts. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle, LOCATE_SOURCE } from './bundle.js';
import { describePackage, EXTERNAL } from './describe-package.js';
import { ASSETS, listPrograms } from './programs.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const HELP = `Usage: npm run pack:cli -- [--out DIR | --unpacked DIR]

Writes mergexo-<version>.tgz, the npm package with all programs of MergeXO, to DIR (default: this directory).
Install it with: npm install -g mergexo-<version>.tgz

  --out DIR        where to write the package
  --unpacked DIR   write the content of the package to DIR instead, and delete what was there
`;

const { values } = parseArgs({
  options: {
    out: { type: 'string', default: '.' },
    unpacked: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const fromHere = (path: string): string => resolve(process.env['INIT_CWD'] ?? '.', path);
if (values.help) process.stdout.write(HELP);
else if (values.unpacked !== undefined) await writePackage(fromHere(values.unpacked));
else await pack(fromHere(values.out));

async function writePackage(dir: string): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  await bundle({ root: ROOT, programs: listPrograms(ROOT), outDir: dir, external: EXTERNAL });
  for (const asset of ASSETS) cpSync(join(ROOT, asset), join(dir, asset), { recursive: true });
  cpSync(join(ROOT, 'packaging/README.md'), join(dir, 'README.md'));
  writeFileSync(join(dir, 'lib/locate.js'), LOCATE_SOURCE);
  writeFileSync(join(dir, 'package.json'), `${JSON.stringify(describePackage(ROOT), null, 2)}\n`);
}

async function pack(out: string): Promise<void> {
  const draft = mkdtempSync(join(tmpdir(), 'mergexo-pack-'));
  try {
    await writePackage(draft);
    mkdirSync(out, { recursive: true });
    const args = ['pack', '--silent', '--pack-destination', out];
    const name = execFileSync('npm', args, { cwd: draft, encoding: 'utf8' }).trim();
    process.stdout.write(`${join(out, name)}\n`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
