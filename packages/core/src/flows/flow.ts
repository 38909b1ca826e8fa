import type { KindOf } from '../turns/turn-kind.js';

export const FLOWS = ['design_doc', 'bugfix', 'small_job', 'implementation'] as const;
export type Flow = (typeof FLOWS)[number];

type FlowTraits = {
  /** Names the flow on the dashboard and in replies. */
  name: string;
  /**
   * The label that requests the flow; null for a flow that a merge starts. `key` is the label's name in the
   * configuration. If an issue has several labels, the lowest `precedence` wins.
   */
  label: { key: string; precedence: number; color: string; description: string } | null;
  /** The word after `/mergexo` that requests the flow. */
  command: string | null;
  branchFolder: string;
  /** `Refs` leaves the issue open for later work. `Fixes` closes the issue on merge. */
  reference: 'Refs' | 'Fixes';
  startKind: KindOf<'start'>;
  feedbackKind: KindOf<'feedback'>;
  /** False for design documents, which only people review. */
  isReviewed: boolean;
  /** Names the result in the comment that announces the pull request. */
  product: string;
};

/** The only table of flows. After you add a flow, the compiler reports every other place to update. */
export const FLOW_TRAITS = {
  design_doc: {
    name: 'Design document',
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
    name: 'Bug fix',
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
    name: 'Small job',
    label: { key: 'smallJob', precedence: 2, color: '0e8a16', description: 'MergeXO does this small job' },
    command: 'small-job',
    branchFolder: 'small',
    reference: 'Fixes',
    startKind: 'small_job_start',
    feedbackKind: 'implementation_feedback',
    isReviewed: true,
    product: 'a change',
  },
  implementation: {
    name: 'Implementation',
    label: null,
    command: null,
    branchFolder: 'impl',
    reference: 'Fixes',
    startKind: 'implementation_start',
    feedbackKind: 'implementation_feedback',
    isReviewed: true,
    product: 'an implementation',
  },
} as const satisfies Record<Flow, FlowTraits>;

type Labelled = Exclude<(typeof FLOW_TRAITS)[Flow]['label'], null>;
export type FlowLabelKey = Labelled['key'];
/** The word after `/mergexo` that starts a flow. */
export type StartWord = Exclude<(typeof FLOW_TRAITS)[Flow]['command'], null>;

export function listStartWords(): StartWord[] {
  return FLOWS.flatMap((flow) => FLOW_TRAITS[flow].command ?? []);
}

/** The configurable labels: those that request a flow, and the label that a person sets to take over. */
export type LabelKey = FlowLabelKey | 'ignore';
export type Labels = Readonly<Record<LabelKey, string>>;
