import { keysOf } from '../basics/keys-of.js';
import type { PlanResult } from './plan.js';

type FamilyTraits = {
  /** The allowed kinds of result. The poller rejects any other kind from a worker. */
  ends: readonly PlanResult['kind'][];
  /** The subject of the turn. */
  place: 'issue' | 'pull';
  /** The key in the repository's configuration that names the agent. */
  agent: 'agent' | 'reviewAgent';
  /** `orderTurns` shares free workers fairly between lanes, and between repositories within a lane. */
  lane: 'start' | 'feedback' | 'review';
};

/** The traits that all turns of a family share. */
export const FAMILY_TRAITS = {
  start: { ends: ['pull', 'wait'], place: 'issue', agent: 'agent', lane: 'start' },
  feedback: { ends: ['answer', 'block'], place: 'pull', agent: 'agent', lane: 'feedback' },
  review: { ends: ['review'], place: 'pull', agent: 'reviewAgent', lane: 'review' },
  fix: { ends: ['fix'], place: 'pull', agent: 'agent', lane: 'review' },
} as const satisfies Record<string, FamilyTraits>;
export type TurnFamily = keyof typeof FAMILY_TRAITS;

/** The only table of turn kinds. After you add a kind, the compiler reports the output, prompt and rules to add. */
const FAMILIES = {
  design_start: 'start',
  bugfix_start: 'start',
  small_job_start: 'start',
  implementation_start: 'start',
  design_feedback: 'feedback',
  implementation_feedback: 'feedback',
  review: 'review',
  review_fix: 'fix',
} as const satisfies Record<string, TurnFamily>;
export type TurnKind = keyof typeof FAMILIES;
export const TURN_KINDS: readonly TurnKind[] = keysOf(FAMILIES);

/**
 * The questions that MergeXO asks agents. A turn asks the question of its own kind, and a review may also ask a second
 * agent to verify its findings.
 */
export type QuestionKind = TurnKind | 'review_verify';
export const QUESTION_KINDS: readonly QuestionKind[] = [...TURN_KINDS, 'review_verify'];

/** Returns the kind of turn that asks the question. */
export function turnKindOf(question: QuestionKind): TurnKind {
  return question === 'review_verify' ? 'review' : question;
}

/** Names a kind of turn on the dashboard and in replies. */
export const TURN_KIND_NAMES: Readonly<Record<TurnKind, string>> = {
  design_start: 'Write a design document',
  bugfix_start: 'Fix a bug',
  small_job_start: 'Do a small job',
  implementation_start: 'Implement a design',
  design_feedback: 'Reply to feedback',
  implementation_feedback: 'Reply to feedback',
  review: 'Review',
  review_fix: 'Fix review findings',
};

export type KindOf<Family extends TurnFamily> = {
  [Kind in TurnKind]: (typeof FAMILIES)[Kind] extends Family ? Kind : never;
}[TurnKind];
/** The families of turns on pull requests. */
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
