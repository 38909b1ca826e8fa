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

const Issue = z.strictObject({
  number: Count,
  title: Text,
  body: Text,
  author: Text,
  labels: z.array(Text),
  url: Text,
});

const PullRequest = z.strictObject({
  number: Count,
  title: Text,
  body: Text,
  author: Text,
  base_branch: Text,
  head_branch: Text,
  url: Text,
});

const Comment = { id: Count, author: Text, body: Text, created_at: Text, updated_at: Text, url: Text };
const IssueComment = z.strictObject(Comment);
const ReviewComment = z.strictObject({
  ...Comment,
  in_reply_to_id: Count.nullable(),
  path: Text,
  line: Count.nullable(),
});

/** What is new. Whatever people said must be covered by a reply or by the general comment; a signal is no one's words. */
const NewEvent = z.strictObject({
  key: Text,
  kind: z.enum([...EVENT_KINDS, 'signal']),
  /** What `review_replies` names a comment by, or `findings` a finding of a review; a signal has none. */
  id: Count.nullable(),
  author: Text.nullable(),
  body: Text,
  url: Text.nullable(),
  path: Text.nullable(),
  line: Count.nullable(),
  /** The side of the diff that the line counts on: LEFT is the base, RIGHT the branch. */
  side: Text.nullable(),
  /** The end of the diff that the comment stands below; once for each thread. */
  diff_hunk: Text.nullable(),
  review_state: z.enum(REVIEW_STATES).nullable(),
});

const CheckStatus = z.strictObject({
  name: Text,
  status: Text,
  conclusion: Text.nullable(),
  url: Text,
});

/** `summary` is the text that was posted. `outcome` says what became of it: what a person removed is not to be said again. */
const PreviousAction = z.strictObject({
  kind: Text,
  target: Text.nullable(),
  summary: Text,
  outcome: Text,
});

export const ALLOWED_ACTIONS = [
  'edit_files',
  'commit',
  'reply_to_review_comment',
  'general_comment',
  'report_findings',
  'mark_blocked',
  'request_human_input',
] as const;

/** All that the agent is told about its task, besides the prompt. Texts of people are sanitised before they get here. */
export const TurnPackage = z.strictObject({
  task_context: TaskContext,
  issue: Issue.nullable(),
  pull_request: PullRequest.nullable(),
  review_comments: z.array(ReviewComment),
  issue_comments: z.array(IssueComment),
  changed_files: z.array(Text),
  new_events: z.array(NewEvent),
  check_statuses: z.array(CheckStatus),
  state_summary: Text.nullable(),
  previous_actions: z.array(PreviousAction),
  allowed_actions: z.array(z.enum(ALLOWED_ACTIONS)),
});
export type TurnPackage = z.infer<typeof TurnPackage>;
