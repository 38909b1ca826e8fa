import type { Judge } from './judge.js';
import type { OwnComment, Story } from './story.js';

/** Identifies a post across retries: the turn and the target, or the cause of a notice. */
export function nameOf({ meta, number }: OwnComment): string {
  const { turn, kind, target, index, cause } = meta;
  return turn === undefined
    ? `${kind} on #${number} because of ${cause?.slice(0, 12)}`
    : `${kind} for ${target} ${index ?? ''} of turn ${turn.slice(0, 8)}`;
}

/**
 * Lists the posts that count. Two kinds do not: originals that a person changed or removed before MergeXO recognized
 * their copy, and posts that were removed before the database was lost.
 */
export function listCounted({ own, losses }: Story): OwnComment[] {
  const hasCopy = (post: OwnComment): boolean =>
    own.some((other) => other.seq > post.seq && nameOf(other) === nameOf(post));
  const isLost = ({ seq, goneAt }: OwnComment): boolean =>
    goneAt !== undefined && losses.some((loss) => loss.seq > seq);
  return own.filter((post) => !(post.touched && hasCopy(post)) && !isLost(post));
}

/** Each post appears once, no matter what was lost, crashed or responded late. */
export const postsOnce: Judge = ({ story }) => {
  const seen = new Map<string, OwnComment>();
  return listCounted(story).flatMap((post) => {
    // Numbers of notices restart after a database loss, because the database stores them.
    const age = post.meta['turn'] === undefined ? story.losses.filter(({ seq }) => seq < post.seq).length : 0;
    const name = `${nameOf(post)} ${age}`;
    const first = seen.get(name);
    seen.set(name, post);
    return first === undefined ? [] : [`posted twice: ${nameOf(post)} in ${first.id} and ${post.id}`];
  });
};

export const signsEveryPost: Judge = ({ story }) =>
  story.unsigned
    .filter(({ versions }) => !/status comment|mergexo-status/.test(versions[0]?.body ?? ''))
    .map(
      ({ id, versions }) =>
        `comment ${id} has no signature: ${JSON.stringify(versions[0]?.body.slice(0, 60))}`,
    );

/** One pull request for each branch that MergeXO opens, even if GitHub did not answer. */
export const opensPullsOnce: Judge = ({ story, world }) => {
  const ours = story.pulls.filter(({ userId }) => userId === world.twin.userId('robot'));
  return ours.flatMap((pull, index) =>
    ours.slice(0, index).some(({ headRef }) => headRef === pull.headRef)
      ? [`a second pull request, #${pull.number}, was opened for ${pull.headRef}`]
      : [],
  );
};

/** A turn posts the results of one plan only, even if several attempts made plans. */
export const postsOnePlan: Judge = ({ story }) => {
  const plans = new Map<string, string>();
  return listCounted(story).flatMap(({ id, meta, versions }) => {
    const plan = /\bby (plan-\d+)/.exec(versions[0]?.body ?? '')?.[1];
    const { turn } = meta;
    if (plan === undefined || turn === undefined) return [];
    const first = plans.get(turn) ?? plan;
    plans.set(turn, first);
    return first === plan
      ? []
      : [`comment ${id} posts ${plan}, but turn ${turn.slice(0, 8)} had posted ${first}`];
  });
};
