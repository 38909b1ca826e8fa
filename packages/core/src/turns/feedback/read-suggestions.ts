import MarkdownIt from 'markdown-it';

/** Does not parse tables: the parser fills short rows, so a short table could become tens of thousands of tokens. Skips nested content. */
const parser = new MarkdownIt({ html: true, maxNesting: 10 }).disable('table');

/** Returns the replacement in each suggestion block of a comment. An empty replacement deletes the lines. */
export function readSuggestions(body: string): string[] {
  if (!body.includes('suggestion')) return [];
  return parser
    .parse(body, {})
    .filter(({ type, level, info }) => type === 'fence' && level === 0 && info.trim() === 'suggestion')
    .map(({ content }) => content.replace(/\n$/, ''));
}
