import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { openEvalDirectory } from './eval-directory.js';

describe('openEvalDirectory', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  beforeEach(() => {
    directory = createTemporaryDirectory();
  });
  afterEach(() => directory.remove());

  const open = (path = directory.path) =>
    openEvalDirectory(path, { repo: 'ada/engine', agent: 'codex', reviewAgent: 'codex' });

  it('refuses a directory with other files, because a replay removes directories below it', () => {
    mkdirSync(join(directory.path, 'work'));
    writeFileSync(join(directory.path, 'thesis.txt'), '');
    expect(() => open()).toThrow(/contains other files.*--dir/);
    expect(readdirSync(directory.path)).toEqual(['thesis.txt', 'work']);
  });

  it('continues in its own directory, and in one that a killed command left', () => {
    open().savePulls([7]);
    writeFileSync(join(directory.path, 'notes.txt'), '');
    expect(open().readPulls()).toEqual([7]);
    const killed = join(directory.path, 'killed');
    mkdirSync(join(killed, 'results'), { recursive: true });
    writeFileSync(join(killed, 'eval.lock-journal'), '');
    expect(open(killed).readPulls()).toEqual([]);
  });
});
