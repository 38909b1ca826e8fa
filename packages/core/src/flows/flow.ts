import type { KindOf } from '../turns/turn-kind.js';

export const FLOWS = ['design_doc', 'bugfix', 'small_job', 'implementation'] as const;
export type Flow = (typeof FLOWS)[number];

type FlowTraits = {
  /**
   * The label that asks for the flow; null where a merge asks for it. `key` names the label in the config. An issue with
   * several labels gets the flow of the lowest `precedence`.
   */
  label: { key: string; precedence: number; color: string; description: string } | null;
  /** The word after `/mergexo` that asks for the flow. */
  command: string | null;
  branchFolder: string;
  /** `Refs` leaves the issue open for later work; `Fixes` closes it with the merge. */
  reference: 'Refs' | 'Fixes';
  startKind: KindOf<'start'>;
  feedbackKind: KindOf<'feedback'>;
  /** A design document is for people to judge. */
  isReviewed: boolean;
  /** What its pull request proposes, in the comment that announces it. */
  product: string;
};

/** Everything that sets one flow apart from another. A new flow gets a row here, and the compiler lists the rest. */
export const FLOW_TRAITS = {
  design_doc: {
    label: {
      key: 'design',
      precedence: 3,
      color: '1d76db',
      description: 'MergeXO writes a design document',
    },
    command: 'design',
    branchFolder: 'design',
    reference: 'Refs',
    startKind: 'design_start',
    feedbackKind: 'design_feedback',
    isReviewed: false,
    product: 'a design document',
  },
  bugfix: {
    label: { key: 'bugfix', precedence: 1, color: 'd73a4a', description: 'MergeXO fixes this bug' },
    command: 'bugfix',
    branchFolder: 'bugfix',
    reference: 'Fixes',
    startKind: 'bugfix_start',
    feedbackKind: 'implementation_feedback',
    isReviewed: true,
    product: 'a fix',
  },
  small_job: {
    label: { key: 'smallJob', precedence: 2, color: '0e8a16', description: 'MergeXO does this small job' },
    command: 'small-job',
    branchFolder: 'small',
    reference: 'Fixes',
    startKind: 'small_job_start',
    feedbackKind: 'implementation_feedback',
    isReviewed: true,
    product: 'the change',
  },
  implementation: {
    label: null,
    command: null,
    branchFolder: 'impl',
    reference: 'Fixes',
    startKind: 'implementation_start',
    feedbackKind: 'implementation_feedback',
    isReviewed: true,
    product: 'the implementation',
  },
} as const satisfies Record<Flow, FlowTraits>;

type Labelled = Exclude<(typeof FLOW_TRAITS)[Flow]['label'], null>;
export type FlowLabelKey = Labelled['key'];
/** The word after `/mergexo` that starts a flow. */
export type StartWord = Exclude<(typeof FLOW_TRAITS)[Flow]['command'], null>;

export function listStartWords(): StartWord[] {
  return FLOWS.flatMap((flow) => FLOW_TRAITS[flow].command ?? []);
}

/** The labels that a repository gives a meaning: one per flow, and the one by which a person takes over. */
export type LabelKey = FlowLabelKey | 'ignore';
export type Labels = Readonly<Record<LabelKey, string>>;
