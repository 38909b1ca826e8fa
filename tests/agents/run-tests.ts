import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { enclose } from './enclose.js';
import { findCache, installAgents } from './install-agents.js';

/** Installs the real programs, then runs their tests with access only to loopback. */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const cache = findCache(process.env);
installAgents(cache);
// Codex refuses to store its helper programs in the temporary directory, so the tests use the cache instead.
const work = join(cache, 'work');
mkdirSync(work, { recursive: true });

const jest = [process.execPath, join(ROOT, 'node_modules/jest/bin/jest.js')];
const argv = [...jest, '--runInBand', 'tests/agents', ...process.argv.slice(2)];
const { command, env } = enclose(argv, process.env);
const [program = '', ...args] = command;
const { status } = spawnSync(program, args, {
  cwd: ROOT,
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...env, TMPDIR: work, NODE_OPTIONS: '--experimental-vm-modules' },
});
process.exitCode = status ?? 1;
