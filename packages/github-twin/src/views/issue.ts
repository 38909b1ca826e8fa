import { hasPermission } from '../domain/permissions.js';
import type { Comment, Issue, Label, Repo } from '../store/rows.js';
import type { ViewContext } from '../world/world.js';
import { repoPage, repoUrl } from './repo.js';
import { nodeId, viewUserOf } from './user.js';

export function viewLabel(context: ViewContext, repo: Repo, label: Label) {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repoUrl(context, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

export function viewLabels(context: ViewContext, repo: Repo, issue: Issue) {
  return issue.labelIds.flatMap((id) => {
    const label = context.world.store.labels.get(id);
    return label ? [viewLabel(context, repo, label)] : [];
  });
}

export function viewAssociation(context: ViewContext, repo: Repo, userId: number | null): string {
  const user = userId === null ? undefined : context.world.store.users.get(userId);
  if (!user) return 'NONE';
  if (user.login === repo.owner) return 'OWNER';
  if (repo.permissions[user.login] && hasPermission(repo, user, 'triage')) return 'COLLABORATOR';
  const merged = context.world.store.issues.find(
    (row) => row.repoId === repo.id && row.userId === userId && !!row.pull?.mergedAt,
  );
  return merged ? 'CONTRIBUTOR' : 'NONE';
}

const REACTIONS = ['+1', '-1', 'laugh', 'confused', 'heart', 'hooray', 'rocket', 'eyes'];

/** Nobody can react: the twin has no reactions, but every answer counts them. */
export function viewReactions(url: string) {
  const counts = REACTIONS.map((content) => [content, 0]);
  return { url: `${url}/reactions`, total_count: 0, ...Object.fromEntries(counts) };
}

export function issuePage(context: ViewContext, repo: Repo, issue: Pick<Issue, 'number' | 'pull'>): string {
  return `${repoPage(context, repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;
}

export function viewIssue(context: ViewContext, repo: Repo, issue: Issue) {
  const { store } = context.world;
  const url = `${repoUrl(context, repo)}/issues/${issue.number}`;
  const page = issuePage(context, repo, issue);
  return {
    url,
    repository_url: repoUrl(context, repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    id: issue.id,
    node_id: nodeId(issue.pull ? 'PR' : 'I', issue.id),
    number: issue.number,
    title: issue.title,
    user: viewUserOf(context, issue.userId),
    labels: viewLabels(context, repo, issue),
    state: issue.state,
    locked: false,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: store.comments.filter((row) => row.repoId === repo.id && row.number === issue.number).length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: viewAssociation(context, repo, issue.userId),
    active_lock_reason: null,
    ...(issue.pull && { draft: issue.pull.draft, pull_request: viewPullLinks(context, repo, issue) }),
    body: issue.body,
    closed_by: viewUserOf(context, issue.closedById),
    reactions: viewReactions(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.stateReason,
  };
}

function viewPullLinks(context: ViewContext, repo: Repo, issue: Issue) {
  const page = issuePage(context, repo, issue);
  return {
    url: `${repoUrl(context, repo)}/pulls/${issue.number}`,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    merged_at: issue.pull?.mergedAt ?? null,
  };
}

export function viewComment(context: ViewContext, repo: Repo, comment: Comment) {
  const url = `${repoUrl(context, repo)}/issues/comments/${comment.id}`;
  const issue = context.world.store.issues.find(
    (row) => row.repoId === repo.id && row.number === comment.number,
  );
  return {
    url,
    html_url: `${issuePage(context, repo, { number: comment.number, pull: issue?.pull ?? null })}#issuecomment-${comment.id}`,
    issue_url: `${repoUrl(context, repo)}/issues/${comment.number}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: viewUserOf(context, comment.userId),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: viewAssociation(context, repo, comment.userId),
    body: comment.body,
    reactions: viewReactions(url),
    performed_via_github_app: null,
  };
}
