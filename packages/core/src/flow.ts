import type { TurnKind } from './turn.js';

export const FLOWS = ['design_doc', 'bugfix', 'small_job', 'implementation'] as const;
export type Flow = (typeof FLOWS)[number];

/** How each flow names its branch, opens its turn and mentions its issue. */
const TRAITS = {
  design_doc: { folder: 'design', start: 'design_start', reference: 'Refs' },
  bugfix: { folder: 'bugfix', start: 'bugfix_start', reference: 'Fixes' },
  small_job: { folder: 'small', start: 'small_job_start', reference: 'Fixes' },
  implementation: { folder: 'impl', start: 'implementation_start', reference: 'Fixes' },
} as const satisfies Record<Flow, { folder: string; start: TurnKind; reference: string }>;

export type RunName = { flow: Flow; issueNumber: number; slug: string; ordinal: number };

/** A later run of the same issue and flow has a branch of its own: nobody's earlier work is touched. */
export function buildBranchName({ flow, issueNumber, slug, ordinal }: RunName): string {
  const suffix = ordinal > 1 ? `-${ordinal}` : '';
  return `agent/${TRAITS[flow].folder}/${issueNumber}-${slug}${suffix}`;
}

export function buildDesignDocPath(docsDir: string, { issueNumber, slug, ordinal }: RunName): string {
  const suffix = ordinal > 1 ? `-${ordinal}` : '';
  return `${docsDir}/${issueNumber}-${slug}${suffix}.md`;
}

export function startKindOf(flow: Flow): TurnKind {
  return TRAITS[flow].start;
}

/** `Refs` leaves the issue open for what follows; `Fixes` closes it with the merge. */
export function renderIssueReference(flow: Flow, issueNumber: number): string {
  return `${TRAITS[flow].reference} #${issueNumber}`;
}
