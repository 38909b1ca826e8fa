import { createHash } from 'node:crypto';
import {
  type Comment,
  isWithin,
  type Move,
  type Ours,
  readStory,
  type Span,
  type Story,
  type Version,
} from './feedback-history.js';
import type { Doings } from './feedback-schedule.js';
import { isAncestor, nameText } from './feedback-worker.js';
import { ALLOWED, type FeedbackWorld, type Moment, type TrackedPull, WINDOW_MS } from './feedback-world.js';

type Case = Story & Doings & { losses: readonly Moment[] };

/** Checks the invariants after a schedule. Reads only GitHub's history and the git repository, never the database. */
export async function checkFeedback(
  world: FeedbackWorld,
  doings: Doings,
): Promise<{ problems: string[]; answers: number }> {
  const story: Case = { ...readStory(world, doings), ...doings, losses: world.losses };
  const problems = [
    ...story.unsigned.map(({ id }) => `our comment ${id} carries no proof`),
    ...checkRepetitions(story),
    ...checkClaims(story),
    ...checkAnswers(world, story),
    ...checkCommands(story),
    ...checkClosings(story),
    ...checkTakeovers(story),
    ...world.pulls.flatMap((pull) => checkRewrites(pull, story)),
    ...(await checkCommits(world, story)),
  ];
  return { problems, answers: listClaims(story).length };
}

function nameOf({ meta: { turn, cause, kind, target } }: Ours): string {
  return turn === undefined ? `${cause?.slice(0, 8)} ${kind}` : `${turn.slice(0, 8)} ${kind} ${target}`;
}

/**
 * Lists the comments that count. Two kinds do not: originals that a person changed or removed before MergeXO recognised
 * their copy, and comments that were removed before a database loss.
 */
function listCounted({ ours, losses }: Case): Ours[] {
  const hasCopy = (comment: Ours): boolean =>
    ours.some((other) => other.seq > comment.seq && nameOf(other) === nameOf(comment));
  const isLost = ({ seq }: Ours): boolean => losses.some((loss) => loss.seq > seq);
  return ours.filter(
    (comment) => !(comment.touched && hasCopy(comment)) && !(comment.deleted && isLost(comment)),
  );
}

function checkRepetitions(story: Case): string[] {
  const seen = new Map<string, Ours>();
  return listCounted(story).flatMap((comment) => {
    // The numbers of blocks restart after a database loss, because they are stored in the database.
    const isCounted = comment.meta['kind'] === 'block_notice';
    const age = isCounted ? story.losses.filter(({ seq }) => seq < comment.seq).length : 0;
    const name = `${nameOf(comment)} ${age}`;
    const first = seen.get(name);
    seen.set(name, comment);
    return first === undefined ? [] : [`said twice: ${name} in ${first.id} and ${comment.id}`];
  });
}

type Claim = { key: string; stamp: string; by: Ours };

function listClaims(story: Case, ours = listCounted(story)): Claim[] {
  return ours.flatMap((by) =>
    (by.meta['events'] ?? '')
      .split(',')
      .filter((claim) => claim !== '')
      .map((claim) => {
        const [kind, id, ...stamp] = claim.split(':');
        return { key: `${kind}:${id}`, stamp: stamp.join(':'), by };
      }),
  );
}

/**
 * Finds the version that an answer refers to. Review edits have no time and other edits may share one, so the digest or
 * the quoted text decides.
 */
function findMeant({ kind, versions }: Comment, { stamp, by }: Claim): Version | undefined {
  const [time, digest] = stamp.split('+');
  const meant = versions.filter((version) => kind === 'review_summary' || version.stamp === time);
  if (digest !== undefined) return meant.find(({ body }) => digestOf(body) === digest);
  const named = new Set<string | undefined>(by.versions[0]?.body.match(/Remark number \d+/g));
  return meant.find(({ body }) => named.has(nameText(body))) ?? meant[0];
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 8);
}

/**
 * Each text of a person gets at most one answer, in the right place. MergeXO may repost an answer that was removed
 * before MergeXO could read it.
 */
