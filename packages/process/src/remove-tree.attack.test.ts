import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeTree, unlockTree } from './remove-tree.js';

describe('removing a hostile tree', () => {
  let dir: string;
  const at = (...names: string[]) => join(dir, ...names);
  const modeOf = (path: string) => (lstatSync(path).mode & 0o777).toString(8);
  beforeEach(() => {
    dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-'));
    mkdirSync(at('victim/deep'), { recursive: true });
    writeFileSync(at('victim/deep/key'), 'key', { mode: 0o400 });
    writeFileSync(at('key'), 'key', { mode: 0o400 });
    chmodSync(at('victim/deep'), 0o500);
    mkdirSync(at('slot/locked'), { recursive: true });
  });
  afterEach(() => {
    chmodSync(at('victim/deep'), 0o700);
    rmSync(dir, { recursive: true, force: true });
  });

  const ATTEMPTS: [string, () => string][] = [
    ['the path is a link to a directory', () => link('victim', 'slot/link')],
    ['the path is a link to a file', () => link('key', 'slot/link')],
    ['the path is a link to a link', () => link(relative(link('victim', 'slot/first')), 'slot/link')],
    ['a directory contains a link to a directory', () => inside(() => link('victim', 'slot/locked/link'))],
    ['a directory contains a link to a file', () => inside(() => link('key', 'slot/locked/link'))],
    ['a directory contains a link with a name like an option', () => inside(() => link('victim', 'slot/-L'))],
  ];
  const relative = (path: string) => path.slice(dir.length + 1);
  function link(target: string, name: string): string {
    symlinkSync(at(target), at(name));
    return at(name);
  }
  function inside(work: () => void): string {
    work();
    chmodSync(at('slot/locked'), 0o000);
    return at('slot');
  }
  const modesOutside = () => [at('victim'), at('victim/deep'), at('victim/deep/key'), at('key')].map(modeOf);

  it.each(ATTEMPTS)('changes no permissions outside the tree if %s', async (_name, attack) => {
    const before = modesOutside();
    await unlockTree(attack());
    expect(modesOutside()).toEqual(before);
  });

  it.each(ATTEMPTS)('removes nothing outside the tree if %s', async (_name, attack) => {
    const before = modesOutside();
    const path = attack();
    await removeTree(path);
    expect(modesOutside()).toEqual(before);
    expect(lstatSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});
