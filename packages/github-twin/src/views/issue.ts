import { listBlocked, listBlockers } from '../domain/dependencies.js';
import { inThread } from '../domain/issues.js';
import { hasPermission } from '../domain/permissions.js';
import type { Comment, Issue, Label } from '../store/rows.js';
import type { RepoView } from '../world/world.js';
import { viewAppOf } from './app.js';
import { viewRollup } from './reaction.js';
import { repoPage, repoUrl } from './repo.js';
import { viewAddresses, viewFields, viewUserOf } from './user.js';

export const TIMES = ['createdAt', 'updatedAt', 'closedAt'] as const;

export function viewLabel(context: RepoView, label: Label) {
  return {
    ...viewFields('LA', label, ['name', 'color', 'description']),
    url: `${repoUrl(context)}/labels/${encodeURIComponent(label.name)}`,
    default: false,
  };
}

export function viewLabels(context: RepoView, issue: Issue) {
  return issue.labelIds.flatMap((id) => {
    const label = context.world.store.labels.get(id);
    return label ? [viewLabel(context, label)] : [];
  });
}

export function viewAssociation(context: RepoView, userId: number | null): string {
  const { world, repo } = context;
  const user = userId === null ? undefined : world.store.users.get(userId);
  if (!user) return 'NONE';
  if (user.login === repo.owner) return 'OWNER';
  if (repo.permissions[user.login] && hasPermission(repo, user, 'triage')) return 'COLLABORATOR';
  const merged = world.store.issues.find(
    (row) => row.repoId === repo.id && row.userId === userId && !!row.pull?.mergedAt,
  );
  return merged ? 'CONTRIBUTOR' : 'NONE';
}

export function issuePage(context: RepoView, issue: Pick<Issue, 'number' | 'pull'>): string {
  return `${repoPage(context)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;
}

/** Renders an issue on its own. Lists lack some of its fields. */
export function viewIssue(context: RepoView, issue: Issue) {
  return {
    ...viewListedIssue(context, issue),
    closed_by: viewUserOf(context, issue.closedById),
    ...(!issue.pull && { issue_field_values: [], pinned_comment: null }),
  };
}

/** Renders an issue as a row of a list. Of the newer fields, a pull request has only `type`. */
export function viewListedIssue(context: RepoView, issue: Issue) {
  const url = `${repoUrl(context)}/issues/${issue.number}`;
  const page = issuePage(context, issue);
  const { pull } = issue;
  return {
    ...viewAddresses(context, 'issue', url),
    ...viewFields(pull ? 'PR' : 'I', issue, ['number', 'title', 'state', 'body', 'stateReason', ...TIMES]),
    url,
    repository_url: repoUrl(context),
    html_url: page,
    user: viewUserOf(context, issue.userId),
    labels: viewLabels(context, issue),
    locked: false,
    active_lock_reason: null,
    timeline_url: `${url}/timeline`,
    assignee: null,
    assignees: [],
    milestone: null,
    comments: context.world.store.comments.filter(inThread(issue)).length,
    author_association: viewAssociation(context, issue.userId),
    ...(pull && {
      draft: pull.draft,
      pull_request: {
        url: `${repoUrl(context)}/pulls/${issue.number}`,
        html_url: page,
        diff_url: `${page}.diff`,
        patch_url: `${page}.patch`,
        merged_at: pull.mergedAt,
      },
    }),
    reactions: viewRollup(context, url, { subject: 'issue', subjectId: issue.id }),
    performed_via_github_app: viewAppOf(context, issue.userId),
    type: null,
    ...(!pull && {
      sub_issues_summary: { total: 0, completed: 0, percent_completed: 0 },
      issue_dependencies_summary: viewDependencies(context, issue),
    }),
  };
}

/** Counts dependencies. Like the lists of dependencies, `total_…` includes closed issues. */
function viewDependencies({ world }: RepoView, issue: Issue) {
  const isOpen = ({ state }: Issue): boolean => state === 'open';
  const blockers = listBlockers(world, issue);
  const blocked = listBlocked(world, issue);
  return {
    blocked_by: blockers.filter(isOpen).length,
    total_blocked_by: blockers.length,
    blocking: blocked.filter(isOpen).length,
    total_blocking: blocked.length,
  };
}

export function viewComment(context: RepoView, comment: Comment) {
  const url = `${repoUrl(context)}/issues/comments/${comment.id}`;
  const pull = context.world.store.issues.find(inThread(comment))?.pull ?? null;
  return {
    ...viewFields('IC', comment, ['body', 'createdAt', 'updatedAt']),
    url,
    html_url: `${issuePage(context, { number: comment.number, pull })}#issuecomment-${comment.id}`,
    issue_url: `${repoUrl(context)}/issues/${comment.number}`,
    user: viewUserOf(context, comment.userId),
    author_association: viewAssociation(context, comment.userId),
    performed_via_github_app: viewAppOf(context, comment.userId),
    reactions: viewRollup(context, url, { subject: 'comment', subjectId: comment.id }),
  };
}
