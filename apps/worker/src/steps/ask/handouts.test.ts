import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHandouts } from './handouts.js';

describe('handouts', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'mergexo-handouts-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('are private files, and replace those of the previous request', async () => {
    const handouts = await openHandouts(join(root, 'acme', 'worker-1'));
    await handouts.write([{ name: 'text-1.txt', text: 'one' }]);
    await handouts.write([{ name: 'text-2.txt', text: 'two' }]);
    expect(readdirSync(handouts.path)).toEqual(['text-2.txt']);
    expect(readFileSync(join(handouts.path, 'text-2.txt'), 'utf8')).toBe('two');
    expect(statSync(handouts.path).mode & 0o777).toBe(0o700);
    expect(statSync(join(handouts.path, 'text-2.txt')).mode & 0o777).toBe(0o600);
  });

  it('do not contain files that a killed worker left, and are removed after the turn', async () => {
    writeFileSync(join((await openHandouts(root)).path, 'text-1.txt'), 'of another turn');
    const handouts = await openHandouts(root);
    expect(readdirSync(root)).toEqual([]);
    await handouts.remove();
    expect(() => readdirSync(root)).toThrow('ENOENT');
  });
});
