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
    ['a label', anAction({ kind: 'escalation_label', payload: { label: 'human' } }), null, 'human'],
    ['a reviewer', anAction({ kind: 'review_request', payload: { login: 'ada' } }), null, 'ada'],
    ['files', anAction({ kind: 'update_body', payload: { drift: ['a.ts', 'b.ts'] } }), null, 'a.ts, b.ts'],
    ['a head', anAction({ kind: 'review_failed_status', payload: { headSha: 'abc' } }), null, 'abc'],
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
      'a pull request',
      anAction({ kind: 'open_pull', payload: null }),
      aPlan({ kind: 'pull', title: 'T', summary: 'S', design: null }),
      'T\n\nS',
    ],
    [
      'a wait',
      anAction({ kind: 'wait_comment', payload: null }),
      aPlan({ kind: 'wait', waitKind: 'no_changes', reason: 'Why.' }),
      'Why.',
    ],
    ['a notice', anAction({ kind: 'block_notice', payload: { text: 'Stopped.' } }), null, 'Stopped.'],
    [
      'an action without a text',
      anAction({ kind: 'rerun_checks', payload: null }, { target: 'checks:1:1' }),
      answer,
      '',
    ],
  ])('describes %s by its text', (_what, action, plan, summary) => {
    expect(describeAction(action, plan)).toEqual({
      kind: action.kind,
      target: action.target,
      summary,
      outcome: 'settled',
    });
  });

  it('cuts long texts, and adds the reason to a refused post', () => {
    const action = anAction(
      { kind: 'general_comment', payload: { text: 'x'.repeat(5_000) } },
      { state: 'refused', error: { code: 'refused', text: 'locked' } },
    );
    const { summary, outcome } = describeAction(action, null);
    expect(summary).toBe(`${'x'.repeat(1_000)} …`);
    expect(outcome).toBe('refused: locked');
  });
});
