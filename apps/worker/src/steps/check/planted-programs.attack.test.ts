import type { RepoConfig } from '@mergexo/config';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createPlanStart } from '../plan-start.js';
import { aStartContext } from '../testing/a-start-context.js';
import { aRemote, createScene, plan } from '../testing/scene.js';
import { type Step, say } from '../testing/stage.js';

/** Makes git run a program for every file, and remembers in a log that it ran. */
const PLANT = `git config filter.evil.clean 'echo ran >> "$LOG"; cat'; mkdir -p .git/info; echo '* filter=evil' > .git/info/attributes`;
const FILES = { 'src/a.txt': 'one\n', 'setup.sh': `#!/bin/sh\n${PLANT}\n`, 'test.sh': '#!/bin/sh\nexit 0\n' };
const CHANGE = { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 'done' };
/** The agent's program runs git where no sandbox of its own protects its login. */
const RUN_GIT = 'export LOG="$HOME/log"; echo more >> src/a.txt; git status >&2; git add -A';

describe('a program that the repository runs before the agent', () => {
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote(FILES) }));
  let turns = 0;

  async function start(repo: Partial<RepoConfig>, steps: Step[]) {
    turns += 1;
    const stage = scene.openStage(`planted-${turns}`, { steps, repo });
    const about = aStartContext({ flow: 'small_job', branch: `agent/small/${turns}-x` });
    const planned = await plan(createPlanStart(stage.tools), 'small_job_start', about);
    expect(planned).toMatchObject({ kind: 'planned', parcel: { plan: { result: { kind: 'pull' } } } });
    return stage.calls();
  }
  const REPORT = `${RUN_GIT}; test ! -e "$LOG" || exit 1`;

  it('cannot make the git of the agent run a program that setup planted', async () => {
    expect(await start({ setup: 'setup.sh' }, [say(CHANGE, REPORT)])).toHaveLength(1);
  });

  it('cannot make the git of the agent run a program that a test planted', async () => {
    const test = `printf '%s\\n' '#!/bin/sh' '${PLANT.replaceAll("'", `'\\''`)}; exit 1' > test.sh`;
    const pass = `printf '#!/bin/sh\\nexit 0\\n' > test.sh`;
    const steps = [say(CHANGE, test), say(CHANGE, `${REPORT}; ${pass}`)];
    expect(await start({ requiredTests: 'test.sh' }, steps)).toHaveLength(2);
  });
});
