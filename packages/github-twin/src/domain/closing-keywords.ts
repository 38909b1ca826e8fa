import MarkdownIt, { type Token } from 'markdown-it';

const KEYWORD = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';
const PATTERN = new RegExp(
  `\\b${KEYWORD}:?\\s+(?:([\\w.-]+/[\\w.-]+)?#(\\d{1,9})|https?://[^\\s/]+/([\\w.-]+/[\\w.-]+)/issues/(\\d{1,9}))\\b`,
  'gi',
);
const markdown = new MarkdownIt({ html: true });

/**
 * The issues that a text closes once it reaches the default branch. As on GitHub, words in code and in HTML
 * comments do not count, and every number needs a keyword of its own.
 */
export function findClosedIssues(text: string, repo: string): number[] {
  const visible = readWords(markdown.parse(text, {}))
    .join('')
    .replace(/<!--[\s\S]*?(?:-->|$)|<(pre|code)\b[\s\S]*?(?:<\/\1>|$)|<[A-Za-z/][^>]*(?:>|$)/gi, ' ');
  const numbers = [...visible.matchAll(PATTERN)]
    .filter(([, named, , linked]) => (named ?? linked ?? repo).toLowerCase() === repo.toLowerCase())
    .map(([, , number, , linkedNumber]) => Number(number ?? linkedNumber));
  return [...new Set(numbers)];
}

/** Without code; HTML stays as it is. */
function readWords(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ type, content, children, nesting }) => {
    if (type === 'text' || type === 'text_special') return [content.replaceAll('<', '\u2060')];
    if (type === 'html_block' || type === 'html_inline') return [content];
    if (type === 'softbreak' || type === 'hardbreak' || nesting === -1) return ['\n'];
    return type === 'code_inline' ? [' '] : readWords(children ?? []);
  });
}
