import type { Plan, PlanResult } from '../turns/plan.js';
import { type Action, buildReplyTarget } from './action.js';
import type { ActionKind } from './action-kind.js';
import { describeAction } from './describe-action.js';

const anAction = (kind: ActionKind, rest: Partial<Action> = {}): Action => ({
  id: 'i',
  repoId: 1,
  turnKey: 't',
  thread: 7,
  position: 0,
  kind,
  target: 'pull:7',
  state: 'settled',
  remoteId: 9,
  sends: 1,
  error: null,
  words: null,
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
    ['a reply', anAction('review_reply', { target: buildReplyTarget(4) }), answer, 'Second.'],
    ['a general comment', anAction('general_comment'), answer, 'In general.'],
    [
      'a pull request',
      anAction('open_pull'),
      aPlan({ kind: 'pull', title: 'T', summary: 'S', design: null }),
      'T\n\nS',
    ],
    [
      'a wait',
      anAction('wait_comment'),
      aPlan({ kind: 'wait', waitKind: 'no_changes', reason: 'Why.' }),
      'Why.',
    ],
    ['a notice', anAction('block_notice', { words: 'Stopped.' }), null, 'Stopped.'],
    ['an action without a text', anAction('rerun_checks', { target: 'checks:1:1' }), answer, ''],
  ])('gives the text of %s', (_what, action, plan, summary) => {
    expect(describeAction(action, plan)).toEqual({
      kind: action.kind,
      target: action.target,
      summary,
      outcome: 'settled',
    });
  });

  it('bounds the text, and tells why a post was refused', () => {
    const action = anAction('general_comment', {
      state: 'refused',
      error: 'locked',
      words: 'x'.repeat(5_000),
    });
    const { summary, outcome } = describeAction(action, null);
    expect(summary).toBe(`${'x'.repeat(1_000)} …`);
    expect(outcome).toBe('refused: locked');
  });
});
