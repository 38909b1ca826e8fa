import { FLOW_TRAITS, type Flow } from './flow.js';

export type RunName = { flow: Flow; issueNumber: number; slug: string; ordinal: number };

/**
 * Builds the branch name of a run. A later run of the same issue and flow gets a new branch, so that earlier work
 * stays untouched.
 */
export function buildBranchName({ flow, issueNumber, slug, ordinal }: RunName): string {
  const suffix = ordinal > 1 ? `-${ordinal}` : '';
  return `agent/${FLOW_TRAITS[flow].branchFolder}/${issueNumber}-${slug}${suffix}`;
}

export function buildDesignDocPath(docsDir: string, { issueNumber, slug, ordinal }: RunName): string {
  const suffix = ordinal > 1 ? `-${ordinal}` : '';
  return `${docsDir}/${issueNumber}-${slug}${suffix}.md`;
}

export function renderIssueReference(flow: Flow, issueNumber: number): string {
  return `${FLOW_TRAITS[flow].reference} #${issueNumber}`;
}
