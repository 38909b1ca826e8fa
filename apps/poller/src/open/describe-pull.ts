import { describeChecks } from '@mergexo/core/ci';
import { type ReviewContext, toRole } from '@mergexo/core/turns';
import type { Issue } from '@mergexo/github';
import type { Pull, Run } from '@mergexo/state';
import { describeIssue } from '../threads/describe-issue.js';
import type { Snapshot } from '../threads/list-pull.js';
import { hideDistrusted } from '../threads/select-trusted.js';
import type { Repo } from '../tools.js';

export type PullDescription = Pick<
  ReviewContext,
  'repo' | 'flow' | 'branch' | 'designDocPath' | 'headSha' | 'pull' | 'issue' | 'checks'
>;

/** Builds the description that every turn on a pull request gets. */
export function describePull(
  repo: Repo,
  { pull, run }: { pull: Pull; run: Run },
  { snapshot, issue }: { snapshot: Snapshot; issue: Issue },
): PullDescription {
  const { pull: details } = snapshot;
  return {
    repo: repo.config.fullName,
    flow: run.flow,
    branch: pull.branch,
    designDocPath: run.designDocPath,
    headSha: details.headSha,
    pull: {
      number: pull.prNumber,
      title: details.title,
      body: details.body,
      author: details.author.login,
      baseBranch: details.baseRef,
      url: details.url,
      ...toRole(details.association),
      createdAt: details.createdAt,
    },
    issue: hideDistrusted(repo, describeIssue(issue)),
    checks: describeChecks(pull.checks, details.headSha),
  };
}
