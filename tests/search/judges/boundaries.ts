import { POSTER, WINDOW_MS } from '../world/constants.js';
import { takeoversOf } from './answers.js';
import type { Judge } from './judge.js';
import { isWithin } from './story.js';

/** MergeXO's pushes only add commits, on its own branches. It never merges. */
export const neverRewrites: Judge = ({ story }) =>
  story.moves
    .filter(({ by }) => by === POSTER)
    .flatMap(({ branch, forced, after }) => {
      if (forced) return [`MergeXO rewrote ${branch}`];
      if (after === null) return [`MergeXO deleted ${branch}`];
      return branch.startsWith('agent/') ? [] : [`MergeXO pushed to ${branch}`];
    });

/** A post that names a commit follows its push. */
export const pushesFirst: Judge = ({ story, world }) =>
  story.own.flatMap(({ id, seq, meta }) => {
    const { head, turn } = meta;
    if (head === undefined || turn === undefined) return [];
    const landed = story.moves.filter((move) => move.seq < seq);
    const isThere = landed.some(
      ({ after }) => after !== null && world.remote.hasCommit(head) && world.remote.isAncestor(head, after),
    );
    return isThere ? [] : [`comment ${id} was posted before its commit ${head.slice(0, 8)} was pushed`];
  });

/** No turn posts on a closed pull request, unless GitHub showed an older state. */
export const silentAfterClose: Judge = ({ story }) =>
  story.own.flatMap(({ id, number, seq, at, meta }) => {
    if (meta['turn'] === undefined) return [];
    const span = story.closed.find((one) => one.number === number && isWithin(one, seq));
    const isPull = story.pulls.some((pull) => pull.number === number);
    // Stale responses and requests in flight can delay the stop by up to one window.
    return span !== undefined && isPull && at > span.from.at + WINDOW_MS
      ? [`${meta['kind']} ${id} was posted on #${number} after it was closed`]
      : [];
  });

/** No turn posts while a person has taken over. */
export const silentAfterTakeover: Judge = ({ story }) =>
  story.own.flatMap(({ id, number, seq, at, meta }) => {
    if (meta['turn'] === undefined) return [];
    const span = takeoversOf(story, number).find((one) => isWithin(one, seq));
    return span !== undefined && at > span.from.at + WINDOW_MS
      ? [`${meta['kind']} ${id} was posted on #${number} after a person had taken over`]
      : [];
  });
