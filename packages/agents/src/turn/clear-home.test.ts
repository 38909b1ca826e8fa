import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { useTemporaryDirectory } from '@mergexo/testkit';
import type { Resource } from '../run/resources.js';
import { clearHome } from './clear-home.js';

describe('the home of an agent', () => {
  const pathTo = useTemporaryDirectory();
  const clear = async (resource: Resource): Promise<boolean> => {
    mkdirSync(pathTo('home'));
    writeFileSync(pathTo('home/file'), 'x');
    await clearHome(pathTo('home'), { kind: 'exceeded', resource, limit: 1, survivors: [] });
    return !existsSync(pathTo('home'));
  };

  it.each<[Resource, boolean]>([
    ['diskBytes', true],
    ['freeDisk', true],
    ['memoryBytes', false],
    ['processes', false],
  ])('after a run that exceeded %s is removed: %s', async (resource, expected) => {
    expect(await clear(resource)).toBe(expected);
  });

  it('is kept after a run that ended by itself', async () => {
    mkdirSync(pathTo('home'));
    await clearHome(pathTo('home'), undefined);
    expect(existsSync(pathTo('home'))).toBe(true);
  });
});
