import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoConfig } from '@mergexo/config';
import type { StartContext, TurnKind } from '@mergexo/core/turns';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createPlanFeedback } from '../plan-feedback.js';
import { createPlanFix } from '../plan-fix.js';
import { createPlanStart } from '../plan-start.js';
import { aFeedbackContext } from '../testing/a-feedback-context.js';
import { aReviewFixContext } from '../testing/a-review-context.js';
import { aStartContext } from '../testing/a-start-context.js';
import { aRemote, createScene, plan } from '../testing/scene.js';
import { type Step, say } from '../testing/stage.js';

/** Installs a dependency that the tests need, and counts its runs in a file in the home directory. */
const SETUP = `#!/bin/sh
set -e
mkdir -p node_modules && echo 42 > node_modules/dep
echo changed >> src/a.txt
echo run >> "$HOME/runs"
`;
const FILES = {
  'src/a.txt': 'one\n',
  'setup.sh': SETUP,
  'broken.sh': '#!/bin/sh\necho no network; exit 1\n',
  'slow.sh': '#!/bin/sh\nexec sleep 60\n',
  'fragile.sh': '#!/bin/sh\ntest ! -e "$HOME/bad" || { echo damaged; exit 1; }\ntouch "$HOME/bad"\n',
  'test.sh': '#!/bin/sh\ntest "$(cat node_modules/dep)" = 42 && test ! -e "$HOME/poison"\n',
};
const CHANGE = { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 'done' };
/** The home directory of setup, as the scripted agent sees it. */
const HOME = '$(dirname "$XDG_CACHE_HOME")';

