/** What may precede a place in a text, as far as a closing form needs it. Sets with the same states are the same object. */
export type States = {
  has: (wanted: (state: string) => boolean) => boolean;
  step: (char: string) => States;
  join: (other: States) => States;
};

const KEYWORDS: ReadonlySet<string> = new Set(
  'close closes closed fix fixes fixed resolve resolves resolved'.split(' '),
);
const KEYWORD_STARTS: ReadonlySet<string> = new Set([...KEYWORDS].flatMap(listStarts));
/** The start of a reference that needs no number sign. */
const REFERENCE_STARTS: ReadonlySet<string> = new Set(['gh', 'https', 'www'].flatMap(listStarts));
const PATHS: ReadonlySet<string> = new Set(['/issues/', '/pull/'].flatMap(listStarts));

const GAP = /[\s\u0085:([{"'“‘«]/u;
const NAME = /[\w./:-]/;

/** States: a start of a keyword; `gap` below; a word after the gap, in full (`=`) or only its end (`~`). */
const AFTER_GAP = ' ';

export const isKeyword = (state: string): boolean => KEYWORDS.has(state);
export const isAfterGap = (state: string): boolean => /^[ =~]/.test(state);
export const isWord =
  (word: string) =>
  (state: string): boolean =>
    state === `=${word}`;
export const endsWithPath = (state: string): boolean => state === '~/issues/' || state === '~/pull/';

/** Returns the states in which nothing precedes. Each call has its own cache, so that no text fills the memory. */
export function createStates(): States {
  const known = new Map<string, States>();
  const intern = (states: ReadonlySet<string>): States => {
    const key = [...states].sort().join('\n');
    const found = known.get(key) ?? create(states, intern);
    known.set(key, found);
    return found;
  };
  return intern(new Set());
}

const contents = new WeakMap<States, ReadonlySet<string>>();

function create(states: ReadonlySet<string>, intern: (states: ReadonlySet<string>) => States): States {
  const steps = new Map<string, States>();
  const joins = new Map<States, States>();
  const node: States = {
    has: (wanted) => [...states].some(wanted),
    step: (char) => {
      const kind = toKind(char);
      const next =
        steps.get(kind) ?? intern(new Set(['', ...states].flatMap((state) => follow(state, kind))));
      steps.set(kind, next);
      return next;
    },
    join: (other) => {
      const both = joins.get(other) ?? intern(new Set([...states, ...(contents.get(other) ?? [])]));
      joins.set(other, both);
      return both;
    },
  };
  contents.set(node, states);
  return node;
}

/** Maps characters that have the same effect to one, so that few steps are stored. */
function toKind(char: string): string {
  if (/[a-z/:]/.test(char)) return char;
  if (NAME.test(char)) return '0';
  return GAP.test(char) ? ' ' : '\0';
}

function follow(state: string, char: string): string[] {
  if (state === AFTER_GAP) return [...(GAP.test(char) ? [AFTER_GAP] : []), ...startWord(char)];
  const rest = state.slice(1);
  if (state.startsWith('=')) return REFERENCE_STARTS.has(rest + char) ? [`=${rest}${char}`] : [];
  if (state.startsWith('~')) return NAME.test(char) ? [`~${endOf(rest + char)}`] : [];
  return [
    ...(KEYWORD_STARTS.has(state + char) ? [state + char] : []),
    ...(isKeyword(state) && GAP.test(char) ? [AFTER_GAP] : []),
  ];
}

function startWord(char: string): string[] {
  if (!NAME.test(char)) return [];
  return [`~${endOf(char)}`, ...(REFERENCE_STARTS.has(char) ? [`=${char}`] : [])];
}

/** Returns the part of a word that can still become a path of an issue or a pull request. */
function endOf(word: string): string {
  const from = word.lastIndexOf('/', word.length - (word.endsWith('/') ? 2 : 1));
  const end = from < 0 ? word : word.slice(from);
  if (PATHS.has(end)) return end;
  return word.endsWith('/') ? '/' : '';
}

function listStarts(word: string): string[] {
  return [...word].map((_, at) => word.slice(0, at + 1));
}
