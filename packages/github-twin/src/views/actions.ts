import type { CommitInfo } from '../git/commits.js';
import type { Job, WorkflowRun } from '../store/check-rows.js';
import type { Repo } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { viewPullsOf } from './checks.js';
import { viewSimpleCommit } from './commit.js';
import { repoPage, repoUrl, viewMinimalRepo } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewRun(context: ViewContext, repo: Repo, run: WorkflowRun, commit: CommitInfo) {
  const root = `${repoUrl(context, repo)}/actions`;
  const url = `${root}/runs/${run.id}`;
  const actor = viewUserOf(context, run.actorId);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('WFR', run.id),
    head_branch: run.branch,
    head_sha: run.sha,
    path: run.path,
    display_title: run.title,
    run_number: run.runNumber,
    event: run.event,
    status: run.status,
    conclusion: run.conclusion,
    workflow_id: run.workflowId,
    check_suite_id: run.suiteId,
    check_suite_node_id: nodeId('CS', run.suiteId),
    url,
    html_url: `${repoPage(context, repo)}/actions/runs/${run.id}`,
    pull_requests: viewPullsOf(context, repo, run.sha),
    created_at: run.createdAt,
    updated_at: run.updatedAt,
    ...(actor && { actor, triggering_actor: actor }),
    run_attempt: run.attempt,
    referenced_workflows: [],
    run_started_at: run.startedAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repoUrl(context, repo)}/check-suites/${run.suiteId}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${root}/workflows/${run.workflowId}`,
    head_commit: viewSimpleCommit(commit),
    repository: viewMinimalRepo(context, repo),
    head_repository: viewMinimalRepo(context, repo),
  };
}

export function viewJob(context: ViewContext, repo: Repo, run: WorkflowRun, job: Job) {
  const root = repoUrl(context, repo);
  const step = {
    name: job.name,
    number: 1,
    status: job.status,
    conclusion: job.conclusion,
    started_at: job.startedAt,
    completed_at: job.completedAt,
  };
  return {
    id: job.id,
    run_id: run.id,
    workflow_name: run.name,
    head_branch: run.branch,
    run_url: `${root}/actions/runs/${run.id}`,
    run_attempt: job.attempt,
    node_id: nodeId('CR', job.id),
    head_sha: run.sha,
    url: `${root}/actions/jobs/${job.id}`,
    html_url: `${repoPage(context, repo)}/actions/runs/${run.id}/job/${job.id}`,
    status: job.status,
    conclusion: job.conclusion,
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    name: job.name,
    steps: [step],
    check_run_url: `${root}/check-runs/${job.id}`,
    labels: ['ubuntu-latest'],
    runner_id: 1,
    runner_name: 'twin',
    runner_group_id: 1,
    runner_group_name: 'GitHub Actions',
  };
}
