import { z } from 'zod';
import { EVENT_KINDS, REVIEW_STATES } from '../feedback/remark.js';
import { Sha } from '../turns/plan.js';

const Count = z.int().min(1);
const Text = z.string();

const TaskContext = z.strictObject({
  repo: Text,
  issue_number: Count.nullable(),
  pr_number: Count.nullable(),
  branch: Text,
  base_sha: Sha,
  head_sha: Sha,
  design_doc_path: Text.nullable(),
});

/** The author's association with the repository, and the time of the text; null if unknown. */
const ORIGIN = { author_role: Text.nullable().default(null), created_at: Text.nullable().default(null) };

const Issue = z.strictObject({
  number: Count,
  title: Text,
  body: Text,
  author: Text,
  labels: z.array(Text),
  url: Text,
  ...ORIGIN,
});

const Linked = z.strictObject({
  number: Count,
  is_pull_request: z.boolean(),
  status: Text,
  title: Text,
  body: Text,
  author: Text,
  url: Text,
  ...ORIGIN,
});

const PullRequest = z.strictObject({
  number: Count,
  title: Text,
  body: Text,
  author: Text,
  base_branch: Text,
  head_branch: Text,
  url: Text,
  ...ORIGIN,
});

const Comment = {
  id: Count,
  author: Text,
  /** The author's association with the repository: OWNER, MEMBER, COLLABORATOR, CONTRIBUTOR; null if unknown. */
  author_role: Text.nullable().default(null),
  body: Text,
  created_at: Text,
  updated_at: Text,
  url: Text,
};
const IssueComment = z.strictObject(Comment);
const ReviewComment = z.strictObject({
  ...Comment,
  in_reply_to_id: Count.nullable(),
  path: Text,
  line: Count.nullable(),
});

/**
 * A new event. In a feedback turn, the agent must answer each event except a signal, in a reply or in the
 * general comment.
 */
const NewEvent = z.strictObject({
  key: Text,
  kind: z.enum([...EVENT_KINDS, 'signal']),
  /** The id to use in `review_replies` for a comment or in `findings` for a finding; null for a signal. */
  id: Count.nullable(),
  author: Text.nullable(),
  body: Text,
  url: Text.nullable(),
  path: Text.nullable(),
  /** The first line of a range that ends at `line`; null for a single line. */
  start_line: Count.nullable(),
  /** Null if a later commit changed the code, or if the event is not about a line. */
  line: Count.nullable(),
  /** The side of the diff that `line` refers to: LEFT is the base, RIGHT the branch. */
  side: Text.nullable(),
  /** The last diff lines before the comment. Only one event per thread has them. */
  diff_hunk: Text.nullable(),
  /** The edits that a comment suggests: replace the lines from `start_line` (or `line`) to `line`. */
  suggestions: z.array(z.strictObject({ start_line: Count.nullable(), line: Count, replacement: Text })),
  /** True if a later commit changed the code that the comment is about. */
  is_outdated: z.boolean(),
  /** True for a comment in a resolved thread. */
  is_resolved: z.boolean(),
  review_state: z.enum(REVIEW_STATES).nullable(),
});

export const CheckStatus = z.strictObject({
  name: Text,
  status: Text,
  conclusion: Text.nullable(),
  url: Text,
});
export type CheckStatus = z.infer<typeof CheckStatus>;

/** `summary` is the posted text. `outcome` is its state: the agent must not repeat a post that a person removed. */
export const PreviousAction = z.strictObject({
  kind: Text,
  target: Text.nullable(),
  summary: Text,
  outcome: Text,
});

const ALLOWED_ACTIONS = [
  'edit_files',
  'commit',
  'reply_to_review_comment',
  'general_comment',
  'report_findings',
  'mark_blocked',
  'request_human_input',
] as const;

/** The agent's input apart from the prompt. Text written by people is sanitised before it is stored in the package. */
export const TurnPackage = z.strictObject({
  task_context: TaskContext,
  issue: Issue.nullable(),
  pull_request: PullRequest.nullable(),
  review_comments: z.array(ReviewComment),
  /** The conversation below the issue, then the one below the pull request. */
  issue_comments: z.array(IssueComment),
  /** The issues and pull requests of the same repository that the texts mention. */
  linked: z.array(Linked),
  changed_files: z.array(Text),
  new_events: z.array(NewEvent),
  check_statuses: z.array(CheckStatus),
  state_summary: Text.nullable(),
  previous_actions: z.array(PreviousAction),
  allowed_actions: z.array(z.enum(ALLOWED_ACTIONS)),
});
export type TurnPackage = z.infer<typeof TurnPackage>;

/** Builds a package that contains only the task. */
export function buildEmptyPackage(task_context: TurnPackage['task_context']): TurnPackage {
  return {
    task_context,
    issue: null,
    pull_request: null,
    review_comments: [],
    issue_comments: [],
    linked: [],
    changed_files: [],
    new_events: [],
    check_statuses: [],
    state_summary: null,
    previous_actions: [],
    allowed_actions: [],
  };
}
