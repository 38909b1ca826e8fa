import { type Comment, type Ours, readStory, type Story, type Version } from './feedback-history.js';
import type { Doings } from './feedback-schedule.js';
import { isAncestor } from './feedback-worker.js';
import { ALLOWED, type FeedbackWorld, WINDOW_MS } from './feedback-world.js';

/** What must hold after any schedule. Reads GitHub's history and the git repository, never our tables. */
export async function checkFeedback(
  world: FeedbackWorld,
  doings: Doings,
): Promise<{ problems: string[]; answers: number }> {
  const story = readStory(world, doings);
  const problems = [
    ...story.unsigned.map(({ id }) => `our comment ${id} carries no proof`),
    ...checkRepetitions(story),
    ...checkClaims(world, story, doings),
    ...checkCommands(story, doings),
    ...checkClosings(story, doings),
    ...checkRewrites(world, story, doings),
    ...(await checkCommits(world, story)),
  ];
  return { problems, answers: listClaims(story.ours).length };
}

/** A copy whose elder a person changed or removed before it was recognised could not be avoided. */
function listCounted(ours: readonly Ours[]): Ours[] {
  const nameOf = ({ meta: { turn, cause, kind, target } }: Ours): string =>
    [turn ?? cause, kind, target].join(' ');
  return ours.filter(
    (comment) =>
      !(
        comment.touched && ours.some((other) => other.seq > comment.seq && nameOf(other) === nameOf(comment))
      ),
  );
}

function checkRepetitions({ ours }: Story): string[] {
  const seen = new Map<string, Ours>();
  return listCounted(ours).flatMap((comment) => {
    const { turn, cause, kind, target } = comment.meta;
    const name = `${turn?.slice(0, 8) ?? cause?.slice(0, 8)} ${kind} ${target}`;
    const first = seen.get(name);
    seen.set(name, comment);
    return first === undefined ? [] : [`said twice: ${name} in ${first.id} and ${comment.id}`];
  });
}

type Claim = { key: string; stamp: string; by: Ours };

function listClaims(ours: readonly Ours[]): Claim[] {
  return listCounted(ours).flatMap((by) =>
    (by.meta['events'] ?? '')
      .split(',')
      .filter((claim) => claim !== '')
      .map((claim) => {
        const [kind, id, ...stamp] = claim.split(':');
        return { key: `${kind}:${id}`, stamp: stamp.join(':'), by };
      }),
  );
}

/** Edits of a review have no time of their own; the answer names the text that it is about. */
function isMeant({ kind }: Comment, { stamp, body }: Version, claim: Pick<Claim, 'stamp' | 'by'>): boolean {
  if (kind !== 'review_summary') return stamp === claim.stamp;
  const words = claim.by.versions[0]?.body ?? '';
  return [',', '.'].some((end) => words.includes(`${body.slice(0, -1)}${end}`));
}

/** Each text of a person is answered at most once, and the last one is. */
function checkClaims(world: FeedbackWorld, { ours, theirs, closedAt }: Story, { said }: Doings): string[] {
  const comments = new Map(theirs.map((comment) => [`${comment.kind}:${comment.id}`, comment]));
  const saidBy = new Map(said.map((entry) => [`${entry.kind}:${entry.id}`, entry]));
  const problems: string[] = [];
  const answered = new Map<string, number>();
  for (const { key, stamp, by } of listClaims(ours)) {
    const comment = comments.get(key);
    const version = comment?.versions.find((other) => isMeant(comment, other, { stamp, by }));
    const author = saidBy.get(key)?.by;
    if (comment === undefined || version === undefined)
      problems.push(`${by.id} answers ${key} of ${stamp}, which nobody said`);
    else if (author === undefined || !ALLOWED.includes(author))
      problems.push(`${by.id} answers ${key}, which ${author} said`);
    else if (comment.prNumber !== by.prNumber)
      problems.push(`${by.id} answers ${key} on another pull request`);
    else if (by.kind === 'review' && by.inReplyToId !== (comment.inReplyToId ?? comment.id))
      problems.push(`${by.id} answers ${key} in another thread`);
    const text = `${key} ${version?.body}`;
    answered.set(text, (answered.get(text) ?? 0) + 1);
    if ((answered.get(text) ?? 0) > 1)
      problems.push(`answered twice: ${key} of ${stamp}, the last time in ${by.id}`);
  }
  for (const [key, comment] of comments) {
    const entry = saidBy.get(key);
    const last = comment.versions.at(-1)?.body ?? '';
    if (entry === undefined || comment.deleted || closedAt.has(comment.prNumber)) continue;
    if (!ALLOWED.includes(entry.by) || last === '' || entry.words === 'command') continue;
    // The very words of ours under our own login cannot be told from ours.
    if (entry.words === 'repost' && world.poster === 'alice') continue;
    if (!answered.has(`${key} ${last}`))
      problems.push(
        `never answered: ${key} (${entry.words}) by ${entry.by}: ${JSON.stringify(last.slice(0, 60))}`,
      );
  }
  return problems;
}

