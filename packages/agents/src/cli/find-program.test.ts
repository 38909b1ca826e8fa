import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { CLAUDE } from '../claude/claude-cli.js';
import { CODEX } from '../codex/codex-cli.js';
import { findProgram } from './find-program.js';

const TARGET = `${process.platform}-${process.arch}`;

function writeProgram(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

describe('findProgram', () => {
  let dir: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: dir, remove } = createTemporaryDirectory());
  });
  afterEach(() => remove());

  it('finds the native Codex behind the launcher that npm puts on the PATH', () => {
    const modules = join(dir, 'lib/node_modules/@openai');
    writeProgram(join(modules, 'codex/bin/codex.js'), '#!/usr/bin/env node\n');
    writeProgram(join(modules, 'codex/package.json'), '{}');
    const root = join(modules, `codex-${TARGET}/vendor/some-triple`);
    writeProgram(join(modules, `codex-${TARGET}/package.json`), '{}');
    writeProgram(join(root, 'bin/codex'), '\u007fELF');
    writeProgram(join(root, 'codex-resources/bwrap'), '\u007fELF');
    mkdirSync(join(dir, 'bin'));
    symlinkSync('../lib/node_modules/@openai/codex/bin/codex.js', join(dir, 'bin/codex'));
    expect(findProgram('codex', join(dir, 'bin'), CODEX.layout)).toEqual({
      path: join(root, 'bin/codex'),
      readOnlyPaths: [join(root, 'bin'), join(root, 'codex-resources')],
    });
  });

  it('returns a native program unchanged, and a launcher if its native program is missing', () => {
    writeProgram(join(dir, 'claude'), '\u007fELF');
    writeProgram(join(dir, 'codex'), '#!/bin/sh\n');
    expect(findProgram('claude', dir, CLAUDE.layout)).toEqual({
      path: join(dir, 'claude'),
      readOnlyPaths: [],
    });
    expect(findProgram('codex', dir, CODEX.layout)).toEqual({ path: join(dir, 'codex'), readOnlyPaths: [] });
  });

  it('returns nothing for a missing program or a relative path', () => {
    expect(findProgram('codex', '/nowhere', CODEX.layout)).toBeUndefined();
    expect(findProgram('./codex', '.', CODEX.layout)).toBeUndefined();
  });
});
