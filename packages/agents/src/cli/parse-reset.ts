const SECOND = 1_000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: SECOND,
  second: SECOND,
  m: 60 * SECOND,
  minute: 60 * SECOND,
  h: 3_600 * SECOND,
  hour: 3_600 * SECOND,
  d: 86_400 * SECOND,
  day: 86_400 * SECOND,
};

/** Times further in the future are treated as parsing mistakes. */
const MAX_WAIT_MS = 40 * 86_400 * SECOND;

/** Finds the time of the next attempt in an agent's error message. Returns undefined if the message names no time. */
export function parseReset(text: string, nowMs: number): number | undefined {
  const at = parseMoment(text, nowMs) ?? parseWait(text, nowMs);
  return at !== undefined && at >= nowMs - 60 * SECOND && at <= nowMs + MAX_WAIT_MS ? at : undefined;
}

/** Parses `try again at Nov 18th, 2026 11:06 AM` or, on the same day, `try again at 3:45 PM`, in local time. */
function parseMoment(text: string, nowMs: number): number | undefined {
  const [, day, time] =
    /try again at (?:([A-Z][a-z]{2} \d{1,2}(?:st|nd|rd|th)?, \d{4}) )?(\d{1,2}:\d{2} [AP]M)/.exec(text) ?? [];
  if (time === undefined) return undefined;
  const now = new Date(nowMs);
  const date =
    day?.replace(/(\d)(?:st|nd|rd|th),/, '$1,') ??
    `${now.getFullYear()}-${now.getMonth() + 1}-${now.getDate()}`;
  const parsed = Date.parse(`${date} ${time}`);
  if (Number.isNaN(parsed)) return undefined;
  return day === undefined && parsed < nowMs - 60 * SECOND ? parsed + 86_400 * SECOND : parsed;
}

/** Parses `try again in 2 days 3 hours 5 minutes` and `try again in 11.054s`. */
function parseWait(text: string, nowMs: number): number | undefined {
  const [, duration] =
    /try again in ((?:\d{1,9}(?:\.\d{1,6})? ?(?:ms|[smhd]\b|(?:second|minute|hour|day)s?\b)(?:,? (?:and )?)?){1,5})/.exec(
      text,
    ) ?? [];
  if (duration === undefined) return undefined;
  let wait = 0;
  for (const [, count, unit = ''] of duration.matchAll(
    /(\d{1,9}(?:\.\d{1,6})?) ?(ms|second|minute|hour|day|[smhd])/g,
  )) {
    wait += Number(count) * (UNITS[unit] ?? 0);
  }
  return nowMs + Math.ceil(wait);
}
