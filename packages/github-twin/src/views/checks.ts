import { listPulls } from '../domain/issues.js';
import type { CheckRun, Status } from '../store/check-rows.js';
import type { Repo, User } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { viewPullMinimal } from './pull.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUser, viewUserOf } from './user.js';

export function viewStatus(context: ViewContext, repo: Repo, status: Status) {
  return { ...viewSimpleStatus(context, repo, status), creator: viewUserOf(context, status.creatorId) };
}

export function viewSimpleStatus(context: ViewContext, repo: Repo, status: Status) {
  return {
    url: `${repoUrl(context, repo)}/statuses/${status.sha}`,
    avatar_url: viewUserOf(context, status.creatorId)?.avatar_url ?? null,
    id: status.id,
    node_id: nodeId('SC', status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

/** The app behind a suite: bots act as apps, and Actions is one of them. */
export function viewApp(context: ViewContext, login: string) {
  const bot = context.world.store.users.find((user) => user.login === login);
  if (!bot) return null;
  const slug = login.replace(/\[bot\]$/, '');
  return {
    id: bot.id,
    slug,
    node_id: nodeId('A', bot.id),
    owner: viewOwner(context, bot),
    name: bot.name ?? slug,
    description: null,
    external_url: `${context.world.url}/apps/${slug}`,
    html_url: `${context.world.url}/apps/${slug}`,
    created_at: bot.createdAt,
    updated_at: bot.createdAt,
    permissions: { checks: 'write', contents: 'read', metadata: 'read' },
    events: [],
  };
}

const viewOwner = (context: ViewContext, bot: User) => ({ ...viewUser(context, bot), type: 'Organization' });

export function viewCheckRun(context: ViewContext, repo: Repo, run: CheckRun) {
  const url = `${repoUrl(context, repo)}/check-runs/${run.id}`;
  const suite = context.world.store.checkSuites.get(run.suiteId);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: run.sha,
    external_id: '',
    url,
    html_url: `${repoPage(context, repo)}/runs/${run.id}`,
    details_url: `${repoPage(context, repo)}/runs/${run.id}`,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: null,
      summary: null,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: viewApp(context, suite?.app ?? ''),
    pull_requests: viewPullsOf(context, repo, run.sha),
  };
}

export function viewPullsOf(context: ViewContext, repo: Repo, sha: string) {
  return listPulls(context.world, repo)
    .filter((issue) => issue.state === 'open' && issue.pull.headSha === sha)
    .map((issue) => viewPullMinimal(context, repo, issue));
}
