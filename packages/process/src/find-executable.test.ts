import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { findExecutable, keepAbsoluteEntries, readShebang } from './find-executable.js';

describe('findExecutable', () => {
  const directory = createTemporaryDirectory();
  const at = (name: string): string => join(directory.path, name);
  const searchPath = ['', '.', at('first'), at('second')].join(':');
  beforeAll(() => {
    for (const folder of ['first', 'second']) {
      mkdirSync(at(folder));
      writeFileSync(at(`${folder}/tool`), '#!/usr/bin/env -S node --flag\n', { mode: 0o755 });
    }
    writeFileSync(at('first/notes'), 'x');
    mkdirSync(at('first/folder'));
    chmodSync(at('first/folder'), 0o755);
  });
  afterAll(() => directory.remove());

  it.each([
    ['the first program with that name on the search path', 'tool', 'first/tool'],
    ['an absolute path', at('second/tool'), 'second/tool'],
  ])('finds %s', (_what, name, expected) => {
    expect(findExecutable(name, searchPath)).toBe(at(expected));
  });

  it.each([
    ['a relative path', './tool'],
    ['a file without permission to execute it', 'notes'],
    ['a directory', 'folder'],
    ['an unknown name', 'missing'],
  ])('does not find %s', (_what, name) => {
    expect(findExecutable(name, searchPath)).toBeUndefined();
  });

  it('skips programs that the caller does not accept', () => {
    expect(findExecutable('tool', searchPath, (path) => path.includes('second'))).toBe(at('second/tool'));
  });

  it('drops search path entries that depend on the working directory', () => {
    expect(keepAbsoluteEntries(`:bin:/usr/bin:.:/bin`)).toBe('/usr/bin:/bin');
  });

  it('reads the interpreter of a script', () => {
    expect(readShebang(at('first/tool'))).toBe('/usr/bin/env -S node --flag');
    expect(readShebang(at('first/notes'))).toBeUndefined();
  });
});
