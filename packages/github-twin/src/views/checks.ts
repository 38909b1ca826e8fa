import { listPulls } from '../domain/issues.js';
import type { Lens } from '../http/call.js';
import type { CheckRun, Status } from '../store/check-rows.js';
import type { Repo, User } from '../store/rows.js';
import { viewPullMinimal } from './pull.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUser, viewUserOf } from './user.js';

export function viewStatus(lens: Lens, repo: Repo, status: Status) {
  return { ...viewSimpleStatus(lens, repo, status), creator: viewUserOf(lens, status.creatorId) };
}

export function viewSimpleStatus(lens: Lens, repo: Repo, status: Status) {
  return {
    url: `${repoUrl(lens, repo)}/statuses/${status.sha}`,
    avatar_url: viewUserOf(lens, status.creatorId)?.avatar_url ?? null,
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
export function viewApp(lens: Lens, login: string) {
  const bot = lens.world.store.users.find((user) => user.login === login);
  if (!bot) return null;
  const slug = login.replace(/\[bot\]$/, '');
  return {
    id: bot.id,
    slug,
    node_id: nodeId('A', bot.id),
    owner: viewOwner(lens, bot),
    name: bot.name ?? slug,
    description: null,
    external_url: `${lens.world.url}/apps/${slug}`,
    html_url: `${lens.world.url}/apps/${slug}`,
    created_at: bot.createdAt,
    updated_at: bot.createdAt,
    permissions: { checks: 'write', contents: 'read', metadata: 'read' },
    events: [],
  };
}

const viewOwner = (lens: Lens, bot: User) => ({ ...viewUser(lens, bot), type: 'Organization' });

export function viewCheckRun(lens: Lens, repo: Repo, run: CheckRun) {
  const url = `${repoUrl(lens, repo)}/check-runs/${run.id}`;
  const suite = lens.world.store.checkSuites.get(run.suiteId);
  return {
    id: run.id,
    name: run.name,
    node_id: nodeId('CR', run.id),
    head_sha: run.sha,
    external_id: run.externalId,
    url,
    html_url: `${repoPage(lens, repo)}/runs/${run.id}`,
    details_url: run.detailsUrl ?? `${repoPage(lens, repo)}/runs/${run.id}`,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    check_suite: { id: run.suiteId },
    app: viewApp(lens, suite?.app ?? ''),
    pull_requests: viewPullsOf(lens, repo, run.sha),
  };
}

export function viewPullsOf(lens: Lens, repo: Repo, sha: string) {
  return listPulls(lens.world, repo)
    .filter((issue) => issue.state === 'open' && issue.pull.headSha === sha)
    .map((issue) => viewPullMinimal(lens, repo, issue));
}
