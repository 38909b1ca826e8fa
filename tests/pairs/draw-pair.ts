import { FAILPOINTS } from '@mergexo/core/basics';
import { chooseBetween, createRandom, type Random } from '../simulate-month/random.js';
import type { Flow } from './flow.js';

/** The poller passes these several times a second, so that a late pass is still within the flow. */
const FREQUENT: readonly string[] = ['poller:feed-read', 'poller:cursor-moved'];

export const listPoints = ({ skips }: Flow): string[] => FAILPOINTS.filter((point) => !skips.includes(point));

/** Draws a flow and two of its failpoints. The same seed and number always draw the same. */
export function drawPair(flows: readonly Flow[], seed: number, number: number): Drawn {
  const random = createRandom(seed * 1_000_003 + number);
  const [flow] = flows.slice(chooseBetween(random, 0, flows.length - 1));
  if (flow === undefined) throw new RangeError('there is no flow to draw');
  return { flow, points: [drawPoint(flow, random), drawPoint(flow, random)] };
}
export type Drawn = { flow: Flow; points: readonly string[] };

function drawPoint(flow: Flow, random: Random): string {
  const points = listPoints(flow);
  const point = points[chooseBetween(random, 0, points.length - 1)] ?? '';
  const nth = chooseBetween(random, 1, FREQUENT.includes(point) ? 20 : 3);
  return nth === 1 ? point : `${point}#${nth}`;
}
