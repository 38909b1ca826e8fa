/** What a permission allows. Each level includes the ones before it. */
export type AccessLevel = 'read' | 'write' | 'admin';
const LEVELS: readonly (string | undefined)[] = ['read', 'write', 'admin'];

/** Permissions of an App or an installation, as GitHub names them. A missing name means no access. */
export type AppPermissions = Readonly<Record<string, string>>;

/** `least`: MergeXO works with this level too, but lacks a feature. */
type Need = { level: AccessLevel; least?: AccessLevel; why: string };

/** The permissions that MergeXO asks for. `workflows` only if workers may push workflow files. */
export const APP_PERMISSIONS: Readonly<Record<string, Need>> = {
  metadata: { level: 'read', why: 'to read the repository' },
  issues: { level: 'write', why: 'to read issues, and to post comments, reactions and labels' },
  pull_requests: { level: 'write', why: 'to open pull requests, and to reply to reviews' },
  contents: { level: 'write', why: 'to push branches, and to resolve review threads' },
  statuses: { level: 'write', why: 'to set the status of the AI review' },
  checks: {
    level: 'write',
    least: 'read',
    why: 'to read the results of checks, and to show the AI review as a check',
  },
  actions: { level: 'write', why: 'to read the logs of failed jobs, and to rerun them' },
  workflows: { level: 'write', why: 'to push changes to workflow files' },
};

/**
 * The events that wake MergeXO up between two polls. GitHub sends them only to an App with a webhook. Contains none that
 * an older Enterprise Server lacks, because such a server may refuse the whole manifest.
 */
export const APP_EVENTS = [
  'issues',
  'issue_comment',
  'pull_request',
  'pull_request_review',
  'pull_request_review_comment',
  'pull_request_review_thread',
  'push',
  'check_run',
  'check_suite',
  'status',
  'workflow_run',
] as const;

/** A permission that is not granted, or only at a lower level. */
export type MissingPermission = Need & { name: string; isRequired: boolean };

/** Lists what is missing, required permissions first. Without `workflows`, MergeXO needs no access to workflow files. */
export function findMissingPermissions(
  granted: AppPermissions,
  { workflows }: { workflows: boolean },
): MissingPermission[] {
  const missing = listNeeds(workflows)
    .filter(([name, { level }]) => rankOf(granted[name]) < rankOf(level))
    .map(([name, need]) => {
      const isRequired = rankOf(granted[name]) < rankOf(need.least ?? need.level);
      return { name, ...need, isRequired };
    });
  return missing.sort((one, other) => Number(other.isRequired) - Number(one.isRequired));
}

export const listNeeds = (workflows: boolean): [string, Need][] =>
  Object.entries(APP_PERMISSIONS).filter(([name]) => workflows || name !== 'workflows');

export function findMissingEvents(subscribed: readonly string[]): string[] {
  return APP_EVENTS.filter((event) => !subscribed.includes(event));
}

const rankOf = (level: string | undefined): number => LEVELS.indexOf(level);
