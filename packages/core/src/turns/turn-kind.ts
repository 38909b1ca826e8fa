import type { PlanResult } from './plan.js';

export const TURN_KINDS = [
  'design_start',
  'bugfix_start',
  'small_job_start',
  'implementation_start',
  'design_feedback',
  'implementation_feedback',
  'review',
  'review_fix',
] as const;
export type TurnKind = (typeof TURN_KINDS)[number];

type FamilyTraits = {
  /** The results with which a plan may end: the poller refuses any other from a worker. */
  ends: readonly PlanResult['kind'][];
  /** What the turn is about. */
  place: 'issue' | 'pull';
  /** The key of the repository's configuration that names the agent. */
  agent: 'agent' | 'reviewAgent';
  /** Turns of one lane take their turn among each other for a free worker. */
  lane: 'start' | 'feedback' | 'review';
};

/** Everything that the turns of one family have in common. */
export const FAMILY_TRAITS = {
  start: { ends: ['pull', 'wait'], place: 'issue', agent: 'agent', lane: 'start' },
  feedback: { ends: ['answer', 'block'], place: 'pull', agent: 'agent', lane: 'feedback' },
  review: { ends: ['review'], place: 'pull', agent: 'reviewAgent', lane: 'review' },
  fix: { ends: ['fix'], place: 'pull', agent: 'agent', lane: 'review' },
} as const satisfies Record<string, FamilyTraits>;
export type TurnFamily = keyof typeof FAMILY_TRAITS;

/** A new kind gets a row here, and the compiler lists the rest: its output, its prompt and its rules. */
const FAMILIES = {
  design_start: 'start',
  bugfix_start: 'start',
  small_job_start: 'start',
  implementation_start: 'start',
  design_feedback: 'feedback',
  implementation_feedback: 'feedback',
  review: 'review',
  review_fix: 'fix',
} as const satisfies Record<TurnKind, TurnFamily>;

export type KindOf<Family extends TurnFamily> = {
  [Kind in TurnKind]: (typeof FAMILIES)[Kind] extends Family ? Kind : never;
}[TurnKind];
/** The families whose turns are about a pull request. */
export type PullFamily = {
  [Family in TurnFamily]: (typeof FAMILY_TRAITS)[Family]['place'] extends 'pull' ? Family : never;
}[TurnFamily];

export function familyOf(kind: TurnKind): TurnFamily {
  return FAMILIES[kind];
}

export function traitsOf(kind: TurnKind): (typeof FAMILY_TRAITS)[TurnFamily] {
  return FAMILY_TRAITS[FAMILIES[kind]];
}

export function isOfFamily<Family extends TurnFamily>(
  kind: TurnKind,
  family: Family,
): kind is KindOf<Family> {
  return FAMILIES[kind] === family;
}

export function mayEndWith(kind: TurnKind, end: PlanResult['kind']): boolean {
  return traitsOf(kind).ends.some((allowed) => allowed === end);
}
