import MarkdownIt, { type Token } from 'markdown-it';

const KEYWORD = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';
const PATTERN = new RegExp(
  `\\b${KEYWORD}:?\\s+(?:([\\w.-]+/[\\w.-]+)?#(\\d{1,9})|https?://[^\\s/]+/([\\w.-]+/[\\w.-]+)/issues/(\\d{1,9}))\\b`,
  'gi',
);
const markdown = new MarkdownIt({ html: true });

/**
 * Finds the issues that a text closes when it reaches the default branch. As on GitHub, keywords in code and in HTML
 * comments do not count, and every number needs its own keyword.
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

/** Collects the text outside of code. HTML is kept. */
function readWords(tokens: readonly Token[]): string[] {
  return tokens.flatMap(({ type, content, children, nesting }) => {
    if (type === 'text' || type === 'text_special') return [content.replaceAll('<', '\u2060')];
    if (type === 'html_block' || type === 'html_inline') return [content];
    if (type === 'softbreak' || type === 'hardbreak' || nesting === -1) return ['\n'];
    return type === 'code_inline' ? [' '] : readWords(children ?? []);
  });
}
