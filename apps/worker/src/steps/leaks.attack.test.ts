import { type Plan, PlanParcel, type StartContext } from '@mergexo/core/turns';
import { startTwin } from '@mergexo/github-twin';
import { createTemporaryDirectory } from '@mergexo/testkit';
import type { Planned } from './make-plan.js';
import { createPlanFeedback } from './plan-feedback.js';
import { createPlanFix } from './plan-fix.js';
import { createPlanStart } from './plan-start.js';
import { aFeedbackContext } from './testing/a-feedback-context.js';
import { aReviewFixContext } from './testing/a-review-context.js';
import { aRemote, createScene, plan, REPO } from './testing/scene.js';
import { SECRET, type Step, say } from './testing/stage.js';

const LEAK = `echo "password = ${SECRET}" > src/leak.txt`;
const CLEAN = 'echo "read the password from the environment" > src/leak.txt';
const AS_AGENT = 'git -c user.name=Linus -c user.email=l@example.test';

const REPLY = { review_replies: [{ review_comment_id: 11, body: 'Done in a.txt.' }], state_summary: 's' };
const answer = (shell: string): Step => say({ ...REPLY, commit_message: 'Change it' }, shell);
const CHANGE = { pr_title: 'Fix', pr_summary: 'Fixed.', commit_message: 'Fix', state_summary: 's' };

describe('an agent that writes a secret', () => {
  const scene = createScene(createTemporaryDirectory(), () => startTwin({ seed: aRemote() }));

  function planOf(planned: Planned): Plan & { bundle: string | null } {
    if (planned.kind !== 'planned') throw new Error(JSON.stringify(planned));
    const { plan, bundle } = PlanParcel.parse(planned.parcel);
    return { ...plan, bundle };
  }

  async function giveFeedback(...steps: Step[]) {
    const branch = await scene.openBranch({ steps });
    const context = aFeedbackContext({ branch: branch.branch, headSha: branch.headSha });
    const planned = await plan(createPlanFeedback(branch.tools), 'implementation_feedback', context);
    return { ...branch, plan: planOf(planned) };
  }

  it.each<[string, string]>([
    ['into a file', LEAK],
    ['into a file in base64', `printf %s "${SECRET}" | base64 > src/leak.txt`],
    ['into a file name', `echo x > "src/${SECRET}"`],
    ['into a separate commit', `${LEAK}; git add -A; ${AS_AGENT} commit -qm mine`],
    [
      'into a file that it hides from git',
      `${LEAK}; git add -A; git update-index --assume-unchanged src/leak.txt`,
    ],
  ])('%s gets one complaint, and then the pull request is blocked', async (_name, shell) => {
    const { plan, calls, remoteHead, headSha } = await giveFeedback(answer(shell), answer(':'));
    expect(plan).toMatchObject({ commit: null, bundle: null, result: { blockKind: 'secret_found' } });
    expect(JSON.stringify(plan)).toContain('The agent wrote a secret into the change.');
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    expect(calls()).toHaveLength(2);
    expect(calls()[1]?.prompt).toContain('it contains a credential of this MergeXO installation');
    expect(calls()[1]?.prompt).not.toContain(SECRET);
    expect(remoteHead()).toBe(headSha);
  });

  it.each<[string, string, string]>([
    ['from its files', LEAK, CLEAN],
    [
      'with another commit',
      `${LEAK}; git add -A; ${AS_AGENT} commit -qm "Add ${SECRET}"`,
      `${CLEAN}; ${AS_AGENT} commit -qam "Remove ${SECRET}"`,
    ],
  ])('gets its change pushed if it removes the secret %s', async (_name, leak, clean) => {
    const { plan, git, repo } = await giveFeedback(answer(leak), answer(clean));
    if (plan.commit === null || plan.bundle === null) throw new Error(JSON.stringify(plan));
    const bundle = Buffer.from(plan.bundle, 'base64');
    expect(await git.publish(repo, { ...plan.commit, bundle })).toEqual({ kind: 'pushed' });
    const range = `${plan.commit.startSha}...${plan.commit.sha}`;
    const compared = Object(await scene.ada.request('GET', `/repos/${REPO}/compare/${range}`));
    expect(compared.total_commits).toBe(1);
    expect(JSON.stringify(compared)).not.toContain(SECRET);
    expect(compared.commits[0].commit).toMatchObject({
      author: { name: 'robot' },
      committer: { name: 'robot' },
      message: expect.stringContaining('MergeXO-Agent: command'),
    });
  });

  /** Starts work on an issue that has no pull request yet. */
  async function begin(name: string, ...steps: Step[]) {
    const stage = scene.openStage(name, { steps });
    const context: StartContext = {
      repo: REPO,
      flow: 'bugfix',
      branch: `agent/bugfix/900-${name}`,
      designDocPath: null,
      issue: { number: 7, title: 'It crashes', body: '', author: 'ada', labels: [], url: 'u' },
      comments: [],
      linked: [],
      unreadLinks: [],
      consumedUpTo: 0,
      followup: null,
      session: null,
      stateSummary: '',
      design: null,
    };
    return planOf(await plan(createPlanStart(stage.tools), 'bugfix_start', context));
  }

  it('makes the run wait for a person if the issue has no pull request yet', async () => {
    const { commit, result } = await begin('start', say(CHANGE, LEAK), say(CHANGE));
    expect(commit).toBeNull();
    expect(result).toMatchObject({ kind: 'wait', waitKind: 'secret_found' });
  });

  it('gets no checkpoint that contains the secret if it also asks a question', async () => {
    const made = await begin('blocked', say({ blocked_reason: 'Which one?' }, LEAK));
    expect(made).toMatchObject({ commit: null, bundle: null, result: { waitKind: 'agent_blocked' } });
  });

  it('makes the fix of a review fail without a push', async () => {
    const findings = [11, 12].map((id) => ({ id, resolution: 'fixed', note: 'Done.' }));
    const output = { findings, summary: 'Done.', commit_message: 'Fix', state_summary: 's' };
    const branch = await scene.openBranch({ steps: [say(output, LEAK), say(output)] });
    const context = aReviewFixContext({ branch: branch.branch, headSha: branch.headSha });
    const made = planOf(await plan(createPlanFix(branch.tools), 'review_fix', context));
    expect(made).toMatchObject({
      commit: null,
      result: { failure: { cause: 'agent_error', reason: expect.stringContaining('wrote a secret') } },
    });
    expect(branch.remoteHead()).toBe(branch.headSha);
  });
});
