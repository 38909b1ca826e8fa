import type { Journal, JournalEntry } from '@mergexo/core/journal';
import type { Action, Human, Op, Schedule } from '../search/play/op.js';

/** A longer pause changes nothing in the simulated world. */
const LONGEST_PAUSE_MS = 120_000;
const POST_COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';
const FLOWS = ['design_doc', 'bugfix', 'small_job'] as const;
const VERDICTS: Readonly<Record<string, 'APPROVE' | 'REQUEST_CHANGES'>> = {
  approved: 'APPROVE',
  changes_requested: 'REQUEST_CHANGES',
};

/**
 * Converts the people's actions and the failures of one repository into a schedule of the search. MergeXO's own
 * decisions are not replayed: MergeXO runs in the simulated world and decides again.
 */
export function toSearchSchedule({ entries }: Journal, repo: string): Schedule {
  const here = entries.filter((entry) => entry.repo === repo);
  const places = createPlaces(here);
  const ops: Op[] = [];
  let last = here[0]?.at ?? 0;
  for (const entry of here) {
    for (const action of toActions(entry, places)) {
      ops.push({ ...action, after: Math.min(Math.max(0, entry.at - last), LONGEST_PAUSE_MS) });
      last = entry.at;
    }
  }
  const review = here.some((entry) => entry.kind === 'turn' && entry.turn_kind === 'review');
  const variant = {
    review,
    autoUpdate: false,
    maxOpenRuns: 4,
    signs: false,
    webhook: false,
    heartbeats: true,
  };
  return { seed: 1, variant, ops };
}

type CommentEntry = Extract<JournalEntry, { kind: 'comment' }>;
type Places = ReturnType<typeof createPlaces>;

/** Knows the positions of issues, pull requests, people and posts, which a schedule names instead of ids. */
function createPlaces(entries: readonly JournalEntry[]) {
  const runs = entries.flatMap((entry) => (entry.kind === 'run' ? [entry] : []));
  const issues = [...new Set(runs.map(({ issue }) => issue))];
  const pulls = runs.flatMap(({ pr }) => (pr === null ? [] : [pr]));
  const people: string[] = [];
  const posts: string[] = [];
  return {
    isFirstRun: (issue: number, at: number): boolean =>
      !runs.some((run) => run.issue === issue && run.at < at),
    issue: (number: number): number => Math.max(0, issues.indexOf(number)),
    pull: (number: number | null): number => Math.max(0, pulls.indexOf(number ?? 0)),
    isPull: (number: number): boolean => pulls.includes(number),
    post: (name: string): number => posts.indexOf(name),
    addPost: (name: string): number => posts.push(name),
    human({ author, trust }: CommentEntry): Human {
      if (trust === 'bot') return 'ci[bot]';
      if (trust === 'not_allowed') return 'mallory';
      if (!people.includes(author)) people.push(author);
      return people.indexOf(author) === 0 ? 'alice' : 'bob';
    },
  };
}

function toActions(entry: JournalEntry, places: Places): Action[] {
  switch (entry.kind) {
    case 'run': {
      const flow = FLOWS.find((known) => known === entry.flow);
      if (flow === undefined) return [];
      return places.isFirstRun(entry.issue, entry.at)
        ? [{ kind: 'open-issue', by: 'alice', flow }]
        : [{ kind: 'label', which: places.issue(entry.issue), flow, by: 'alice' }];
    }
    case 'comment':
      return entry.trust === 'ours' ? [] : commentToActions(entry, places);
    case 'action':
      return entry.sends > 1
        ? [{ kind: 'fault', fault: { kind: 'drop', when: 'after', route: POST_COMMENT } }]
        : [];
    case 'event':
      return eventToActions(entry, places);
    case 'turn':
      return [];
  }
}

function commentToActions(entry: CommentEntry, places: Places): Action[] {
  const { comment, form, thread, skip } = entry;
  if (form === 'ci') return [{ kind: 'check', which: places.pull(thread), conclusion: 'failure' }];
  const known = places.post(comment);
  const removed: Action[] = skip === 'deleted' ? [{ kind: 'delete', which: Math.max(0, known) }] : [];
  if (known >= 0) return [{ kind: 'edit', which: known }, ...removed];
  const by = places.human(entry);
  if (form === 'review_summary') {
    const verdict = VERDICTS[entry.review_state ?? ''] ?? 'COMMENT';
    return [{ kind: 'review', which: places.pull(thread), by, verdict, lines: 0 }];
  }
  places.addPost(comment);
  const onPull = places.isPull(thread);
  const which = onPull ? places.pull(thread) : places.issue(thread);
  if (skip === 'command' || skip === 'obeyed')
    return [{ kind: 'command', which, on: onPull ? 'pull' : 'issue', order: 'status', by }];
  if (form === 'review') return [{ kind: 'comment-line', which, by, text: 'plain' }, ...removed];
  return [{ kind: onPull ? 'comment-pull' : 'comment-issue', which, by, text: 'plain' }, ...removed];
}

function eventToActions(
  { type, pr, issue, facts }: Extract<JournalEntry, { kind: 'event' }>,
  places: Places,
): Action[] {
  const which = places.pull(pr);
  const atIssue = places.issue(issue ?? 0);
  switch (type) {
    case 'pull_closed':
      return [{ kind: facts['status'] === 'merged' ? 'merge' : 'close', which }];
    case 'pull_reopened':
      return [{ kind: 'reopen', which }];
    case 'history_rewrite_blocked':
      return [{ kind: 'rewrite', which }];
    case 'pull_unblocked':
      return [{ kind: 'command', which, on: 'pull', order: 'unblock', by: 'alice' }];
    case 'takeover':
      return [
        { kind: facts['taken_over'] === false ? 'hand-back' : 'take-over', which: atIssue, on: 'issue' },
      ];
    case 'work_paused':
      return [{ kind: 'operate', order: 'pause', which: atIssue, whole: issue === null }];
    case 'work_resumed':
      return [{ kind: 'operate', order: 'resume', which: atIssue, whole: issue === null }];
    case 'state_rebuilt':
      return [{ kind: 'lose-state' }];
    case 'turn_failed':
      return facts['cause'] === 'crash' ? [{ kind: 'crash', process: 'worker-1' }] : [];
    default:
      return [];
  }
}
