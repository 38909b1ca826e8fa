export const ACTION_KINDS = [
  'open_pull',
  'status_comment',
  'wait_comment',
  'review_reply',
  'general_comment',
  'post_review',
  'review_status',
  'review_failed_status',
  'finding_reply',
  'resolve_thread',
  'fix_summary',
  'escalation_notice',
  'escalation_label',
  'escalation_unlabel',
  'review_request',
  'resume_notice',
  'command_reply',
  'unblock_notice',
  'block_notice',
  'park_notice',
  'redirect',
  'close_notice',
  'rerun_checks',
  'update_body',
  'conflict_notice',
  'document_notice',
  'reviewer_notice',
  'thread_link',
] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

type ActionTraits = {
  /** The list of GitHub that shows the post, by which MergeXO recognises it as its own; null for a write that no list shows. */
  shownIn: 'issue_comment' | 'review_comment' | 'review' | null;
  /** A turn's plan, or a notice of its own. */
  plannedBy: 'turn' | 'notice' | 'both';
  /** `rendered`: from the plan and the records when it is sent. `planned`: stored with the action. */
  words: 'rendered' | 'planned' | 'none';
  /** The work continues without it: GitHub may forbid it to a token that may do all the rest. */
  isOptional: boolean;
  /** Looked for on GitHub before the first request: a branch has one pull request, and a head one review. */
  isLookedFor: boolean;
  /** Not sent while a person has taken over the pull request. */
  waitsForPeople: boolean;
  /** After a loss of the records, the newest of these posts shows where the work stands. */
  tellsState: boolean;
};

const PLAIN = { isOptional: false, isLookedFor: false, waitsForPeople: false, tellsState: false } as const;
const COMMENT = { ...PLAIN, shownIn: 'issue_comment' } as const;
const REPLY = { ...PLAIN, shownIn: 'review_comment', plannedBy: 'turn' } as const;
const NOTICE = { ...COMMENT, plannedBy: 'notice', words: 'planned' } as const;
const UNLISTED = { ...PLAIN, shownIn: null } as const;
const MARK = { ...UNLISTED, plannedBy: 'notice', words: 'planned', isOptional: true } as const;

/** Everything that sets one action apart from another. A new kind gets a row here, and the compiler lists the rest. */
export const ACTION_TRAITS = {
  open_pull: { ...UNLISTED, plannedBy: 'turn', words: 'rendered', isLookedFor: true },
  status_comment: { ...COMMENT, plannedBy: 'turn', words: 'rendered', tellsState: true },
  wait_comment: { ...COMMENT, plannedBy: 'both', words: 'rendered', tellsState: true },
  review_reply: { ...REPLY, words: 'rendered' },
  general_comment: { ...COMMENT, plannedBy: 'turn', words: 'rendered', tellsState: true },
  post_review: { ...PLAIN, shownIn: 'review', plannedBy: 'turn', words: 'rendered', isLookedFor: true },
  review_status: { ...UNLISTED, plannedBy: 'both', words: 'rendered', isOptional: true },
  review_failed_status: MARK,
  finding_reply: { ...REPLY, words: 'planned' },
  resolve_thread: { ...UNLISTED, plannedBy: 'turn', words: 'none', isOptional: true },
  fix_summary: { ...COMMENT, plannedBy: 'turn', words: 'planned' },
  escalation_notice: NOTICE,
  escalation_label: MARK,
  escalation_unlabel: MARK,
  review_request: MARK,
  resume_notice: NOTICE,
  command_reply: NOTICE,
  unblock_notice: { ...NOTICE, tellsState: true },
  block_notice: { ...NOTICE, tellsState: true },
  park_notice: NOTICE,
  redirect: { ...NOTICE, waitsForPeople: true },
  close_notice: { ...NOTICE, tellsState: true },
  rerun_checks: { ...UNLISTED, plannedBy: 'turn', words: 'none', isOptional: true, isLookedFor: true },
  update_body: { ...UNLISTED, plannedBy: 'notice', words: 'planned' },
  conflict_notice: NOTICE,
  document_notice: NOTICE,
  reviewer_notice: { ...NOTICE, waitsForPeople: true },
  thread_link: { ...REPLY, words: 'rendered' },
} as const satisfies Record<ActionKind, ActionTraits>;

type Traits = typeof ACTION_TRAITS;
/** The kinds whose row fits. */
type KindsWith<Row> = { [Kind in ActionKind]: Traits[Kind] extends Row ? Kind : never }[ActionKind];

export type ShownIn = Exclude<ActionTraits['shownIn'], null>;
export type ListedKind = KindsWith<{ shownIn: ShownIn }>;
export type UnlistedKind = Exclude<ActionKind, ListedKind>;
export type NoticeKind = KindsWith<{ plannedBy: 'notice' | 'both' }>;
export type RenderedKind = KindsWith<{ words: 'rendered' }>;
export type RenderedComment = KindsWith<{ words: 'rendered'; shownIn: 'issue_comment' }>;

export function isListed(kind: ActionKind): kind is ListedKind {
  return ACTION_TRAITS[kind].shownIn !== null;
}

export function isRendered(kind: ActionKind): kind is RenderedKind {
  return ACTION_TRAITS[kind].words === 'rendered';
}

export function isRenderedComment(kind: ActionKind): kind is RenderedComment {
  return isRendered(kind) && ACTION_TRAITS[kind].shownIn === 'issue_comment';
}

/** The kinds that one list of GitHub shows, which numbers its rows by itself. */
export function listKindsIn(list: ShownIn): ActionKind[] {
  return ACTION_KINDS.filter((kind) => ACTION_TRAITS[kind].shownIn === list);
}
