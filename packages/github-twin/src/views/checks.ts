import { listPulls } from '../domain/issues.js';
import { findUser } from '../domain/users.js';
import type { Annotation, CheckRun, Status } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { viewAppOf } from './app.js';
import { viewPullMinimal } from './pull.js';
import { repoPage, repoUrl } from './repo.js';
import { viewFields, viewUserOf } from './user.js';

export function viewStatus(context: RepoView, status: Status) {
  return { ...viewSimpleStatus(context, status), creator: viewUserOf(context, status.creatorId) };
}

export function viewSimpleStatus(context: RepoView, status: Status) {
  return {
    url: `${repoUrl(context)}/statuses/${status.sha}`,
    avatar_url: viewUserOf(context, status.creatorId)?.avatar_url ?? null,
    ...viewFields('SC', status, ['state', 'description', 'targetUrl', 'context', 'createdAt']),
    updated_at: status.createdAt,
  };
}

export function viewCheckRun(context: RepoView, run: CheckRun) {
  const url = `${repoUrl(context)}/check-runs/${run.id}`;
  const suite = context.world.store.checkSuites.get(run.suiteId);
  return {
    ...viewFields('CR', run, ['name', 'status', 'conclusion', 'startedAt', 'completedAt']),
    head_sha: run.sha,
    external_id: run.report?.externalId ?? '',
    url,
    html_url: `${repoPage(context)}/runs/${run.id}`,
    details_url: run.report?.detailsUrl ?? `${repoPage(context)}/runs/${run.id}`,
    output: {
      title: run.report?.title ?? null,
      summary: run.report?.summary ?? null,
      text: run.report?.text ?? null,
      annotations_count: run.annotations.length,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: viewAppOf(context, findUser(context.world, suite?.app ?? '')?.id ?? null),
    pull_requests: viewPullsOf(context, run.sha),
  };
}

export function viewAnnotation(context: RepoView, { sha }: CheckRun, annotation: Annotation) {
  return {
    start_column: null,
    end_column: null,
    title: null,
    raw_details: null,
    ...annotation,
    blob_href: `${repoPage(context)}/blob/${sha}/${annotation.path}`,
  };
}

export function viewPullsOf(context: RepoView, sha: string) {
  return listPulls(context)
    .filter((issue) => issue.state === 'open' && issue.pull.headSha === sha)
    .map((issue) => viewPullMinimal(context, issue));
}
