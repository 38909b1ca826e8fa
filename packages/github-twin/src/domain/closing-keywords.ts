const KEYWORD = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)';

/**
 * The issues that a text closes once it reaches the default branch. As on GitHub, words in code and in HTML
 * comments do not count, and every number needs a keyword of its own.
 */
export function findClosedIssues(text: string, repo: string): number[] {
  const visible = text
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ');
  const pattern = new RegExp(
    `\\b${KEYWORD}:?\\s+(?:([\\w.-]+/[\\w.-]+)?#(\\d{1,9})|https?://[^\\s/]+/([\\w.-]+/[\\w.-]+)/issues/(\\d{1,9}))\\b`,
    'gi',
  );
  const numbers = [...visible.matchAll(pattern)]
    .filter(([, named, , linked]) => (named ?? linked ?? repo).toLowerCase() === repo.toLowerCase())
    .map(([, , number, , linkedNumber]) => Number(number ?? linkedNumber));
  return [...new Set(numbers)];
}
