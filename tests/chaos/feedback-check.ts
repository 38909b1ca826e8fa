import { createHash } from 'node:crypto';
import {
  type Comment,
  isWithin,
  type Move,
  type OwnComment,
  readStory,
  type Span,
  type Story,
  type Version,
} from './feedback-history.js';
import type { Activity } from './feedback-schedule.js';
import { isAncestor, nameText } from './feedback-worker.js';
import { ALLOWED, type FeedbackWorld, type Moment, type TrackedPull, WINDOW_MS } from './feedback-world.js';

type Case = Story & Activity & { losses: readonly Moment[] };

/** Checks the invariants after a schedule. Reads only GitHub's history and the git repository, never the database. */
export async function checkFeedback(
  world: FeedbackWorld,
  activity: Activity,
): Promise<{ problems: string[]; answers: number }> {
  const story: Case = { ...readStory(world, activity), ...activity, losses: world.losses };
  const problems = [
    ...story.unsigned.map(({ id }) => `MergeXO's comment ${id} has no signature`),
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

function nameOf({ meta: { turn, cause, kind, target } }: OwnComment): string {
  return turn === undefined ? `${cause?.slice(0, 8)} ${kind}` : `${turn.slice(0, 8)} ${kind} ${target}`;
}

/**
 * Lists the comments that count. Two kinds do not: originals that a person changed or removed before MergeXO recognized
 * their copy, and comments that were removed before a database loss.
 */
function listCounted({ ownComments, losses }: Case): OwnComment[] {
  const hasCopy = (comment: OwnComment): boolean =>
    ownComments.some((other) => other.seq > comment.seq && nameOf(other) === nameOf(comment));
  const isLost = ({ seq }: OwnComment): boolean => losses.some((loss) => loss.seq > seq);
  return ownComments.filter(
    (comment) => !(comment.touched && hasCopy(comment)) && !(comment.deleted && isLost(comment)),
  );
}

function checkRepetitions(story: Case): string[] {
  const seen = new Map<string, OwnComment>();
  return listCounted(story).flatMap((comment) => {
    // Block numbers restart after a database loss, because the database stores them.
    const isCounted = comment.meta['kind'] === 'block_notice';
    const age = isCounted ? story.losses.filter(({ seq }) => seq < comment.seq).length : 0;
    const name = `${nameOf(comment)} ${age}`;
    const first = seen.get(name);
    seen.set(name, comment);
    return first === undefined ? [] : [`posted twice: ${name} in ${first.id} and ${comment.id}`];
  });
}

type Claim = { key: string; stamp: string; by: OwnComment };

function listClaims(story: Case, ownComments = listCounted(story)): Claim[] {
  return ownComments.flatMap((by) =>
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
 * Finds the version that an answer refers to. Review edits have no time and other edits may share a time, so
 * the digest or the quoted text decides.
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
 * Each text that a person posts gets at most one answer, in the right place. MergeXO may repost an answer
 * that was removed before MergeXO could read it.
 */
function checkClaims(story: Case): string[] {
  const problems: string[] = [];
  const answered = new Set<string>();
  const counted = listCounted(story).filter(({ unseen }) => !unseen);
  for (const claim of listClaims(story, counted)) {
    const { key, stamp, by } = claim;
    const comment = story.theirs.find(({ kind, id }) => `${kind}:${id}` === key);
    const version = comment && findMeant(comment, claim);
    const author = story.posted.find(({ kind, id }) => `${kind}:${id}` === key)?.by;
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
    listClaims(story, story.ownComments).map((claim) => {
      const comment = story.theirs.find(({ kind, id }) => `${kind}:${id}` === claim.key);
      return `${claim.key} ${comment && findMeant(comment, claim)?.body}`;
    }),
  );
  return story.theirs.flatMap((comment) => {
    const key = `${comment.kind}:${comment.id}`;
    const entry = story.posted.find(({ kind, id }) => `${kind}:${id}` === key);
    const last = comment.versions.at(-1);
    if (entry === undefined || last === undefined || comment.deleted || last.body === '') return [];
    if (!ALLOWED.includes(entry.by) || entry.textKind === 'command' || entry.textKind === 'unblock')
      return [];
    // Under a shared login, a repost of MergeXO's exact text cannot be distinguished from the original.
    if (entry.textKind === 'repost' && world.poster === 'alice') return [];
    if (!isExpected(story, comment.prNumber, last) || answered.has(`${key} ${last.body}`)) return [];
    const excerpt = JSON.stringify(last.body.slice(0, 60));
    return [`never answered: ${key} (${entry.textKind}) by ${entry.by}: ${excerpt}`];
  });
}

/** False if the pull request was closed, or taken over by a person, when the comment was made. */
function isExpected({ closed, takenOver }: Case, number: number, { seq }: Moment): boolean {
  const isOver = closed.some(({ prNumber, to }) => prNumber === number && to === undefined);
  return !isOver && !takenOver.some((span) => span.prNumber === number && isWithin(span, seq));
}

const REPLIES = ['command_reply', 'unblock_notice'];

/** Each command gets one reply, and each reply belongs to a command. */
function checkCommands(story: Case): string[] {
  const { ownComments, theirs, closed, posted, losses } = story;
  const isCommand = (comment: Comment): boolean =>
    posted.some(
      ({ kind, id, textKind, by }) =>
        kind === comment.kind &&
        id === comment.id &&
        (textKind === 'unblock' || textKind.startsWith('command')) &&
        ALLOWED.includes(by),
    );
  const isOver = ({ prNumber, seq }: Comment): boolean =>
    closed.some((span) => span.prNumber === prNumber && (span.to?.seq ?? seq + 1) > seq);
  const numbers = new Set([...ownComments, ...theirs].map(({ prNumber }) => prNumber));
  return [...numbers].flatMap((number) => {
    const given = theirs.filter((comment) => comment.prNumber === number && isCommand(comment));
    // A command may have no reply if it was edited or deleted before MergeXO read it.
    const wasRemoved = losses.length > 0 && ownComments.some(({ deleted }) => deleted);
    const sure = wasRemoved ? 0 : given.filter((comment) => !comment.touched && !isOver(comment)).length;
    const replies = listCounted(story).filter(
      ({ prNumber, meta }) => prNumber === number && REPLIES.includes(meta['kind'] ?? ''),
    ).length;
    return replies < sure || replies > given.length
      ? [`${replies} replies to ${given.length} commands (at least ${sure} expected) on #${number}`]
      : [];
  });
}

const isOn = ({ prNumber }: OwnComment, span: Span): boolean => span.prNumber === prNumber;

/** MergeXO ignores a pull request after reading that it was closed. Stale reads delay this by less than a window. */
function checkClosings({ ownComments, closed, maySeeStalePulls }: Case): string[] {
  return ownComments.flatMap((comment) => {
    if (comment.meta['turn'] === undefined) return [];
    const span = closed.find((each) => isOn(comment, each) && isWithin(each, comment.seq));
    const isKnown = !maySeeStalePulls || comment.at > (span?.from.at ?? 0) + WINDOW_MS;
    return span !== undefined && isKnown
      ? [`${comment.id} was posted after its pull request was closed`]
      : [];
  });
}

function checkTakeovers({ ownComments, takenOver }: Case): string[] {
  return ownComments
    .filter(({ meta }) => meta['turn'] !== undefined)
    .filter((comment) => takenOver.some((span) => isOn(comment, span) && isWithin(span, comment.seq)))
    .map(({ id }) => `${id} was posted after a person had taken over`);
}

/** After a person rewrites the branch, MergeXO answers nothing until an operator accepts the new head. */
function checkRewrites({ prNumber, branch }: TrackedPull, story: Case): string[] {
  const { ownComments, theirs, moves, posted } = story;
  const here = ownComments.filter((comment) => comment.prNumber === prNumber);
  const notices = here.filter(({ meta }) => meta['kind'] === 'block_notice');
  const forced = moves.filter((move) => move.branch === branch && move.forced);
  if (forced.length === 0)
    return notices
      .filter(({ versions }) => versions[0]?.body.includes('was rewritten'))
      .map(({ id }) => `${id} reports a rewrite of ${branch} that did not happen`);
  const unblocks = theirs.filter(
    ({ kind, id, prNumber: on }) =>
      on === prNumber &&
      posted.some((entry) => entry.kind === kind && entry.id === id && entry.textKind === 'unblock'),
  );
  return forced
    .filter((move) => !isForgotten(story, move, notices))
    .flatMap((move) => {
      const isAccepted = (at: number) => unblocks.some((entry) => entry.at >= move.at && entry.at <= at);
      return here
        .filter(({ meta, at }) => meta['turn'] !== undefined && at > move.at + WINDOW_MS)
        .filter(({ at }) => !isAccepted(at))
        .map(({ id }) => `${id} was posted after the history of ${branch} was rewritten`);
    });
}

/** True if the database was lost before MergeXO posted a notice, so no record of the earlier head is left. */
function isForgotten({ losses }: Case, { seq }: Move, notices: readonly OwnComment[]): boolean {
  return losses.some(
    (loss) => loss.seq > seq && !notices.some((notice) => notice.seq > seq && notice.seq < loss.seq),
  );
}

/** Each turn posts only one plan, and posts the plan's comments only after its commit was pushed. */
async function checkCommits(world: FeedbackWorld, { ownComments, moves, losses }: Case): Promise<string[]> {
  const problems: string[] = [];
  const shown = new Map<string, string>();
  for (const comment of ownComments) {
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
