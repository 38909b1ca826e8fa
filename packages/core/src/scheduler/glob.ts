/** Maximum number of segments. A path covers everything below it, so a path that was cut covers more, never less. */
const MAX_SEGMENTS = 32;
const ALTERNATIVES = /\{[^{}]*\}/g;
const WILDCARD = /[*?]/;
const EXTENSION = /[^.]\.\w+$/;

/** A file, directory or glob, parsed once for many comparisons. */
export type TouchPath = {
  text: string;
  segments: readonly Segment[];
  isPlain: boolean;
  /** True if the last segment has an extension, so that no path can be below it. */
  isFile: boolean;
};

type Segment = { text: string; isPlain: boolean; isSpan: boolean };

/**
 * Compiles a path or glob. `*` and `?` match within a segment, and `**` matches any number of segments. `{a,b}` matches
 * anything, because a false overlap costs less than a missed one. Brackets are literal, because routers use them in
 * file names.
 */
export function compileTouchPath(path: string): TouchPath {
  const segments = path
    .replace(ALTERNATIVES, (group) => (group.includes(',') ? (group.includes('/') ? '**' : '*') : group))
    .split('/')
    .filter((text) => text !== '' && text !== '.')
    .map(widenGlob)
    .map((text) => ({ text, isPlain: !WILDCARD.test(text), isSpan: text === '**' }));
  return cutTouchPath({ segments, isFile: EXTENSION.test(segments.at(-1)?.text ?? '') }, MAX_SEGMENTS);
}

const MAX_GLOB = 60;
const MAX_WILDCARDS = 4;

/** Replaces a complex glob by `*`, because comparing it with thousands of long names would stall the poller. */
function widenGlob(segment: string): string {
  const wildcards = segment.match(/[*?]+/g)?.length ?? 0;
  return wildcards > MAX_WILDCARDS || (wildcards > 0 && segment.length > MAX_GLOB) ? '*' : segment;
}

/** Cuts the path to its first `length` segments. A shorter path stays unchanged. */
export function cutTouchPath(path: Pick<TouchPath, 'segments' | 'isFile'>, length: number): TouchPath {
  const segments = path.segments.slice(0, length);
  return {
    text: segments.map(({ text }) => text).join('/'),
    segments,
    isPlain: segments.every(({ isPlain }) => isPlain),
    isFile: path.isFile && path.segments.length <= length,
  };
}

/** True if the touch path names the file or a directory above it. */
export function coversPath(touchPath: TouchPath, file: TouchPath): boolean {
  return canMeet(touchPath, file, 'first');
}

/** True if both paths may cover the same file. If in doubt, returns true. */
export function mayOverlap(a: TouchPath, b: TouchPath): boolean {
  if (a.isPlain && b.isPlain) return isWithin(a.text, b.text) || isWithin(b.text, a.text);
  return canMeet(a, b, 'either');
}

function isWithin(inner: string, outer: string): boolean {
  if (outer === '') return true;
  return inner.startsWith(outer) && (inner.length === outer.length || inner[outer.length] === '/');
}

/**
 * Compares the segments of a and b by dynamic programming, in at most 32 × 32 steps for any patterns. A path covers
 * everything below it, so the comparison succeeds when a path ends. `ends` selects whether the end of b counts too.
 */
function canMeet(a: TouchPath, b: TouchPath, ends: 'first' | 'either'): boolean {
  if (a.segments.length === 0) return true;
  if (b.segments.length === 0) return ends === 'either';
  let row: boolean[] = [true];
  for (const [i, mine] of a.segments.entries()) {
    const next: boolean[] = [];
    for (const [j, theirs] of b.segments.entries()) {
      if (row[j] !== true) continue;
      const isSpan = mine.isSpan || theirs.isSpan;
      if (!isSpan && !segmentsMeet(mine, theirs)) continue;
      // `**` may match a file, but nothing is below a file: `**/*.sql` does not overlap `src/x.ts`.
      if (i + 1 === a.segments.length && !(theirs.isSpan && a.isFile)) return true;
      if (ends === 'either' && j + 1 === b.segments.length && !(mine.isSpan && b.isFile)) return true;
      if (!isSpan) next[j + 1] = true;
      else {
        next[j] = true;
        row[j + 1] = true;
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

/** Backtracks only to the last `*`, because an earlier one could not match more. Takes at most glob × name steps. */
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

/** True if two globs are equal up to the first wildcard of either. The rest could match anything. */
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