describe('setup', () => {
  const directory = createTemporaryDirectory();
  const scene = createScene(directory, () => startTwin({ seed: aRemote(FILES) }));
  let turns = 0;

  type Options = {
    steps: Step[];
    repo: Partial<RepoConfig>;
    setupTimeoutMs?: number | undefined;
    name?: string;
    kind?: TurnKind;
    context?: Partial<StartContext>;
  };

  /** Runs a start. Turns with the same name share the kept home of setup. */
  async function start({ steps, repo, setupTimeoutMs, name, kind = 'small_job_start', context }: Options) {
    turns += 1;
    const stage = scene.openStage(`start-${turns}`, {
      steps,
      repo,
      setupTimeoutMs,
      setupDirectory: name && join(directory.path, name),
    });
    const about = aStartContext({ flow: 'small_job', branch: `agent/small/${turns}-x`, ...context });
    const planned = await plan(createPlanStart(stage.tools), kind, about);
    const result = planned.kind === 'planned' ? planned.parcel.plan.result : undefined;
    return { ...stage, planned, result };
  }

  /** Pushes the plan, and lists the changed files with their content. */
  async function publish({ planned, git, repo }: Awaited<ReturnType<typeof start>>) {
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    const { plan, bundle } = planned.parcel;
    if (plan.commit === null) throw new Error(JSON.stringify(plan));
    await git.publish(repo, { ...plan.commit, bundle: Buffer.from(bundle ?? '', 'base64') });
    const range = `${plan.commit.startSha}...${plan.commit.sha}`;
    const compared = Object(await scene.ada.request('GET', `/repos/acme/app/compare/${range}`));
    const files: { filename: string; patch: string }[] = compared.files;
    const text = files.map(({ filename, patch }) => `${filename}: ${patch}`).join('\n');
    return { commit: plan.commit, names: files.map(({ filename }) => filename), text };
  }

  it('installs dependencies for the agent and the required tests, and none of its files are committed', async () => {
    const work = say(CHANGE, 'cat node_modules/dep > src/b.txt; cat src/a.txt >> src/b.txt');
    const started = await start({ steps: [work], repo: { setup: 'setup.sh', requiredTests: 'test.sh' } });
    const { names, text } = await publish(started);
    expect(names).toEqual(['src/b.txt']);
    expect(text).toContain('+42\n+one');
    expect(started.calls()[0]?.prompt).toContain('MergeXO ran setup.sh in the working directory');
    expect(started.calls()[0]?.prompt).toContain('Run ./test.sh until it passes');
  });

  it('runs again before the agent repairs a commit that fails the tests', async () => {
    const steps = [
      say(CHANGE, `printf '#!/bin/sh\\nexit 1\\n' > test.sh; echo two > src/a.txt`),
      say(CHANGE, `printf '#!/bin/sh\\nexit 0\\n' > test.sh; cat node_modules/dep > src/b.txt`),
    ];
    const started = await start({ steps, repo: { setup: 'setup.sh', requiredTests: 'test.sh' } });
    const { names, text } = await publish(started);
    expect(names).toEqual(['src/a.txt', 'src/b.txt', 'test.sh']);
    expect(text).toContain('+42');
  });

  it('without required tests, also prepares the checkout for the agent', async () => {
    const started = await start({
      steps: [say(CHANGE, 'cp node_modules/dep src/b.txt')],
      repo: { setup: 'setup.sh' },
    });
    expect((await publish(started)).names).toEqual(['src/b.txt']);
    expect(started.calls()[0]?.prompt).not.toContain('test.sh');
  });

  it('does not run without the `setup` key, or for a design', async () => {
    const look = say(CHANGE, 'ls > src/b.txt; echo "cache: $XDG_CACHE_HOME" >> src/b.txt');
    const { text } = await publish(await start({ steps: [look], repo: {} }));
    expect(text).toMatch(/cache: $/m);
    expect(text).not.toContain('node_modules');
    const context = { flow: 'design_doc', designDocPath: 'docs/design/7.md' } as const;
    const repo = { setup: 'broken.sh' };
    const blocked = say({ blocked_reason: 'Why?' });
    const { result } = await start({ steps: [blocked], repo, kind: 'design_start', context });
    expect(result).toMatchObject({ waitKind: 'agent_blocked' });
  });

  it('keeps its home for the next turn, without changes that an agent made', async () => {
    const name = 'shared';
    const repo = { setup: 'setup.sh', requiredTests: 'test.sh' };
    const poison = say(CHANGE, `cp ${HOME}/runs src/b.txt; echo x > ${HOME}/poison`);
    const first = await publish(await start({ name, repo, steps: [poison] }));
    expect(first.text.match(/\+run/g)).toHaveLength(1);
    const look = say(CHANGE, `cp ${HOME}/runs src/b.txt; ls ${HOME} > src/c.txt`);
    const second = await publish(await start({ name, repo, steps: [look] }));
    expect(second.text.match(/\+run\b(?!s)/g)).toHaveLength(2);
    expect(second.text).not.toContain('poison');
    expect(existsSync(join(directory.path, name, 'setup/worker-1/current'))).toBe(false);
  });

  it('on a branch, uses the program of the base and a copy of the kept home', async () => {
    const name = 'branch';
    const repo = { setup: 'setup.sh' };
    const evil = `printf '#!/bin/sh\\ntouch "$HOME/evil" evil.txt\\n' > setup.sh`;
    const first = await publish(
      await start({ name, repo, steps: [say({ blocked_reason: 'Continue?' }, evil)] }),
    );
    const { branch, sha } = first.commit;
    const followup = {
      waitKind: 'agent_blocked' as const,
      reason: 'Continue?',
      checkpoint: { branch, sha },
      comments: [],
    };
    const look = say(CHANGE, `ls . ${HOME} > src/b.txt; cat ${HOME}/runs >> src/b.txt`);
    const second = await publish(await start({ name, repo, steps: [look], context: { branch, followup } }));
    expect(second.text).not.toContain('evil');
    expect(second.text).toContain('+node_modules');
    expect(second.text.match(/\+run\b(?!s)/g)).toHaveLength(2);
    // The next turn starts at the base again, and reuses the home of the first turn.
    const third = await publish(
      await start({ name, repo, steps: [say(CHANGE, `cp ${HOME}/runs src/b.txt`)] }),
    );
    expect(third.text.match(/\+run/g)).toHaveLength(2);
  });

  it('runs once more with an empty home if the kept home makes it fail', async () => {
    const turn = { name: 'fragile', repo: { setup: 'fragile.sh' } };
    for (let count = 0; count < 2; count += 1) {
      const { result } = await start({ ...turn, steps: [say(CHANGE, 'echo two > src/a.txt')] });
      expect(result?.kind).toBe('pull');
    }
  });

  it.each<[string, string, string, number | undefined]>([
    ['fails', 'broken.sh', 'no network', undefined],
    ['takes too long', 'slow.sh', '`setup` took longer than `agent.setup_timeout_seconds`', 100],
    ['is missing', 'missing.sh', 'is not a file on the base branch. Add it there', undefined],
    ['is a folder', 'src', 'is not a file on the base branch', undefined],
  ])('does not ask the agent if setup %s', async (_name, setup, reason, setupTimeoutMs) => {
    const reported = { reason: expect.stringContaining(reason) };
    const started = await start({ steps: [], repo: { setup }, setupTimeoutMs });
    expect(started.result).toMatchObject({ kind: 'wait', waitKind: 'setup_failed', ...reported });
    expect(started.calls).toThrow('calls.jsonl');

    const { tools, ...open } = await scene.openBranch({ steps: [], repo: { setup }, setupTimeoutMs });
    const { branch, headSha } = open;
    const feedback = aFeedbackContext({ branch, headSha });
    expect(await plan(createPlanFeedback(tools), 'implementation_feedback', feedback)).toMatchObject({
      parcel: { plan: { commit: null, result: { blockKind: 'setup_failed', ...reported } } },
    });
    const fix = aReviewFixContext({ branch, headSha });
    expect(await plan(createPlanFix(tools), 'review_fix', fix)).toMatchObject({
      parcel: { plan: { commit: null, result: { failure: { cause: 'other', ...reported } } } },
    });
    expect(open.calls).toThrow('calls.jsonl');
  });

  it('tells the agent if setup fails on its commit', async () => {
    // The program of the base reads a file that the agent removes.
    const steps = [say(CHANGE, 'rm src/a.txt; touch node_modules/x; mkdir src/a.txt; echo x > src/a.txt/b')];
    const again = say(CHANGE, 'rm -r src/a.txt; echo two > src/a.txt');
    const repo = { setup: 'setup.sh', requiredTests: 'test.sh' };
    const started = await start({ steps: [...steps, again], repo });
    expect(started.calls()[1]?.prompt).toContain('`setup` failed.');
    expect((await publish(started)).names).toEqual(['src/a.txt']);
  });
});