function checkClaims(story: Case): string[] {
  const problems: string[] = [];
  const answered = new Set<string>();
  const counted = listCounted(story).filter(({ unseen }) => !unseen);
  for (const claim of listClaims(story, counted)) {
    const { key, stamp, by } = claim;
    const comment = story.theirs.find(({ kind, id }) => `${kind}:${id}` === key);
    const version = comment && findMeant(comment, claim);
    const author = story.said.find(({ kind, id }) => `${kind}:${id}` === key)?.by;
    if (comment === undefined || version === undefined)
      problems.push(`${by.id} answers ${key} of ${stamp}, which nobody posted`);
    else if (author === undefined || !ALLOWED.includes(author))
      problems.push(`${by.id} answers ${key}, which ${author} posted`);
    else if (comment.prNumber !== by.prNumber)
      problems.push(`${by.id} answers ${key} on another pull request`);
    else if (by.kind === 'review' && by.inReplyToId !== (comment.inReplyToId ?? comment.id))
      problems.push(`${by.id} answers ${key} in another thread`);
    const text = `${key} ${version?.body}`;
    if (answered.has(text)) problems.push(`answered twice: ${key} of ${stamp}, the last time in ${by.id}`);
    answered.add(text);
  }
  return problems;
}

/** The latest text of every trusted comment has an answer, even if a person removed the answer later. */
function checkAnswers(world: FeedbackWorld, story: Case): string[] {
  const answered = new Set(
    listClaims(story, story.ours).map((claim) => {
      const comment = story.theirs.find(({ kind, id }) => `${kind}:${id}` === claim.key);
      return `${claim.key} ${comment && findMeant(comment, claim)?.body}`;
    }),
  );
  return story.theirs.flatMap((comment) => {
    const key = `${comment.kind}:${comment.id}`;
    const entry = story.said.find(({ kind, id }) => `${kind}:${id}` === key);
    const last = comment.versions.at(-1);
    if (entry === undefined || last === undefined || comment.deleted || last.body === '') return [];
    if (!ALLOWED.includes(entry.by) || entry.words === 'command' || entry.words === 'unblock') return [];
    // Under a shared login, a repost of MergeXO's exact text cannot be distinguished from the original.
    if (entry.words === 'repost' && world.poster === 'alice') return [];
    if (!isExpected(story, comment.prNumber, last) || answered.has(`${key} ${last.body}`)) return [];
    const words = JSON.stringify(last.body.slice(0, 60));
    return [`never answered: ${key} (${entry.words}) by ${entry.by}: ${words}`];
  });
}

/** False for comments on a closed pull request, or while a person has taken it over. */
function isExpected({ closed, takenOver }: Case, number: number, { seq }: Moment): boolean {
  const isOver = closed.some(({ prNumber, to }) => prNumber === number && to === undefined);
  return !isOver && !takenOver.some((span) => span.prNumber === number && isWithin(span, seq));
}

const REPLIES = ['command_reply', 'unblock_notice'];

/** Each command gets one reply, and each reply belongs to a command. */
function checkCommands(story: Case): string[] {
  const { ours, theirs, closed, said, losses } = story;
  const isCommand = (comment: Comment): boolean =>
    said.some(
      ({ kind, id, words, by }) =>
        kind === comment.kind &&
        id === comment.id &&
        (words === 'unblock' || words.startsWith('command')) &&
        ALLOWED.includes(by),
    );
  const isOver = ({ prNumber, seq }: Comment): boolean =>
    closed.some((span) => span.prNumber === prNumber && (span.to?.seq ?? seq + 1) > seq);
  const numbers = new Set([...ours, ...theirs].map(({ prNumber }) => prNumber));
  return [...numbers].flatMap((number) => {
    const given = theirs.filter((comment) => comment.prNumber === number && isCommand(comment));
    // A command may have no reply if it was edited or deleted before MergeXO read it.
    const wasRemoved = losses.length > 0 && ours.some(({ deleted }) => deleted);
    const sure = wasRemoved ? 0 : given.filter((comment) => !comment.touched && !isOver(comment)).length;
    const replies = listCounted(story).filter(
      ({ prNumber, meta }) => prNumber === number && REPLIES.includes(meta['kind'] ?? ''),
    ).length;
    return replies < sure || replies > given.length
      ? [`${replies} replies to ${given.length} commands (at least ${sure} expected) on #${number}`]
      : [];
  });
}

