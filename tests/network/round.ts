import type { SentRequest } from './sent-request.js';

/** Times of one turn, in milliseconds since 1970. */
export type Marks = {
  /** A person posted the comment or the label. With `run --once`, the command starts at this time. */
  begin: number;
  /** The poller opened the turn. */
  opened: number;
  agent: number;
  /** GitHub confirmed the reply or the pull request. */
  posted: number;
  /** The turn caused no further request after this time. */
  end: number;
};

export type Round = { marks: Marks; requests: SentRequest[] };

export const PHASES = ['poll', 'begin', 'post', 'after'] as const;
export type Phase = (typeof PHASES)[number];

/** Returns the phase in which a request started. */
export function phaseOf({ startMs }: { startMs: number }, marks: Marks): Phase {
  if (startMs < marks.opened) return 'poll';
  if (startMs < marks.agent) return 'begin';
  return startMs < marks.posted ? 'post' : 'after';
}

/** Returns the round with the median time until the post. Requires at least one round. */
export function chooseTypical(rounds: readonly Round[]): Round {
  const takenMs = ({ marks }: Round): number => marks.posted - marks.begin;
  const sorted = [...rounds].sort((a, b) => takenMs(a) - takenMs(b));
  const typical = sorted[Math.floor((sorted.length - 1) / 2)];
  if (typical === undefined) throw new Error('there is no round to choose from');
  return typical;
}
