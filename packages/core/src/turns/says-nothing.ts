/** Words that tell the reader nothing about the change. Omits `yes` and `no`, which can answer a question. */
const FILLER: ReadonlySet<string> = new Set(
  (
    'done fixed fix ok okay addressed resolved agreed acknowledged noted sure thanks thank you great good nice ' +
    'excellent perfect awesome catch point idea spot suggestion feedback comment review lgtm now it this that is ' +
    'for the a your i have has been all will do'
  ).split(' '),
);
const MAX_LENGTH = 200;

/** True if a text only says "done" or thanks the reader. */
export function saysNothing(body: string): boolean {
  if (body.length > MAX_LENGTH) return false;
  const words = body.toLowerCase().split(/[^\p{L}\p{N}_./]/u);
  const plain = words
    .map((word) => (word.endsWith('.') ? word.slice(0, -1) : word))
    .filter((word) => word !== '');
  return plain.length > 0 && plain.every((word) => FILLER.has(word));
}
