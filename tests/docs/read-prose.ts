export type Prose = { text: string; line: number };

/** Regular expressions are matched first, because a quote inside one would start a string. */
const TOKEN = new RegExp(
  [
    String.raw`(?<=(?:[=(,:!&|?{};[]|=>|\breturn)\s*)\/(?![*\/])(?:[^\/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*`,
    String.raw`(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*)`,
    String.raw`(?<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")`,
    '(?<bracket>[`{}])',
  ].join('|'),
  'g',
);
/** The text of a template literal up to its end or the next `${`. */
const TEMPLATE_PART = /(?<part>(?:[^`\\$]|\\[\s\S]|\$(?!\{))*)(?<end>`|\$\{)/y;

/** Lists the comments and string literals of a TypeScript file, and each part of a template literal. */
export function readProse(source: string): Prose[] {
  const prose: Prose[] = [];
  const open: string[] = [];
  const add = (text: string, index: number): void => {
    const line = source.slice(0, index).split('\n').length;
    prose.push({ text: text.replace(/\s+/g, ' ').trim(), line });
  };
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    const { comment, string, bracket } = match.groups ?? {};
    if (comment !== undefined) add(stripComment(comment), match.index);
    if (string !== undefined) add(string.slice(1, -1), match.index);
    if (bracket === '{') open.push(bracket);
    if (bracket === '`' || (bracket === '}' && open.pop() === '`')) {
      TEMPLATE_PART.lastIndex = TOKEN.lastIndex;
      const { part = '', end = '' } = TEMPLATE_PART.exec(source)?.groups ?? {};
      add(part, match.index);
      if (end === '${') open.push('`');
      TOKEN.lastIndex += part.length + end.length;
    }
  }
  return prose;
}

function stripComment(comment: string): string {
  return comment.replace(/^\/\*+|\*+\/$/g, '').replace(/^[ \t]*(?:\/\/|\*)/gm, '');
}
