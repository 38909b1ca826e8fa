import { keysOf } from '../basics/keys-of.js';

type ActionTraits = {
  /** The GitHub list that contains the post; null if no list contains it. */
  shownIn: 'issue_comment' | 'review_comment' | 'review' | null;
  /** `turn`: the plan of a turn contains the action. `notice`: MergeXO plans the action outside any turn. */
  plannedBy: 'turn' | 'notice' | 'both';
  /** `rendered`: MergeXO renders the text when it sends the action. `planned`: the text is in the payload. */
  words: 'rendered' | 'planned' | 'none';
  /** True if a refusal does not stop the work, because a token may lack permission for this kind alone. */
  isOptional: boolean;
  /**
   * True if MergeXO searches GitHub for the post before it sends the first request, for example because a
   * head may have only one review.
   */
  isLookedFor: boolean;
  /** True if MergeXO does not send the action while a person has taken over the pull request. */
  waitsForPeople: boolean;
  /**
   * True if the post records the progress of the work. After a database loss, MergeXO restores the progress
   * from the newest such post.
   */
  tellsState: boolean;
};

const PLAIN = { isOptional: false, isLookedFor: false, waitsForPeople: false, tellsState: false } as const;
const COMMENT = { ...PLAIN, shownIn: 'issue_comment' } as const;
const REPLY = { ...PLAIN, shownIn: 'review_comment', plannedBy: 'turn' } as const;
const NOTICE = { ...COMMENT, plannedBy: 'notice', words: 'planned' } as const;
const UNLISTED = { ...PLAIN, shownIn: null } as const;
const MARK = { ...UNLISTED, plannedBy: 'notice', words: 'planned', isOptional: true } as const;

/** The only table of action kinds. After you add a kind, the compiler reports every other place to update. */
export const ACTION_TRAITS = {
  open_pull: { ...UNLISTED, plannedBy: 'turn', words: 'rendered' },
  status_comment: { ...COMMENT, plannedBy: 'turn', words: 'rendered', tellsState: true },
  wait_comment: { ...COMMENT, plannedBy: 'both', words: 'rendered', tellsState: true },
  review_reply: { ...REPLY, words: 'rendered' },
  general_comment: { ...COMMENT, plannedBy: 'turn', words: 'rendered', tellsState: true },
  post_review: { ...PLAIN, shownIn: 'review', plannedBy: 'turn', words: 'rendered', isLookedFor: true },
  review_status: { ...UNLISTED, plannedBy: 'both', words: 'rendered', isOptional: true },
  review_failed_status: MARK,
  review_skipped_status: MARK,
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
} as const satisfies Record<string, ActionTraits>;
export type ActionKind = keyof typeof ACTION_TRAITS;
export const ACTION_KINDS: readonly ActionKind[] = keysOf(ACTION_TRAITS);

type Traits = typeof ACTION_TRAITS;
/** The kinds whose traits match `Row`. */
type KindsWith<Row> = { [Kind in ActionKind]: Traits[Kind] extends Row ? Kind : never }[ActionKind];

export type ShownIn = Exclude<ActionTraits['shownIn'], null>;
export type NoticeKind = KindsWith<{ plannedBy: 'notice' | 'both' }>;
export type RenderedKind = KindsWith<{ words: 'rendered' }>;
export type RenderedComment = KindsWith<{ words: 'rendered'; shownIn: 'issue_comment' }>;

export function isRendered(kind: ActionKind): kind is RenderedKind {
  return ACTION_TRAITS[kind].words === 'rendered';
}

export function isRenderedComment(kind: ActionKind): kind is RenderedComment {
  return isRendered(kind) && ACTION_TRAITS[kind].shownIn === 'issue_comment';
}

/** Returns the kinds whose posts share one GitHub list and therefore one sequence of ids. */
export function listKindsIn(list: ShownIn): ActionKind[] {
  return ACTION_KINDS.filter((kind) => ACTION_TRAITS[kind].shownIn === list);
}