const isOn = ({ prNumber }: Ours, span: Span): boolean => span.prNumber === prNumber;

/** MergeXO ignores a pull request once it has read that it was closed. Stale reads delay this by less than a window. */
function checkClosings({ ours, closed, maySeeStalePulls }: Case): string[] {
  return ours.flatMap((comment) => {
    if (comment.meta['turn'] === undefined) return [];
    const span = closed.find((each) => isOn(comment, each) && isWithin(each, comment.seq));
    const isKnown = !maySeeStalePulls || comment.at > (span?.from.at ?? 0) + WINDOW_MS;
    return span !== undefined && isKnown
      ? [`${comment.id} was posted after its pull request was closed`]
      : [];
  });
}

function checkTakeovers({ ours, takenOver }: Case): string[] {
  return ours
    .filter(({ meta }) => meta['turn'] !== undefined)
    .filter((comment) => takenOver.some((span) => isOn(comment, span) && isWithin(span, comment.seq)))
    .map(({ id }) => `${id} was posted although a person had taken over`);
}

/** After a person rewrites the branch, MergeXO answers nothing until an operator accepts the new head. */
function checkRewrites({ prNumber, branch }: TrackedPull, story: Case): string[] {
  const { ours, theirs, moves, said } = story;
  const here = ours.filter((comment) => comment.prNumber === prNumber);
  const notices = here.filter(({ meta }) => meta['kind'] === 'block_notice');
  const forced = moves.filter((move) => move.branch === branch && move.forced);
  if (forced.length === 0)
    return notices
      .filter(({ versions }) => versions[0]?.body.includes('was rewritten'))
      .map(({ id }) => `${id} reports a rewrite of ${branch} that did not happen`);
  const unblocks = theirs.filter(
    ({ kind, id, prNumber: on }) =>
      on === prNumber &&
      said.some((entry) => entry.kind === kind && entry.id === id && entry.words === 'unblock'),
  );
  return forced
    .filter((move) => !isForgotten(story, move, notices))
    .flatMap((move) => {
      const isAccepted = (at: number) => unblocks.some((entry) => entry.at >= move.at && entry.at <= at);
      return here
        .filter(({ meta, at }) => meta['turn'] !== undefined && at > move.at + WINDOW_MS)
        .filter(({ at }) => !isAccepted(at))
        .map(({ id }) => `${id} was posted although the history of ${branch} was rewritten`);
    });
}

/** True if the database was lost before MergeXO posted a notice, so no record of the earlier head is left. */
function isForgotten({ losses }: Case, { seq }: Move, notices: readonly Ours[]): boolean {
  return losses.some(
    (loss) => loss.seq > seq && !notices.some((notice) => notice.seq > seq && notice.seq < loss.seq),
  );
}

/** Each turn posts only one plan, and comments of the plan only after its commit was pushed. */
async function checkCommits(world: FeedbackWorld, { ours, moves, losses }: Case): Promise<string[]> {
  const problems: string[] = [];
  const shown = new Map<string, string>();
  for (const comment of ours) {
    const { head, turn } = comment.meta;
    const [, plan] = /by (plan-\d+)/.exec(comment.versions[0]?.body ?? '') ?? [];
    if (turn === undefined || plan === undefined) continue;
    if ((shown.get(turn) ?? plan) !== plan) problems.push(`two plans of ${turn.slice(0, 8)} were posted`);
    if (!(comment.deleted && losses.length > 0)) shown.set(turn, plan);
    if (head === undefined) continue;
    const landed = moves.filter(({ seq }) => seq < comment.seq).reverse();
    if (!(await isIn(world, head, landed)))
      problems.push(`${comment.id} was posted before its commit ${head} was pushed`);
  }
  return problems;
}

async function isIn(world: FeedbackWorld, sha: string, moves: readonly Move[]): Promise<boolean> {
  for (const { after } of moves) if (after !== null && (await isAncestor(world, sha, after))) return true;
  return false;
}
