import { join } from 'node:path';
import { createState, openDatabase } from '@mergexo/state';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { readBlocked } from './read-blocked.js';

const OLD = 'a'.repeat(40);
const NEW = 'b'.repeat(40);
const RESET = 'npx mergexo feedback blocked reset --repo ada/engine --pr 7';

it.each([
  ['was pushed', NEW, [RESET, `${RESET} --head-sha ${NEW}`]],
  ["stayed in the agent's checkout", OLD, [RESET]],
])('suggests the expected reset commands if the rewritten history %s', (_where, headSha, commands) => {
  const directory = createTemporaryDirectory();
  const database = openDatabase(join(directory.path, 'state.db'));
  const state = createState(database);
  try {
    const repository = { id: 1, owner: 'ada', name: 'engine', defaultBranch: 'main' };
    const about = { repoId: 1, issueNumber: 4 };
    state.saveRepository(repository);
    const run = state.recordRun(
      { ...about, flow: 'bugfix', issueTitle: 't', branch: 'b', designDocPath: null, ordinal: 1 },
      1_000,
    );
    if (run === undefined) throw new Error('no run');
    state.recordPull({ ...about, prNumber: 7, runId: run.id, branch: 'b', headSha: OLD, url: null }, 1_000);
    const pull = state.readPull(1, 7);
    if (pull === undefined) throw new Error('no pull request');
    state.savePull({ ...pull, headSha, status: 'blocked', blockedKind: 'history_rewritten' }, 1_000);
    const [blocked] = readBlocked({ state, sqlite: database.sqlite }, repository);
    expect(blocked?.acceptedHeadSha).toBe(OLD);
    expect(blocked?.remedies.map(({ command }) => command)).toEqual(commands);
  } finally {
    state.close();
    directory.remove();
  }
});
