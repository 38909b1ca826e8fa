import { countOf } from '../text/count-of.js';

const MINUTE_MS = 60_000;
/** Each step changes the status comment, so the steps grow with the duration. */
const STEPS = [5, 10, 20, 30, 45, 60, 90, 120];

/** Rounds a duration down, so that the passing of time alone causes few edits. */
export function roundDuration(ms: number): string {
  const minutes = ms / MINUTE_MS;
  const step = STEPS.findLast((known) => known <= minutes);
  if (step === undefined) return 'less than 5 minutes';
  if (minutes >= 180) return `about ${countOf(Math.floor(minutes / 60), 'hour')}`;
  return step >= 60 ? `about ${step / 60} ${step === 60 ? 'hour' : 'hours'}` : `about ${step} minutes`;
}
