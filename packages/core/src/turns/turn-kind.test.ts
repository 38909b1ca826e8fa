import { PlanResult } from './plan.js';
import { FAMILY_TRAITS, isOfFamily, mayEndWith, TURN_KINDS, type TurnKind } from './turn-kind.js';

const ENDS = PlanResult.options.map(({ shape }) => shape.kind.value);

describe('the kinds of turns', () => {
  it('assign every result of a plan to exactly one family', () => {
    const families = Object.values(FAMILY_TRAITS);
    const counts = ENDS.map((end) => families.filter(({ ends }) => ends.some((one) => one === end)).length);
    expect(counts).toEqual(ENDS.map(() => 1));
  });

  it.each<[TurnKind, string[]]>([
    ['bugfix_start', ['pull', 'wait']],
    ['design_feedback', ['answer', 'block']],
    ['review', ['review']],
    ['review_fix', ['fix']],
  ])('allow a %s turn to end only with %j', (kind, ends) => {
    expect(ENDS.filter((end) => mayEndWith(kind, end)).sort()).toEqual(ends);
  });

  it('recognise feedback by its family', () => {
    expect(TURN_KINDS.filter((kind) => isOfFamily(kind, 'feedback'))).toEqual([
      'design_feedback',
      'implementation_feedback',
    ]);
  });
});
