import { START } from '../world/clock.js';
import { ALLOWED, POSTER } from '../world/constants.js';
import type { Case, Judge } from './judge.js';
import { listCounted } from './posts-once.js';

/** Each head gets one review. */
export const reviewsOnce: Judge = ({ story }) => {
  const seen = new Set<string>();
  return story.own
    .filter(({ kind, meta }) => kind === 'review_summary' && meta['kind'] === 'post_review')
    .flatMap(({ id, number, meta }) => {
      const head = `#${number} at ${meta['head']} in cycle ${meta['cycle']}`;
      if (seen.has(head)) return [`review ${id} is the second of ${head}`];
      seen.add(head);
      return [];
    });
};

/** Each command gets at most one reply. */
export const obeysOnce: Judge = ({ story }) => {
  const given = story.theirs.filter(
    ({ posted, versions }) =>
      ALLOWED.includes(posted.by) && versions.some(({ body }) => body.startsWith('/mergexo')),
  );
  // An operator's reset also posts a notice, so notices are no replies here.
  const replies = listCounted(story).filter(({ meta }) => meta['kind'] === 'command_reply');
  const numbers = new Set(replies.map(({ number }) => number));
  return [...numbers].flatMap((number) => {
    const isHere = (one: { number: number }): boolean => one.number === number;
    const [asked, told] = [given.filter(isHere).length, replies.filter(isHere).length];
    return told > asked ? [`${told} replies to ${asked} commands on #${number}`] : [];
  });
};

/** Only issues of trusted people become pull requests. */
export const servesTrustedOnly: Judge = ({ story, world }) =>
  story.pulls
    .filter(({ userId }) => userId === world.twin.userId(POSTER))
    .flatMap(({ number }) => {
      const issue = world.twin.world.store.issues.all().find((row) => row.number === story.issueOf(number));
      const author = world.twin.world.store.users.get(issue?.userId ?? 0)?.login ?? '';
      return ALLOWED.includes(author) ? [] : [`#${number} works on an issue of ${author}`];
    });

/** The latest time at which the pause from an operator's request has ended. */
function findEnd({ story, world }: Case, from: number): number {
  // A request whose answer was lost may have been carried out.
  const resumes = world.requests.filter(
    ({ message }) => message.kind === 'steer' && message.order === 'resume',
  );
  const said = story.theirs.filter(({ versions }) =>
    versions.some(({ body }) => body.startsWith('/mergexo resume')),
  );
  const ends = [...resumes, ...said, ...story.losses].map(({ at }) => at).filter((at) => at > from);
  return Math.min(Number.POSITIVE_INFINITY, ...ends);
}

/** No agent starts on a paused issue. */
export const holdsPauses: Judge = (about) =>
  about.world.orders.flatMap(({ message, answer, at }) => {
    const isPause = message.kind === 'steer' && (message.order === 'pause' || message.order === 'cancel');
    if (!isPause || answer.kind !== 'steered') return [];
    // The poller may answer a worker while its answer to the operator is still in flight.
    const [from, to] = [at + 1_000, findEnd(about, at)];
    return (
      about.world.agent.asked
        // The poller may have begun the turn before the pause, and its answer was lost.
        .filter(
          (one) =>
            one.attempt === 1 &&
            START + about.world.ledger.beganAt(one.turnKey, one.attempt) > from &&
            one.at < to - 1_000,
        )
        .filter((one) => answer.issueNumber === null || one.issueNumber === answer.issueNumber)
        .map(({ issueNumber }) => `an agent started on #${issueNumber} during a pause`)
    );
  });

/** MergeXO publishes nothing from a canceled turn. */
export const dropsCanceled: Judge = ({ story, world }) =>
  world.orders.flatMap(({ answer, at, seq }) => {
    if (answer.kind !== 'steered' || answer.turn?.end !== 'cancelled') return [];
    const isCanceled = (turn: string | undefined): boolean =>
      world.agent.asked.some(
        (one) => one.turnKey === turn && one.issueNumber === answer.issueNumber && one.at < at,
      );
    const hadPosts = (turn: string | undefined): boolean =>
      story.own.some(({ meta, seq: posted }) => meta['turn'] === turn && posted < seq);
    return story.own
      .filter(({ meta, seq: posted }) => posted > seq && isCanceled(meta['turn']) && !hadPosts(meta['turn']))
      .map(({ id, meta }) => `${meta['kind']} ${id} belongs to a canceled turn`);
  });
