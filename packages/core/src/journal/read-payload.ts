/** Payload keys whose values are MergeXO's own codes. Other strings may come from people, agents or GitHub. */
const CODES: ReadonlySet<string> = new Set([
  'answer',
  'cause',
  'code',
  'flow',
  'kind',
  'severity',
  'state',
  'status',
  'verdict',
]);
const KEY = /^[a-z][a-z0-9_-]{0,59}$/;
const CODE = KEY;
/** GitHub's ids would reveal the repository, and row ids mean nothing in another database. */
const ID = /(?:^|_)ids?$/;

/** Returns the numbers, booleans and codes of an event. */
export function readFacts(payload: string): Record<string, number | boolean | string> {
  return Object.fromEntries(
    listParts(payload).flatMap(([key, value]): [string, number | boolean | string][] => {
      if (ID.test(key)) return [];
      if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
        return [[key, value]];
      return typeof value === 'string' && CODES.has(key) && CODE.test(value) ? [[key, value]] : [];
    }),
  );
}

/** Returns the other texts of an event. */
export function readTexts(payload: string): [string, string][] {
  const facts = readFacts(payload);
  return listParts(payload).flatMap(([key, value]): [string, string][] =>
    typeof value === 'string' && !(key in facts) && !ID.test(key) ? [[key, value]] : [],
  );
}

function listParts(payload: string): [string, unknown][] {
  const value: unknown = JSON.parse(payload);
  const parts: [string, unknown][] = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return parts.filter(([key]) => KEY.test(key));
}
