const BAD = /blocked|failed|refused|timeout|mismatch|paused/;
const GOOD = /completed|settled|opened|unblocked|received/;

/** Returns the color class of a timeline event. */
export function lookOf(type: string): 'bad' | 'good' | 'calm' {
  if (GOOD.test(type)) return 'good';
  return BAD.test(type) ? 'bad' : 'calm';
}
