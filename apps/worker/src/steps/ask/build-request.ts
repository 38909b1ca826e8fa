import {
  AGENT_PROTOCOL,
  type AgentRequest,
  buildEmptyPackage,
  buildOutputSchema,
  type TurnPackage,
} from '@mergexo/core/agent';
import { renderAttachments } from '@mergexo/core/attachments';
import { buildEventKey } from '@mergexo/core/feedback';
import {
  assemblePrompt,
  type Complaint,
  type Part,
  type PromptFile,
  renderComplaint,
} from '@mergexo/core/prompts';
import { listUnresolved } from '@mergexo/core/review';
import { sanitisePackage } from '@mergexo/core/sanitise';
import {
  type FeedbackContext,
  type Followup,
  listSuggestions,
  type QuestionKind,
  type ReviewContext,
  type ReviewFixContext,
  type StartContext,
  type Suspect,
} from '@mergexo/core/turns';
import type { Task } from '../task.js';
import { toAttachments } from './to-attachments.js';
import { type Comment, toComment, toLinked, toPost } from './to-texts.js';

type RequestParts = {
  threadId: string | null;
  prompt: readonly Part[];
  /** The problem with the agent's last commit. */
  complaint?: Complaint | null;
  turn: TurnPackage;
};

/** A request, and the files that its prompt refers to. */
export type Built<Kind extends QuestionKind> = {
  request: AgentRequest & { kind: Kind };
  files: readonly PromptFile[];
};

/**
 * Builds a request with a prompt of limited size, and removes hidden text from the data for the agent. Use this
 * function for every request.
 */
export function buildRequest<Kind extends QuestionKind>(
  kind: Kind,
  { begun, agent, handouts }: Pick<Task, 'begun' | 'agent'> & { handouts: { path: string } },
  { threadId, prompt: parts, complaint = null, turn }: RequestParts,
): Built<Kind> {
  const { attached } = begun;
  const all = [
    ...parts,
    ...(attached === undefined ? [] : renderAttachments(attached)),
    ...(complaint === null ? [] : renderComplaint(complaint)),
  ];
  const { text: prompt, files } = assemblePrompt(all, { filesDir: handouts.path });
  const request = {
    protocol: AGENT_PROTOCOL,
    kind,
    turn_key: begun.turnKey,
    attempt: begun.attempt,
    session: threadId === null ? null : { adapter: agent.adapter, thread_id: threadId },
    prompt,
    turn: sanitisePackage(turn),
    attachments: toAttachments(attached?.files ?? [], threadId !== null),
    output_schema: buildOutputSchema(kind),
  } as const;
  return { request, files };
}

type Checkout = Pick<Task, 'startSha' | 'baseSha'>;

