import { join } from 'node:path';
import type { FeedbackEventContext, PlanResult, Turn } from '@mergexo/core/turns';
import { openState, type State } from '@mergexo/state';
import { aTurn, createTemporaryDirectory } from '@mergexo/testkit';
import { explainForeignPlan } from './explain-foreign-plan.js';

const SHA = 'a'.repeat(40);
const SAID = {
  author: 'ada',
  body: 'failed',
  createdAt: '2024-01-01T00:00:00Z',
  updatedAt: '2024-01-01T00:00:00Z',
};

const failure = (id: number, check: FeedbackEventContext['check']): FeedbackEventContext => ({
  key: `7:ci:${id}`,
  kind: 'ci',
  id,
  rootId: null,
  path: null,
  line: null,
  side: null,
  startLine: null,
  outdated: null,
  isResolved: false,
  diffHunk: null,
  reviewState: null,
  check,
  log: null,
  url: '',
  ...SAID,
});
const ACTIONS = { source: 'actions', attempt: 2 } as const;

describe('an agent or worker whose plan', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let state: State;
  beforeAll(() => {
    directory = createTemporaryDirectory();
    state = openState(join(directory.path, 'state.db'));
    state.saveRepository({ id: 1, owner: 'o', name: 'n', defaultBranch: 'main' });
  });
  afterAll(() => {
    state.close();
    directory.remove();
  });

  let issues = 0;
  const open = (events: readonly FeedbackEventContext[]): Turn => {
    issues += 1;
    const about = {
      repoId: 1,
      issueNumber: issues,
      branch: 'agent/bugfix/3',
      designDocPath: null,
      ordinal: 1,
    };
    const run = state.recordRun({ ...about, flow: 'bugfix', issueTitle: 'x' }, 1);
    const turn = aTurn({ runId: run?.id ?? null, kind: 'implementation_feedback', prNumber: issues });
    state.recordTurn(turn, JSON.parse(JSON.stringify({ ...CONTEXT, events })));
    return turn;
  };
  const explain = (
    events: readonly FeedbackEventContext[],
    rerun: { runId: number; attempt: number },
    commit: { branch: string; startSha: string; sha: string } | null = null,
  ): string | undefined => {
    const result: PlanResult = { kind: 'answer', replies: [], general: 'It was flaky.', rerun };
    return explainForeignPlan(state, open(events), { commit, result });
  };

  it('names the failed run that its turn was opened for: MergeXO accepts the plan', () => {
    expect(explain([failure(500, ACTIONS)], { runId: 500, attempt: 2 })).toBeUndefined();
  });

  it.each<[string, readonly FeedbackEventContext[], { runId: number; attempt: number }]>([
    ['a run of another pull request', [failure(500, ACTIONS)], { runId: 501, attempt: 2 }],
    ['an earlier attempt', [failure(500, ACTIONS)], { runId: 500, attempt: 1 }],
    ['a later attempt', [failure(500, ACTIONS)], { runId: 500, attempt: 3 }],
    ['run 0', [failure(500, ACTIONS)], { runId: 0, attempt: 2 }],
    ['a negative run', [failure(500, ACTIONS)], { runId: -500, attempt: 2 }],
    [
      'a check of another system',
      [failure(500, { source: 'check', attempt: 2 })],
      { runId: 500, attempt: 2 },
    ],
    ['a status', [failure(500, { source: 'status', attempt: 2 })], { runId: 500, attempt: 2 }],
    ['an event without a check', [failure(500, null)], { runId: 500, attempt: 2 }],
    ['the id of a comment', [{ ...failure(500, ACTIONS), kind: 'issue' }], { runId: 500, attempt: 2 }],
    ['one of two failed runs', [failure(500, ACTIONS), failure(501, ACTIONS)], { runId: 501, attempt: 2 }],
    [
      'a run in a turn that also has a comment',
      [failure(500, ACTIONS), { ...failure(9, null), kind: 'issue' }],
      { runId: 500, attempt: 2 },
    ],
    ['a run in a turn without events', [], { runId: 500, attempt: 2 }],
  ])('names %s: MergeXO rejects the plan', (_name, events, rerun) => {
    expect(explain(events, rerun)).toContain(`not about attempt ${rerun.attempt} of the workflow run`);
  });

  it.each([
    ['the default branch', 'main'],
    ['the branch of another run', 'agent/bugfix/4'],
    ['the same branch in other letters', 'Agent/bugfix/3'],
    ['no branch', ''],
  ])('adds a commit for %s: MergeXO rejects the plan', (_name, branch) => {
    const commit = { branch, startSha: SHA, sha: 'b'.repeat(40) };
    expect(explain([failure(500, ACTIONS)], { runId: 500, attempt: 2 }, commit)).toContain(
      "the run's branch is",
    );
  });

  it('adds a commit to the rerun: MergeXO rejects the plan', () => {
    const commit = { branch: 'agent/bugfix/3', startSha: SHA, sha: 'b'.repeat(40) };
    expect(explain([failure(500, ACTIONS)], { runId: 500, attempt: 2 }, commit)).toContain('not about');
  });
});

const CONTEXT = {
  repo: 'o/n',
  flow: 'bugfix',
  branch: 'agent/bugfix/3',
  designDocPath: null,
  headSha: SHA,
  pull: { number: 7, title: '', body: '', author: 'robot', baseBranch: 'main', url: '' },
  issue: { number: 3, title: '', body: '', author: 'ada', labels: [], url: '' },
  reviewComments: [],
  conversation: [],
  signals: [],
  session: { adapter: 'command', threadId: null },
  stateSummary: '',
  previousActions: [],
  cuts: [],
};
