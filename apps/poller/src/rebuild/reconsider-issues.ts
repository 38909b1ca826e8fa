import { createHash } from 'node:crypto';
import { listFlowLabels } from '@mergexo/core/flows';
import type { GitHub, Issue } from '@mergexo/github';
import { recordIssue } from '../lifecycle/run/record-issue.js';
import type { Records, Repo } from '../tools.js';

type Tools = Records & { github: Pick<GitHub, 'fetchOpenIssues'> };

/**
 * Checks open labeled issues without a run again after the configured labels or `allowed_users` change. The
 * feed returns only changed issues, so a skipped issue would otherwise stay skipped until somebody edits it.
 */
export async function reconsiderIssues(tools: Tools, repo: Repo): Promise<void> {
  const { state } = tools;
  const intakeRules = computeRules(repo);
  const known = state.readRepoWatch(repo.id)?.intakeRules ?? null;
  if (known === intakeRules) return;
  // A database without recorded rules comes from an earlier version, which handled every issue through the feed.
  const issues = known === null ? [] : await fetchLabelled(tools, repo);
  state.transaction(() => {
    // The list may lag, so it does not affect issues with a run.
    for (const issue of issues)
      if (state.listRunsOfIssue(repo.id, issue.number).length === 0) recordIssue(tools, repo, { issue });
    state.saveRepoWatch(repo.id, { intakeRules });
  });
}

/** Returns open issues with the label of a flow, lowest number first. */
export async function fetchLabelled({ github }: Pick<Tools, 'github'>, repo: Repo): Promise<Issue[]> {
  const { fullName, labels } = repo.config;
  const listed = await Promise.all(
    listFlowLabels(labels).map(({ name }) => github.fetchOpenIssues(fullName, name)),
  );
  const issues = new Map(listed.flat().map((issue) => [issue.number, issue]));
  return [...issues.values()].sort((a, b) => a.number - b.number);
}

export function computeRules({ config }: Repo): string {
  const rules = [
    listFlowLabels(config.labels).map(({ name }) => name),
    config.labels.ignore,
    config.allowedUsers,
  ];
  return createHash('sha256').update(JSON.stringify(rules)).digest('hex');
}
