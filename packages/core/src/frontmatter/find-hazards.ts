import { CST, Lexer } from 'yaml';

/** Maximum number of YAML tokens. The longest allowed lists need fewer than half of them. */
const MAX_TOKENS = 3_000;
const MAX_NESTING = 5;

/** `line` counts from 1 within the block. */
export type Hazard = { line: number; problem: string };

const QUOTES = 'put it in quotes, such as "*.ts", if it is meant as text';
const REFUSED: Readonly<Record<string, string>> = {
  alias: `a value that begins with "*" is a YAML alias, which is not allowed; ${QUOTES}`,
  anchor: `a value that begins with "&" is a YAML anchor, which is not allowed; ${QUOTES}`,
  tag: `a value that begins with "!" is a YAML tag, which is not allowed; ${QUOTES}`,
  'directive-line': 'a YAML directive ("%") is not allowed; remove the line',
  'doc-start': 'a second YAML document is not allowed; remove the text after "---" on this line',
  'doc-end': 'a line "..." ends the YAML too early; remove it',
};

/**
 * Finds YAML features that plain keys and values never need. Uses only the lexer, because the parser would follow
 * aliases and be slow on deep nesting.
 */
export function findHazards(yaml: string): Hazard[] {
  const control = /[^\P{Cc}\t\n]/u.exec(yaml);
  if (control !== null) {
    const line = yaml.slice(0, control.index).split('\n').length;
    return [{ line, problem: 'this line contains a control character; remove it' }];
  }
  const hazards: Hazard[] = [];
  let [line, count, brackets, indicators] = [1, 0, 0, 0];
  for (const token of new Lexer().lex(yaml)) {
    const type = CST.tokenType(token) ?? 'text';
    count += 1;
    if (count > MAX_TOKENS) return [{ line, problem: 'this block is too long; shorten its lists' }];
    // Counts brackets across lines, and indicators such as `- - -` per line. Blocks are too short for deep indentation.
    if (type === 'flow-seq-start' || type === 'flow-map-start') brackets += 1;
    else if (type === 'flow-seq-end' || type === 'flow-map-end') brackets = Math.max(0, brackets - 1);
    else if (type === 'newline') indicators = 0;
    else if (brackets === 0 && type.endsWith('-ind')) indicators += 1;
    if (brackets + indicators > MAX_NESTING) {
      return [{ line, problem: `this is nested too deeply; use at most ${MAX_NESTING} levels` }];
    }
    const problem = REFUSED[type];
    if (problem !== undefined) hazards.push({ line, problem });
    line += token.split('\n').length - 1;
  }
  return hazards;
}
