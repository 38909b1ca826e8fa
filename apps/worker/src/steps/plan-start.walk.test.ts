import type { TestsSandboxChoice } from '@mergexo/agents';
import type { RepoConfig } from '@mergexo/config';
import { armFailpoint } from '@mergexo/core/basics';
import { PlanParcel, type StartContext, type TurnKind } from '@mergexo/core/turns';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import { createPlanStart } from './plan-start.js';
import { aStartContext } from './testing/a-start-context.js';
import { aRemote, aReport, createScene, plan, REPO } from './testing/scene.js';
import { aBegunTurn, SECRET, type Step, say } from './testing/stage.js';

const FILES = {
  'src/a.txt': 'one\n',
  'broken.sh': '#!/bin/sh\necho broken; exit 1\n',
  'plain.sh': 'exit 0\n',
};
const PATH = 'docs/design/7-crash.md';

const DESIGN = {
  title: 'A plan',
  summary: 'What and why.',
  touch_paths: ['src/*'],
  priority: 4,
  depends_on: [],
  estimated_size: 'S',
  design_doc_markdown: `## Details\n\nNot ${SECRET}.`,
  state_summary: 'all done',
};
const CHANGE = {
  pr_title: 'Fix',
  pr_summary: 'Fixed.',
  commit_message: `Use ${SECRET}`,
  state_summary: 'done',
};

