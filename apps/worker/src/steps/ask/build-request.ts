import {
  AGENT_PROTOCOL,
  type AgentRequest,
  buildEmptyPackage,
  buildOutputSchema,
  type TurnPackage,
} from '@mergexo/core/agent';
import { buildEventKey } from '@mergexo/core/feedback';
import { renderTestsComplaint } from '@mergexo/core/prompts';
import { sanitisePackage } from '@mergexo/core/sanitise';
import type {
  FeedbackContext,
  Followup,
  ReviewContext,
  ReviewFixContext,
  StartContext,
  TurnKind,
} from '@mergexo/core/turns';
import type { Task } from '../task.js';

type RequestParts = {
  threadId: string | null;
  prompt: string;
  /** The output of the required tests if they failed. */
  complaint?: string | null;
  turn: TurnPackage;
};

/**
 * Builds a request and removes hidden text from the data for the agent. Every request must be built by this function.
 */
export function buildRequest<Kind extends TurnKind>(
  kind: Kind,
  { begun, agent }: Pick<Task, 'begun' | 'agent'>,
  { threadId, prompt, complaint = null, turn }: RequestParts,
): AgentRequest & { kind: Kind } {
  return {
    protocol: AGENT_PROTOCOL,
    kind,
    turn_key: begun.turnKey,
    attempt: begun.attempt,
    session: threadId === null ? null : { adapter: agent.adapter, thread_id: threadId },
    prompt: complaint === null ? prompt : `${prompt}\n\n${renderTestsComplaint(complaint)}`,
    turn: sanitisePackage(turn),
    output_schema: buildOutputSchema(kind),
  };
}

type Checkout = Pick<Task, 'startSha' | 'baseSha'>;

export function buildStartPackage(context: StartContext, checkout: Checkout): TurnPackage {
  return {
    ...buildFrame(context, checkout),
    issue_comments: context.comments.map(toComment),
    new_events: (context.followup?.comments ?? []).map((comment) => toIssueEvent(context, comment)),
    state_summary: context.stateSummary === '' ? null : context.stateSummary,
    previous_actions: context.followup === null ? [] : [describeWaiting(context.followup)],
    allowed_actions:
      context.flow === 'design_doc' ? ['mark_blocked'] : ['edit_files', 'commit', 'mark_blocked'],
  };
}

/**
 * Maximum number of file names in a request. More names would crowd out the feedback, and the agent can get the rest
 * from git.
 */
export const MAX_CHANGED_FILES = 300;

type PullCheckout = Checkout & { changedFiles: readonly string[] };

export function buildFeedbackPackage(context: FeedbackContext, checkout: PullCheckout): TurnPackage {
  return {
    ...buildPullFrame(context, checkout),
    review_comments: context.reviewComments.map(({ inReplyToId, path, line, ...comment }) => ({
      ...toComment(comment),
      in_reply_to_id: inReplyToId,
      path,
      line,
    })),
    issue_comments: context.conversation.map(toComment),
    new_events: [...context.events.map(toEvent), ...listSignals(context)],
    state_summary: context.stateSummary === '' ? null : context.stateSummary,
    previous_actions: context.previousActions,
    allowed_actions: [
      'edit_files',
      'commit',
      'reply_to_review_comment',
      'general_comment',
      'mark_blocked',
      'request_human_input',
    ],
  };
}

/**
 * Builds the package for a review. A review returns findings only: the agent edits no file and replies to no comment.
 */
export function buildReviewPackage(context: ReviewContext, checkout: PullCheckout): TurnPackage {
  return {
    ...buildPullFrame(context, checkout),
    previous_actions: context.earlier.map(({ path, line, body, status, note }) => ({
      kind: 'review_finding',
      target: line === null ? path : `${path}:${line}`,
      summary: body,
      outcome: note === null ? status : `${status}: ${note}`,
    })),
    allowed_actions: ['report_findings'],
  };
}

