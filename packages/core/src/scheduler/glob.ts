/** Deeper parts are not looked at: a path covers what is below it, so a cut one covers more, never less. */
const MAX_SEGMENTS = 32;
const ALTERNATIVES = /\{[^{}]*\}/g;
const WILDCARD = /[*?]/;

/** A file, a directory or a glob, taken apart once so that it can be compared often. */
export type TouchPath = {
  text: string;
  segments: readonly Segment[];
  isPlain: boolean;
};

type Segment = { text: string; isPlain: boolean };

/**
 * `*` and `?` stay within a segment, `**` spans any number of them. `{a,b}` stands for anything: too much rather than
 * too little. Brackets are ordinary letters, because routers put them into file names.
 */
export function compileTouchPath(path: string): TouchPath {
  const segments = path
    .replace(ALTERNATIVES, (group) => (group.includes(',') ? (group.includes('/') ? '**' : '*') : group))
    .split('/')
    .filter((text) => text !== '' && text !== '.')
    .slice(0, MAX_SEGMENTS)
    .map((text) => ({ text, isPlain: !WILDCARD.test(text) }));
  const isPlain = segments.every((segment) => segment.isPlain);
  return { text: segments.map(({ text }) => text).join('/'), segments, isPlain };
}

/** Whether the file is one that the touch path names, or lies below one. */
export function coversPath(touchPath: TouchPath, file: string): boolean {
  const segments = compileTouchPath(file).segments.map(({ text }) => ({ text, isPlain: true }));
  return canMeet(touchPath.segments, segments, 'first');
}

/** Whether some file could be covered by both. In doubt it could. */
export function mayOverlap(a: TouchPath, b: TouchPath): boolean {
  if (a.isPlain && b.isPlain) return isWithin(a.text, b.text) || isWithin(b.text, a.text);
  return canMeet(a.segments, b.segments, 'either');
}

function isWithin(inner: string, outer: string): boolean {
  return inner.startsWith(outer) && (inner.length === outer.length || inner[outer.length] === '/');
}

/**
 * Walks the table of (segments of a that are used up, segments of b that are used up): at most 32 × 32 steps, whatever
 * the patterns. The walk is over when the one that `ends` says is used up, because it covers all that is below.
 */
function canMeet(a: readonly Segment[], b: readonly Segment[], ends: 'first' | 'either'): boolean {
  if (a.length === 0) return true;
  if (b.length === 0) return ends === 'either';
  let row: boolean[] = [true];
  for (const [i, mine] of a.entries()) {
    const next: boolean[] = [];
    for (const [j, theirs] of b.entries()) {
      if (row[j] !== true) continue;
      const isSpan = mine.text === '**' || (theirs.text === '**' && !theirs.isPlain);
      if (!isSpan && !segmentsMeet(mine, theirs)) continue;
      if (i + 1 === a.length || (ends === 'either' && j + 1 === b.length)) return true;
      if (isSpan) {
        next[j] = true;
        row[j + 1] = true;
      } else {
        next[j + 1] = true;
      }
    }
    row = next;
  }
  return false;
}

function segmentsMeet(a: Segment, b: Segment): boolean {
  if (a.isPlain && b.isPlain) return a.text === b.text;
  if (b.isPlain) return matchesSegment(a.text, b.text);
  if (a.isPlain) return matchesSegment(b.text, a.text);
  return beginsLike(a.text, b.text) && endsLike(a.text, b.text);
}

/** Goes back to the last `*` only: an earlier one could not do better. At most glob × name steps. */
function matchesSegment(glob: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resumeAt = 0;
  for (let i = 0; i < name.length; ) {
    if (glob[at] === '*') {
      star = at;
      at += 1;
      resumeAt = i;
    } else if (at < glob.length && (glob[at] === '?' || glob[at] === name[i])) {
      at += 1;
      i += 1;
    } else if (star >= 0) {
      at = star + 1;
      resumeAt += 1;
      i = resumeAt;
    } else {
      return false;
    }
  }
  while (glob[at] === '*') at += 1;
  return at === glob.length;
}

/** Two globs are compared up to the first wildcard from either side; what is between could be anything. */
function beginsLike(a: string, b: string): boolean {
  const head = Math.min(a.search(WILDCARD), b.search(WILDCARD));
  return a.slice(0, head) === b.slice(0, head);
}

function endsLike(a: string, b: string): boolean {
  const tail = Math.min(tailLength(a), tailLength(b));
  return a.slice(a.length - tail) === b.slice(b.length - tail);
}

function tailLength(glob: string): number {
  return glob.length - 1 - Math.max(glob.lastIndexOf('*'), glob.lastIndexOf('?'));
}