const REPLIES = ['command_reply', 'unblock_notice'];

/** One reply to each command, and none without one. */
function checkCommands({ ours, theirs, closedAt }: Story, { said }: Doings): string[] {
  const isCommand = (comment: Comment): boolean =>
    said.some(
      ({ kind, id, words, by }) =>
        kind === comment.kind && id === comment.id && words.startsWith('command') && ALLOWED.includes(by),
    );
  const numbers = new Set([...ours, ...theirs].map(({ prNumber }) => prNumber));
  return [...numbers].flatMap((number) => {
    const given = theirs.filter((comment) => comment.prNumber === number && isCommand(comment));
    // Edited into something else or taken back before it was read, a command may go without a reply.
    const sure = closedAt.has(number) ? 0 : given.filter(({ touched }) => !touched).length;
    const replies = listCounted(ours).filter(
      ({ prNumber, meta }) => prNumber === number && REPLIES.includes(meta['kind'] ?? ''),
    ).length;
    return replies < sure || replies > given.length
      ? [`${replies} replies to ${given.length} commands (${sure} of them sure) on #${number}`]
      : [];
  });
}

/** A closed pull request is left alone as soon as we can know; a stale read may hide it for less than the window. */
function checkClosings({ ours, closedAt }: Story, { maySeeStalePulls }: Doings): string[] {
  return ours.flatMap((comment) => {
    const closing = closedAt.get(comment.prNumber);
    if (closing === undefined || comment.meta['turn'] === undefined) return [];
    const isLate = maySeeStalePulls ? comment.at > closing.at + WINDOW_MS : comment.seq > closing.seq;
    return isLate ? [`${comment.id} was said after the end of its pull request`] : [];
  });
}

/** People rewrote the branch: until an operator accepts that, nothing is answered, and people are told. */
function checkRewrites(world: FeedbackWorld, { ours, theirs, moves }: Story, { said }: Doings): string[] {
  return world.pulls.flatMap(({ prNumber, branch }) => {
    const forced = moves.filter((move) => move.branch === branch && move.forced);
    const notices = ours.filter(
      ({ prNumber: on, meta, versions }) =>
        on === prNumber && meta['kind'] === 'block_notice' && versions[0]?.body.includes('was rewritten'),
    );
    if (forced.length === 0)
      return notices.map(
        ({ id }) => `${id} says that the history of ${branch} was rewritten, which it was not`,
      );
    const unblocks = theirs.filter(
      ({ kind, id, prNumber: on }) =>
        on === prNumber &&
        said.some((entry) => entry.kind === kind && entry.id === id && entry.words === 'command'),
    );
    return forced.flatMap((move) => {
      const isAccepted = (at: number) => unblocks.some((entry) => entry.at >= move.at && entry.at <= at);
      return ours
        .filter(
          ({ prNumber: on, meta, at }) =>
            on === prNumber && meta['turn'] !== undefined && at > move.at + WINDOW_MS,
        )
        .filter(({ at }) => !isAccepted(at) || notices.length === 0)
        .map(({ id }) => `${id} was said although the history of ${branch} was rewritten`);
    });
  });
}

/** Branches only grow, but for what people do; a plan's commits land once, and before its words. */
async function checkCommits(world: FeedbackWorld, { ours, moves }: Story): Promise<string[]> {
  const problems: string[] = [];
  const shown = new Map<string, string>();
  for (const comment of ours) {
    const { head, turn } = comment.meta;
    const [, plan] = /by (plan-\d+)/.exec(comment.versions[0]?.body ?? '') ?? [];
    if (turn === undefined || plan === undefined) continue;
    if ((shown.get(turn) ?? plan) !== plan) problems.push(`two plans of ${turn.slice(0, 8)} were said`);
    shown.set(turn, plan);
    if (head === undefined) continue;
    const landed = moves.filter(({ seq }) => seq < comment.seq);
    const isThere = await Promise.all(
      landed.map(({ after }) => after !== null && isAncestor(world, head, after)),
    );
    if (!isThere.includes(true)) problems.push(`${comment.id} was said before its commit ${head} was pushed`);
  }
  return problems;
}
