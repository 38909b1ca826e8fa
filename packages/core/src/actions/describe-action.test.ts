import type { Plan, PlanResult } from '../turns/plan.js';
import type { Action } from './action.js';
import type { ActionContent } from './action-content.js';
import { buildTarget } from './action-target.js';
import { describeAction } from './describe-action.js';

const anAction = (
  content: ActionContent,
  rest: Partial<Pick<Action, 'target' | 'state' | 'error'>> = {},
): Action => ({
  id: 'i',
  repoId: 1,
  turnKey: 't',
  thread: 7,
  position: 0,
  target: 'pull:7',
  state: 'settled',
  remoteId: 9,
  sends: 1,
  error: null,
  ...content,
  ...rest,
});
const aPlan = (result: PlanResult): Plan => ({
  version: 1,
  session: null,
  commit: null,
  result,
  stateSummary: '',
  usage: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
});
const answer = aPlan({
  kind: 'answer',
  replies: [
    { commentId: 3, rootId: 3, body: 'First.' },
    { commentId: 4, rootId: 3, body: 'Second.' },
  ],
  general: 'In general.',
});

describe('describeAction', () => {
  it.each<[string, Action, Plan | null, string]>([
    [
      'a reply',
      anAction(
        { kind: 'review_reply', payload: null },
        { target: buildTarget({ kind: 'review', commentId: 4 }) },
      ),
      answer,
      'Second.',
    ],
    ['a general comment', anAction({ kind: 'general_comment', payload: null }), answer, 'In general.'],
    [
      'a wait',
      anAction({ kind: 'wait_comment', payload: null }),
      aPlan({ kind: 'wait', waitKind: 'no_changes', reason: 'Why.' }),
      'Why.',
    ],
    [
      'an answer to a finding',
      anAction({ kind: 'finding_reply', payload: { text: 'Fixed.' } }),
      null,
      'Fixed.',
    ],
  ])('describes %s by its text', (_what, action, plan, summary) => {
    expect(describeAction(action, plan)).toEqual({
      kind: action.kind,
      target: action.target,
      summary,
      outcome: 'posted',
      commentId: 9,
    });
  });

  it.each<[string, Action, Plan | null]>([
    ['a label', anAction({ kind: 'escalation_label', payload: { label: 'human' } }), null],
    ['a notice', anAction({ kind: 'block_notice', payload: { text: 'Stopped.' } }), null],
    [
      'the pull request',
      anAction({ kind: 'open_pull', payload: null }),
      aPlan({ kind: 'pull', title: 'T', summary: 'S', design: null }),
    ],
    ['a rerun', anAction({ kind: 'rerun_checks', payload: null }, { target: 'checks:1:1' }), answer],
    ['a comment whose plan is lost', anAction({ kind: 'general_comment', payload: null }), null],
  ])(
    'leaves out %s, because the agent did not write it or the prompt shows it elsewhere',
    (_what, action, plan) => {
      expect(describeAction(action, plan)).toBeUndefined();
    },
  );

  it('keeps long texts, and adds the reason to a refused post', () => {
    const action = anAction(
      { kind: 'general_comment', payload: { text: 'x'.repeat(5_000) } },
      { state: 'refused', error: { code: 'refused', text: 'locked' } },
    );
    expect(describeAction(action, null)).toMatchObject({
      summary: 'x'.repeat(5_000),
      outcome: 'not posted: locked',
    });
  });
});