describe('a start turn', () => {
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote(FILES) }));
  let turns = 0;

  async function open(
    kind: TurnKind,
    steps: Step[],
    followup: StartContext['followup'] = null,
    repo: Partial<RepoConfig> = {},
    testsSandbox?: TestsSandboxChoice,
  ) {
    if (followup === null) turns += 1;
    const isDesign = kind === 'design_start';
    const name = followup === null ? String(turns) : `${turns}-again`;
    const stage = scene.openStage(name, { steps, repo, testsSandbox });
    const context = aStartContext({
      flow: isDesign ? 'design_doc' : 'bugfix',
      branch: `agent/${isDesign ? 'design' : 'bugfix'}/${turns}-crash`,
      designDocPath: isDesign ? PATH : null,
      followup,
    });
    return { ...stage, planned: await plan(createPlanStart(stage.tools), kind, context) };
  }

  /** Publishes the plan and reads the result from GitHub. */
  async function publish({ planned, git, repo }: Awaited<ReturnType<typeof open>>) {
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    const { plan, bundle } = PlanParcel.parse(planned.parcel);
    if (plan.commit === null) throw new Error(JSON.stringify(plan));
    await git.publish(repo, { ...plan.commit, bundle: Buffer.from(bundle ?? '', 'base64') });
    const { startSha, sha } = plan.commit;
    const compared = Object(await scene.ada.request('GET', `/repos/${REPO}/compare/${startSha}...${sha}`));
    const files: { filename: string; patch: string }[] = compared.files;
    return { plan, files, commits: compared.total_commits, text: JSON.stringify(compared) };
  }

  it.each([
    ['edits', 'echo junk > junk.txt'],
    ['commits', 'echo junk > junk.txt; git add -A; git -c user.name=a -c user.email=a@b.c commit -qm mine'],
    ['rewritten history', 'git -c user.name=a -c user.email=a@b.c commit -q --amend -m other'],
  ])('commits only the design document even if the agent left %s', async (_name, shell) => {
    const { files, commits, text } = await publish(await open('design_start', [say(DESIGN, shell)]));
    expect(files.map(({ filename }) => filename)).toEqual([PATH]);
    expect(commits).toBe(1);
    expect(text).not.toContain('mine');
  });

  it('keeps the work of a blocked agent as a checkpoint, and resumes from it', async () => {
    const first = await publish(
      await open('bugfix_start', [say({ blocked_reason: 'Which one?' }, 'echo two > src/a.txt')]),
    );
    expect(first.plan.result).toEqual({ kind: 'wait', waitKind: 'agent_blocked', reason: 'Which one?' });
    expect(first.files.map(({ filename }) => filename)).toEqual(['src/a.txt']);
    const checkpoint = { branch: first.plan.commit?.branch ?? '', sha: first.plan.commit?.sha ?? '' };
    const followup = { waitKind: 'agent_blocked' as const, reason: 'Which one?', checkpoint, comments: [] };

    const second = await publish(
      await open('bugfix_start', [say(CHANGE, 'cat src/a.txt > src/b.txt')], followup),
    );
    expect(second.plan.result.kind).toBe('pull');
    expect(second.plan.commit?.startSha).toBe(checkpoint.sha);
    expect(second.files.map(({ filename, patch }) => [filename, patch.includes('+two')])).toEqual([
      ['src/b.txt', true],
    ]);
  });

  it('opens a pull request from the unchanged checkpoint when no edits are left to make', async () => {
    const { plan } = await publish(
      await open('bugfix_start', [say({ blocked_reason: 'Is this enough?' }, 'echo fine > src/a.txt')]),
    );
    const checkpoint = { branch: plan.commit?.branch ?? '', sha: plan.commit?.sha ?? '' };
    const followup = {
      waitKind: 'agent_blocked' as const,
      reason: 'Is this enough?',
      checkpoint,
      comments: [],
    };
    const { planned } = await open('bugfix_start', [say(CHANGE)], followup);
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    const parcel = PlanParcel.parse(planned.parcel);
    expect(parcel.bundle).toBeNull();
    expect(parcel.plan.commit).toEqual({ ...checkpoint, startSha: checkpoint.sha });
    expect(parcel.plan.result.kind).toBe('pull');
  });

  it('keeps no checkpoint when a design is blocked', async () => {
    const { planned } = await open('design_start', [say({ blocked_reason: 'Why?' }, 'echo junk > junk.txt')]);
    expect(planned).toMatchObject({ kind: 'planned', parcel: { bundle: null, plan: { commit: null } } });
  });

  it('keeps secrets out of documents, commits and plans', async () => {
    const design = await publish(await open('design_start', [say(DESIGN)]));
    const change = await publish(await open('bugfix_start', [say(CHANGE, 'echo two > src/a.txt')]));
    for (const { text, plan } of [design, change]) {
      expect(text).not.toContain(SECRET);
      expect(text).toContain('[redacted]');
      expect(JSON.stringify(plan)).not.toContain(SECRET);
    }
  });

  it('does not ask an agent that is no fallback in the configuration of this worker', async () => {
    const { tools, calls } = scene.openStage('no-fallback', { steps: [] });
    const begun = {
      ...aBegunTurn('bugfix_start', aStartContext({ flow: 'bugfix' })),
      adapter: 'claude' as const,
    };
    const planned = await createPlanStart(tools)(begun, new AbortController().signal, aReport());
    expect(planned).toMatchObject({
      kind: 'failed',
      cause: 'infrastructure',
      reason: expect.stringContaining('claude is not a fallback for acme/app'),
    });
    expect(calls).toThrow('calls.jsonl');
  });

  it('reaches the failpoint that fires while the agent runs', async () => {
    const passed: string[] = [];
    armFailpoint('worker:agent-started', () => passed.push('started'));
    await open('bugfix_start', [say(CHANGE, 'echo two > src/a.txt')]);
    expect(passed).toEqual(['started']);
  });

  it('asks the agent to fix a symlink that points outside the repository, and pushes the repaired work', async () => {
    const opened = await open('bugfix_start', [
      say(CHANGE, 'ln -s /etc/passwd users; echo two > src/a.txt'),
      say(CHANGE, 'rm users'),
    ]);
    expect(opened.calls()[1]?.prompt).toContain('users: it is a link to /etc/passwd, which is outside');
    const { files } = await publish(opened);
    expect(files.map(({ filename }) => filename)).toEqual(['src/a.txt']);
  });

  it('waits for a person and pushes nothing when the agent insists on an unrelated history', async () => {
    const join = [
      'own=$(git symbolic-ref --short HEAD)',
      'git checkout -q --orphan fresh',
      'git commit -qm other',
      'git checkout -q $own',
      'git merge -q --allow-unrelated-histories -m join fresh -X ours',
    ];
    const steps = [say(CHANGE, join.join(' && ')), say(CHANGE), say(CHANGE)];
    const { planned, calls } = await open('small_job_start', steps);
    expect(calls()[1]?.prompt).toContain('has no commit in common with the branch; nothing was pushed');
    expect(calls()).toHaveLength(2);
    expect(planned).toMatchObject({
      parcel: { bundle: null, plan: { commit: null, result: { kind: 'wait', waitKind: 'agent_blocked' } } },
    });
  });

  it('opens no pull request while the required tests fail, and keeps the work as a checkpoint', async () => {
    const steps = [say(CHANGE, 'echo two > src/a.txt'), say(CHANGE), say(CHANGE), say(CHANGE), say(CHANGE)];
    const opened = await open('bugfix_start', steps, null, { requiredTests: 'broken.sh' });
    expect(opened.calls()).toHaveLength(4);
    const { plan, files } = await publish(opened);
    expect(plan.result).toMatchObject({
      kind: 'wait',
      waitKind: 'tests_failed',
      reason: expect.stringContaining('broken'),
    });
    expect(files.map(({ filename }) => filename)).toEqual(['src/a.txt']);
  });

  it('tells the agent and people which limit the required tests exceeded', async () => {
    // The exit code after SIGXFSZ, which the kernel sends to a program that writes too large a file.
    const change = say(CHANGE, `printf '#!/bin/sh\\nexit 153\\n' > broken.sh`);
    const opened = await open('bugfix_start', [change, change, change, change], null, {
      requiredTests: 'broken.sh',
    });
    const reason = 'The tests used more than 20480 MiB of disk space; if the work needs more, raise';
    expect(opened.calls()[1]?.prompt).toContain(reason);
    const { plan } = await publish(opened);
    expect(plan.result).toMatchObject({
      kind: 'wait',
      waitKind: 'tests_failed',
      reason: expect.stringContaining(reason),
    });
  });

  it.each<[string, string, TestsSandboxChoice | undefined, string]>([
    [
      'have no sandbox',
      'broken.sh',
      { kind: 'refused', reason: 'bubblewrap (bwrap) is not installed', fix: 'Install it.' },
      '`required_tests` cannot run on this worker: bubblewrap (bwrap) is not installed. Install it.',
    ],
    ['are missing', 'missing.sh', undefined, 'missing.sh does not exist'],
    ['are not executable', 'plain.sh', undefined, 'plain.sh is not an executable file'],
  ])(
    'does not ask the agent if the required tests %s',
    async (_name, requiredTests, testsSandbox, reason) => {
      for (const kind of ['bugfix_start', 'design_start'] as const) {
        const { planned, calls } = await open(kind, [], null, { requiredTests }, testsSandbox);
        expect(planned).toMatchObject({
          kind: 'planned',
          parcel: {
            plan: {
              session: null,
              commit: null,
              result: {
                kind: 'wait',
                waitKind: 'tests_unavailable',
                reason: expect.stringContaining(reason),
              },
            },
          },
        });
        expect(calls).toThrow('calls.jsonl');
      }
    },
  );

  it.each<[string, Step]>([
    ['planned', say(CHANGE, 'echo two > src/a.txt')],
    ['failed', say({ pr_title: 1 })],
  ])(
    'releases its slot when the turn is %s, so that the next turn gets the same slot',
    async (kind, step) => {
      const { planned, git, repo } = await open('bugfix_start', [step, step]);
      expect(planned.kind).toBe(kind);
      const { author } = aBegunTurn('bugfix_start', {});
      const next = await git.leaseSlot(repo, { author, signal: new AbortController().signal });
      expect(next.path).toMatch(/worker-1$/);
      await next.release();
    },
  );

  it('reports the tokens and cost of an answer that MergeXO rejects', async () => {
    const { planned, calls } = await open('bugfix_start', [say({ pr_title: 1 }), say({ pr_title: 2 })]);
    expect(planned).toMatchObject({
      kind: 'failed',
      cause: 'unusable',
      usage: { inputTokens: 20, outputTokens: 10, costUsd: 1 },
    });
    expect(calls()).toHaveLength(2);
  });

  it("reports the agent's tokens and cost even if git fails afterwards", async () => {
    // Collecting fails because the agent's script removes the trusted repositories.
    const { planned } = await open('bugfix_start', [say(CHANGE, 'rm -rf "$PWD/../../../../../git/trusted"')]);
    expect(planned).toMatchObject({ kind: 'failed', cause: 'infrastructure', usage: { inputTokens: 10 } });
  });
});