export function buildFixPackage(context: ReviewFixContext, checkout: PullCheckout): TurnPackage {
  const { pull, review, findings, stateSummary } = context;
  return {
    ...buildPullFrame(context, checkout),
    new_events: [
      {
        ...NOTHING,
        key: `${pull.number}:review`,
        kind: 'review_summary',
        body: review.body,
        url: review.url,
        review_state: 'changes_requested',
      },
      ...findings.map((finding) => toFindingEvent(pull, finding)),
    ],
    state_summary: stateSummary === '' ? null : stateSummary,
    allowed_actions: ['edit_files', 'commit'],
  };
}

type Framed = Pick<FeedbackContext, 'repo' | 'issue' | 'branch' | 'designDocPath'>;

function buildPullFrame(
  context: Framed & Pick<FeedbackContext, 'pull' | 'checks'>,
  checkout: PullCheckout,
): TurnPackage {
  const frame = buildFrame(context, checkout);
  const { number, baseBranch, ...pull } = context.pull;
  return {
    ...frame,
    task_context: { ...frame.task_context, pr_number: number },
    pull_request: { number, ...pull, base_branch: baseBranch, head_branch: context.branch },
    changed_files: checkout.changedFiles.slice(0, MAX_CHANGED_FILES),
    check_statuses: context.checks,
  };
}

function buildFrame(context: Framed, { startSha, baseSha }: Checkout): TurnPackage {
  const { repo, issue, branch, designDocPath } = context;
  const empty = buildEmptyPackage({
    repo,
    issue_number: issue.number,
    pr_number: null,
    branch,
    base_sha: baseSha,
    head_sha: startSha,
    design_doc_path: designDocPath,
  });
  return { ...empty, issue };
}

type Comment = {
  id: number;
  author: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  url: string;
};

function toComment({ createdAt, updatedAt, ...comment }: Comment): TurnPackage['issue_comments'][number] {
  return { ...comment, created_at: createdAt, updated_at: updatedAt };
}

type NewEvent = TurnPackage['new_events'][number];

function toEvent(event: FeedbackContext['events'][number]): NewEvent {
  const { key, kind, id, author, body, url, path, line, side, diffHunk, reviewState } = event;
  const where = { path, line, side, diff_hunk: diffHunk };
  return { key, kind, id, author, body, url, ...where, review_state: reviewState };
}

function toIssueEvent({ issue }: StartContext, { id, author, body, url, updatedAt }: Comment): NewEvent {
  const key = buildEventKey({ thread: issue.number, kind: 'issue', commentId: id, updatedAt });
  return { ...NOTHING, key, kind: 'issue', id, author, body, url };
}

function toFindingEvent(
  pull: ReviewFixContext['pull'],
  { id, path, line, severity, category, body, suggestion }: ReviewFixContext['findings'][number],
): NewEvent {
  const text = [`${severity}, ${category}`, body, ...(suggestion === null ? [] : [suggestion])];
  const key = `${pull.number}:finding:${id}`;
  const side = line === null ? null : 'RIGHT';
  return { ...NOTHING, key, kind: 'review', id, body: text.join('\n\n'), path, line, side };
}

/** Defaults for the fields that an event lacks. */
const NOTHING = {
  id: null,
  author: null,
  url: null,
  path: null,
  line: null,
  side: null,
  diff_hunk: null,
  review_state: null,
};

function describeWaiting({ waitKind, reason }: Followup): TurnPackage['previous_actions'][number] {
  return { kind: 'wait_comment', target: null, summary: reason, outcome: waitKind };
}

/** Turns signals, which are states of the pull request that no comment reports, into events. */
function listSignals({ pull, signals }: FeedbackContext): NewEvent[] {
  return signals.map((name) => ({
    ...NOTHING,
    key: `${pull.number}:signal:${name}`,
    kind: 'signal',
    body: name,
    url: pull.url,
  }));
}
