import { join } from 'node:path';
import { createRunGit, type RunGit } from '../run/run-git.js';
import { git, SEARCH_PATH } from '../testing/shell.js';
import { makeWorld } from '../testing/world.js';
import { cutRepository } from './cut-repository.js';

describe('a cut repository', () => {
  it('is refused if it contains an object that no branch reaches', async () => {
    const world = makeWorld();
    const dir = join(world.dir, 'cut.git');
    const limits = { localMs: 60_000, networkMs: 60_000, outputBytes: 1_000_000 };
    const plain = createRunGit({
      baseDir: world.dir,
      searchPath: SEARCH_PATH,
      credential: async () => '',
      limits,
    });
    // Adds an object after `git prune` has removed all unreachable objects.
    const run: RunGit = async (command) => {
      const ran = await plain(command);
      if (command.args[0] === 'prune') git(dir, 'hash-object', '-w', join(world.clone, 'README.md.new'));
      return ran;
    };
    const sha = git(world.clone, 'rev-parse', 'HEAD');
    const request = { dir, head: 'main', branches: { main: sha } };
    await cutRepository({ run: plain, gitDir: world.remote }, request);
    git(world.clone, 'config', '-f', 'README.md.new', 'solution.line', '42');
    await expect(cutRepository({ run, gitDir: world.remote }, request)).rejects.toThrow(
      'contains 1 objects that no branch reaches',
    );
    await world.remove();
  });
});
