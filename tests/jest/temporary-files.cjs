// Gives each test run its own directory for temporary files, in memory if possible.
//
// The tests create and delete tens of thousands of small files. Before ext4 creates a file, it checks every inode that
// was deleted in the last minutes, which took up to half of the time of the git tests.
const { execFileSync } = require('node:child_process');
const { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const MEMORY = '/dev/shm';
const NEEDED_BYTES = 3 * 2 ** 30;

/** False in most containers, because their /dev/shm is small and cannot run programs. */
function isUsable(dir) {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const script = join(dir, 'script');
    writeFileSync(script, '#!/bin/sh\n');
    chmodSync(script, 0o755);
    execFileSync(script);
    return bavail * bsize >= NEEDED_BYTES;
  } catch {
    return false;
  }
}

function make(parent) {
  try {
    return mkdtempSync(join(parent, 'mergexo-tests-'));
  } catch {
    return undefined;
  }
}

module.exports = async function setUp() {
  // Programs that the tests start must not find the developer's own installation.
  for (const name of ['MERGEXO_CONFIG', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME']) delete process.env[name];
  const inMemory = make(MEMORY);
  const isFine = inMemory !== undefined && isUsable(inMemory);
  if (inMemory !== undefined && !isFine) rmSync(inMemory, { recursive: true });
  const dir = isFine ? inMemory : mkdtempSync(join(tmpdir(), 'mergexo-tests-'));
  // Some tests run programs as another user, who must be able to reach files below this directory.
  chmodSync(dir, 0o711);
  process.env.TMPDIR = dir;
  process.once('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
};
