import { createWalk, type Walk } from '../fleet/walk.js';

/** With this many repositories, the poller never polls faster than configured. */
const OTHERS = Array.from({ length: 40 }, (_, i) => `[repo.r${i}]\nowner = "alice"\nname = "missing-${i}"\n`);

describe('the rhythm of the real poller:', () => {
  let walk: Walk;
  afterEach(() => walk.closeAndCheck());

  it('it polls right after its own post, although the next poll is due minutes later', async () => {
    walk = await createWalk({ pollSeconds: 300, repoKeys: OTHERS.join('') });
    const issue = await walk.openIssue('agent:bugfix');
    walk.startPoller();
    walk.startWorker();
    await walk.until(() => {
      const run = walk.runOf(issue);
      const pull = walk.withState((state) => run?.prNumber && state.readPull(run.repoId, run.prNumber));
      // Only a poll after the post can list the pull request.
      expect(pull).toMatchObject({ listedAt: expect.any(Number) });
    }, 60_000);
  });
});
