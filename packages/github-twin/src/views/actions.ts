import type { CommitInfo } from '../git/commits.js';
import type { Job, WorkflowRun } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { viewPullsOf } from './checks.js';
import { repoPage, repoUrl, viewMinimalRepo } from './repo.js';
import { nodeId, viewAddresses, viewFields, viewUserOf } from './user.js';

const PROGRESS = ['name', 'status', 'conclusion', 'createdAt'] as const;

export function viewRun(context: RepoView, run: WorkflowRun, commit: CommitInfo) {
  const url = `${repoUrl(context)}/actions/runs/${run.id}`;
  const repository = viewMinimalRepo(context);
  const { author, committer } = commit;
  const actor = viewUserOf(context, run.actorId) ?? undefined;
  return {
    ...viewAddresses(context, 'workflow-run', url),
    ...viewFields('WFR', run, [...PROGRESS, 'path', 'runNumber', 'event', 'workflowId', 'updatedAt']),
    head_branch: run.branch,
    head_sha: run.sha,
    display_title: run.name,
    check_suite_id: run.suiteId,
    check_suite_node_id: nodeId('CS', run.suiteId),
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    referenced_workflows: [],
    url,
    html_url: `${repoPage(context)}/actions/runs/${run.id}`,
    pull_requests: viewPullsOf(context, run.sha),
    actor,
    triggering_actor: actor,
    run_attempt: run.attempt,
    run_started_at: run.startedAt,
    head_commit: {
      id: commit.sha,
      tree_id: commit.tree,
      message: commit.message,
      timestamp: committer.date,
      author: { name: author.name, email: author.email },
      committer: { name: committer.name, email: committer.email },
    },
    repository,
    head_repository: run.forkId === undefined ? repository : { ...repository, id: run.forkId },
  };
}

/** Renders the workflow of a run. The twin derives workflows from their runs. */
export function viewWorkflow(context: RepoView, { workflowId: id, name, path, createdAt }: WorkflowRun) {
  const badge = encodeURIComponent(name);
  return {
    id,
    node_id: nodeId('W', id),
    name,
    path,
    state: 'active',
    created_at: createdAt,
    updated_at: createdAt,
    url: `${repoUrl(context)}/actions/workflows/${id}`,
    html_url: `${repoPage(context)}/blob/${context.repo.defaultBranch}/${path}`,
    badge_url: `${repoPage(context)}/workflows/${badge}/badge.svg`,
  };
}

export function viewJob(context: RepoView, job: Job, run: WorkflowRun) {
  const root = repoUrl(context);
  return {
    ...viewFields('CR', job, [...PROGRESS, 'startedAt', 'completedAt']),
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.branch,
    run_url: `${root}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    head_sha: run.sha,
    steps: viewSteps(job),
    url: `${root}/actions/jobs/${job.id}`,
    html_url: `${repoPage(context)}/actions/runs/${run.id}/job/${job.id}`,
    check_run_url: `${root}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'twin',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  };
}

/** The steps before the last one succeeded, because a job stops at its first failed step. */
function viewSteps({ steps, status, conclusion, startedAt, completedAt }: Job) {
  const times = { started_at: startedAt, completed_at: completedAt };
  return steps.map((name, index) => {
    const outcome = index < steps.length - 1 && conclusion !== null ? 'success' : conclusion;
    const progress = status === 'queued' || status === 'completed' ? status : 'in_progress';
    return { name, number: index + 1, status: progress, conclusion: outcome, ...times };
  });
}
