import type { Journal, JournalEntry } from '@mergexo/core/journal';
import type { Op, Schedule } from '../chaos/feedback-schedule.js';
import { createPosts, type Posts } from './posts.js';

/** The schedule of one pull request of a journal. */
export type Replay = Schedule & {
  repo: string;
  prNumber: number;
  /** What the schedule cannot repeat, such as failed checks, with the number of times. */
  leftOut: Record<string, number>;
};

/** A longer pause changes nothing that a schedule checks. */
const LONGEST_PAUSE_MS = 600_000;
const STYLE = { replies: true, commits: true };
const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const POST_REPLY = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies';

/** Converts a journal into one schedule per pull request, which the chaos test plays in its world. */
export function toSchedules({ entries }: Journal): Replay[] {
  const pulls = entries.flatMap((entry) => (entry.kind === 'run' && entry.pr !== null ? [entry] : []));
  return pulls.map(({ repo, pr, issue }) => {
    const prNumber = pr ?? 0;
    const isHere = (entry: JournalEntry): boolean => entry.repo === repo && threadOf(entry) === prNumber;
    const isTakeover = (entry: JournalEntry): boolean =>
      entry.repo === repo && entry.kind === 'event' && entry.type === 'takeover' && entry.issue === issue;
    const here = withoutFrames(entries.filter((entry) => isHere(entry) || isTakeover(entry)));
    const leftOut: Record<string, number> = {};
    const ops = toOps(here, (what) => {
      leftOut[what] = (leftOut[what] ?? 0) + 1;
    });
    return { repo: repo ?? '', prNumber, poster: 'robot', pulls: 1, ops, leftOut };
  });
}

/** Leaves out reviews without text: GitHub wraps every line comment in one. */
function withoutFrames(entries: readonly JournalEntry[]): JournalEntry[] {
  const framed = new Set(
    entries.flatMap((entry) => (entry.kind === 'comment' && entry.form === 'review' ? [entry.review] : [])),
  );
  return entries.filter(
    (entry) =>
      entry.kind !== 'comment' ||
      entry.form !== 'review_summary' ||
      entry.skip === null ||
      !framed.has(entry.comment),
  );
}

function threadOf(entry: JournalEntry): number | null {
  switch (entry.kind) {
    case 'comment':
    case 'action':
      return entry.thread;
    case 'turn':
    case 'event':
    case 'run':
      return entry.pr;
  }
}

function toOps(entries: readonly JournalEntry[], leaveOut: (what: string) => void): Op[] {
  const posts = createPosts();
  let last: number | undefined;
  return entries.flatMap((entry): Op[] => {
    const ops = entryToOps(entry, { posts, leaveOut });
    if (ops.length === 0) return [];
    const pauseMs = Math.min(entry.at - (last ?? entry.at), LONGEST_PAUSE_MS);
    last = entry.at;
    return pauseMs > 0 ? [{ kind: 'advance', ms: pauseMs }, ...ops] : ops;
  });
}

type Tools = { posts: Posts; leaveOut(what: string): void };

function entryToOps(entry: JournalEntry, { posts, leaveOut }: Tools): Op[] {
  switch (entry.kind) {
    case 'comment':
      return commentToOps(entry, { posts, leaveOut });
    case 'action':
      // A post that was sent twice got no response the first time.
      return entry.sends > 1
        ? [{ kind: 'fault', fault: { kind: 'drop', when: 'after', route: routeOf(entry.action), skip: 0 } }]
        : [];
    case 'event':
      return eventToOps(entry);
    case 'run':
    case 'turn':
      return [];
  }
}

const routeOf = (action: string): string => (action.endsWith('_reply') ? POST_REPLY : POST_COMMENT);

type CommentEntry = Extract<JournalEntry, { kind: 'comment' }>;

function commentToOps(entry: CommentEntry, { posts, leaveOut }: Tools): Op[] {
  if (entry.trust === 'ours') return [];
  if (entry.form === 'ci') {
    leaveOut('failed check');
    return [];
  }
  const known = posts.find(entry.comment);
  const written: Op[] = known === undefined ? [posts.write(entry)] : [posts.edit(known)];
  const removed = entry.skip === 'deleted' ? posts.remove(entry.comment) : undefined;
  return [...written, { kind: 'poll' }, ...(removed === undefined ? [] : [removed])];
}

type EventEntry = Extract<JournalEntry, { kind: 'event' }>;

const step: Op = { kind: 'step', hand: 0, post: 'arrives', style: STYLE };

function eventToOps({ type, facts }: EventEntry): Op[] {
  switch (type) {
    case 'turn_opened':
      return [{ kind: 'poll' }];
    case 'turn_begun':
      return [step];
    // The agent, then the message.
    case 'turn_frozen':
    // The push, then the message.
    case 'turn_finished':
      return [step, step];
    case 'turn_completed':
    case 'action_settled':
      return [{ kind: 'drain' }];
    case 'turn_released':
      return [{ kind: 'give-up', hand: 0, how: 'release', post: 'arrives' }];
    case 'turn_failed':
      return facts['cause'] === 'crash'
        ? [{ kind: 'worker-crash', hand: 0 }]
        : [{ kind: 'give-up', hand: 0, how: 'fail', post: 'arrives' }];
    case 'takeover':
      return [{ kind: 'take-over', pull: 0 }, { kind: 'poll' }];
    case 'history_rewrite_blocked':
      return [{ kind: 'rewrite', pull: 0 }, { kind: 'poll' }];
    case 'pull_unblocked':
      return [{ kind: 'unblock', pull: 0 }, { kind: 'poll' }];
    case 'pull_closed':
      return [{ kind: facts['status'] === 'merged' ? 'merge' : 'close', pull: 0 }, { kind: 'poll' }];
    case 'pull_reopened':
      return [{ kind: 'reopen', pull: 0 }, { kind: 'poll' }];
    case 'state_rebuilt':
      return [{ kind: 'lose-state' }];
    case 'outbox_paused':
    case 'polling_paused':
      return [
        { kind: 'fault', fault: { kind: 'secondary-limit', retryAfterSeconds: 20, route: '*', times: 1 } },
      ];
    default:
      return [];
  }
}
