import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A typical expression of 200 characters has at most 250 instructions. Only nested repetitions have more. */
const MAX_INSTRUCTIONS = 500;

/** Constructs that RE2 lacks, by the fragment of the expression that RE2 reports. */
const UNSUPPORTED: readonly [RegExp, string][] = [
  [/^\(\?[=!]/, 'lookahead'],
  [/^\(\?<[=!]/, 'lookbehind'],
  [/^\\(?:[1-9]|k)/, 'backreferences'],
  [/^\(\?>/, 'atomic groups'],
  [/^\(\?\(/, 'conditions'],
  [/^[*+?}]\+/, 'possessive quantifiers'],
  [/^\\u/, String.raw`\u escapes; write \x{…}`],
];

export type CompiledPattern =
  | { kind: 'compiled'; matches: (text: string) => boolean }
  | { kind: 'rejected'; reason: string };

/**
 * Compiles a regular expression with RE2, whose matching time is linear in the text. JavaScript's own engine
 * can take years to match a hostile file name.
 */
export function compilePattern(source: string): CompiledPattern {
  try {
    const pattern = RE2JS.compile(source);
    if (pattern.programSize() > MAX_INSTRUCTIONS) return { kind: 'rejected', reason: 'expression too large' };
    return { kind: 'compiled', matches: (text) => pattern.test(text) };
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error;
    return { kind: 'rejected', reason: explain(error) };
  }
}

/** Leaves out the fragment that RE2 reports, because an expression may contain a secret. */
function explain(error: RE2JSSyntaxException): string {
  const fragment = error.getPattern() ?? '';
  const [, construct] = UNSUPPORTED.find(([spelling]) => spelling.test(fragment)) ?? [];
  return construct === undefined ? error.getDescription() : `RE2 does not support ${construct}`;
}