export function buildStartPackage(context: StartContext, checkout: Checkout): TurnPackage {
  return {
    ...buildFrame(context, checkout),
    issue_comments: context.comments.map(toComment),
    linked: context.linked.map(toLinked),
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
    issue_comments: [...context.issueComments, ...context.conversation].map(toComment),
    linked: context.linked.map(toLinked),
    new_events: [...context.events.map(toEvent), ...listSignals(context)],
    state_summary: context.stateSummary === '' ? null : context.stateSummary,
    previous_actions: context.previousActions.map(({ commentId: _, ...action }) => action),
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
 * Builds the package for a review. A review returns findings only: the agent does not edit files or reply to comments.
 */
export function buildReviewPackage(context: ReviewContext, checkout: PullCheckout): TurnPackage {
  const open = listUnresolved(context.earlier, context.round);
  return {
    ...buildReviewedFrame(context, checkout),
    new_events: open.map((finding) => toFindingEvent(context.pull, finding)),
    previous_actions: context.earlier.map(({ path, line, body, status, note }) => ({
      kind: 'review_finding',
      target: line === null ? path : `${path}:${line}`,
      summary: body,
      outcome: note === null ? status : `${status}: ${note}`,
    })),
    allowed_actions: ['report_findings'],
  };
}

/**
 * Builds the package for the agent that verifies a review. From the review, the package contains only the places and
 * texts of the findings.
 */
export function buildVerifyPackage(
  context: ReviewContext,
  checkout: PullCheckout,
  suspects: readonly Suspect[],
): TurnPackage {
  return {
    ...buildReviewedFrame(context, checkout),
    new_events: suspects.map((suspect) => toPlacedEvent(context.pull, suspect)),
    allowed_actions: ['report_findings'],
  };
}

export function buildFixPackage(context: ReviewFixContext, checkout: PullCheckout): TurnPackage {
  const { pull, review, findings, stateSummary } = context;
  return {
    ...buildReviewedFrame(context, checkout),
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

/** Adds people's comments on the pull request and its issue. */
function buildReviewedFrame(context: ReviewContext | ReviewFixContext, checkout: PullCheckout): TurnPackage {
  const { entries } = context.discussion;
  return {
    ...buildPullFrame(context, checkout),
    linked: context.linked.map(toLinked),
    issue_comments: entries.filter(({ path }) => path === null).map(toComment),
    review_comments: entries.flatMap(({ path, line, threadId, ...comment }) => {
      const inReplyToId = threadId === comment.id ? null : threadId;
      return path === null ? [] : [{ ...toComment(comment), in_reply_to_id: inReplyToId, path, line }];
    }),
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
    pull_request: { number, ...toPost(pull), base_branch: baseBranch, head_branch: context.branch },
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
  return { ...empty, issue: toPost(issue) };
}

type NewEvent = TurnPackage['new_events'][number];

function toEvent(event: FeedbackContext['events'][number]): NewEvent {
  const { key, kind, id, author, body, url, path, startLine, line, side, diffHunk, reviewState } = event;
  const where = { path, start_line: startLine, line, side, diff_hunk: diffHunk };
  const suggestions = listSuggestions(event).map(({ startLine: start_line, ...edit }) => ({
    start_line,
    ...edit,
  }));
  const standing = { is_outdated: event.outdated !== null, is_resolved: event.isResolved };
  return { key, kind, id, author, body, url, ...where, suggestions, ...standing, review_state: reviewState };
}

function toIssueEvent({ issue }: StartContext, { id, author, body, url, updatedAt }: Comment): NewEvent {
  const key = buildEventKey({ thread: issue.number, kind: 'issue', commentId: id, updatedAt });
  return { ...NOTHING, key, kind: 'issue', id, author, body, url };
}

type FindingWithId = ReviewFixContext['findings'][number];

function toFindingEvent(pull: ReviewFixContext['pull'], finding: FindingWithId): NewEvent {
  const { severity, category, body, suggestion } = finding;
  const text = [`${severity}, ${category}`, body, ...(suggestion === null ? [] : [suggestion])];
  return toPlacedEvent(pull, { ...finding, body: text.join('\n\n') });
}

function toPlacedEvent(
  pull: ReviewFixContext['pull'],
  { id, path, startLine, line, body }: Suspect,
): NewEvent {
  const place = { path, start_line: startLine, line, side: line === null ? null : 'RIGHT' };
  return { ...NOTHING, key: `${pull.number}:finding:${id}`, kind: 'review', id, body, ...place };
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
  start_line: null,
  suggestions: [],
  is_outdated: false,
  is_resolved: false,
  review_state: null,
};

function describeWaiting({ waitKind, reason }: Followup): TurnPackage['previous_actions'][number] {
  return { kind: 'wait_comment', target: null, summary: reason, outcome: waitKind };
}

/** Converts signals to events. A signal is a state of the pull request that no comment reports. */
function listSignals({ pull, signals }: FeedbackContext): NewEvent[] {
  return signals.map((name) => ({
    ...NOTHING,
    key: `${pull.number}:signal:${name}`,
    kind: 'signal',
    body: name,
    url: pull.url,
  }));
}
