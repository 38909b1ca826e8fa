import { closeMarkdown } from '../markdown/close-markdown.js';

export type DesignDocument = {
  issueNumber: number;
  issueUrl: string;
  title: string;
  summary: string;
  priority: number;
  touchPaths: readonly string[];
  dependsOn: readonly (number | string)[];
  estimatedSize: string;
  generatedAt: string;
  markdown: string;
};

/**
 * Renders the frontmatter, title and summary around the agent's text, so that later readers can rely on them. Copies of
 * these parts in the agent's text are removed.
 */
export function renderDesignDocument(document: DesignDocument): string {
  const { issueNumber, issueUrl, title, summary, markdown } = document;
  return [
    renderFrontmatter(document),
    '',
    `# ${title}`,
    '',
    `_Issue: #${issueNumber} (${issueUrl})_`,
    '',
    '## Summary',
    '',
    closeMarkdown(summary.trim()),
    '',
    stripFrame(markdown, title),
    '',
  ].join('\n');
}

/** Writes strings as JSON. Every JSON string is also a YAML string, so no text can become another key. */
function renderFrontmatter(document: DesignDocument): string {
  const { issueNumber, priority, touchPaths, dependsOn, estimatedSize, generatedAt } = document;
  const list = (values: readonly (number | string)[]): string =>
    values.length === 0 ? ' []' : values.map((value) => `\n  - ${JSON.stringify(value)}`).join('');
  return [
    '---',
    `issue: ${issueNumber}`,
    `priority: ${priority}`,
    `touch_paths:${list(touchPaths)}`,
    `depends_on:${list(dependsOn)}`,
    `estimated_size: ${estimatedSize}`,
    `generated_at: ${generatedAt}`,
    '---',
  ].join('\n');
}

/** Removes a repeated frontmatter, title, issue line and summary. If nothing else is left, the text stays unchanged. */
function stripFrame(markdown: string, title: string): string {
  const whole = markdown.replaceAll('\r\n', '\n').trim();
  let rest = whole;
  if (rest.startsWith('---\n')) {
    const end = rest.indexOf('\n---', 4);
    if (end > 0) rest = rest.slice(end + 4).trimStart();
  }
  if (rest.startsWith('# ')) {
    const [first = '', ...lines] = rest.split('\n');
    if (isSameTitle(first.slice(2), title)) rest = lines.join('\n').trimStart();
  }
  if (/^_Issue: #\d[^\n]*_/.test(rest)) rest = rest.slice(rest.indexOf('\n') + 1).trimStart();
  if (/^## Summary[ \t]*\n/i.test(rest)) {
    const next = rest.slice(1).search(/\n#{1,2} /);
    rest = next < 0 ? '' : rest.slice(next + 2).trimStart();
  }
  return rest === '' ? whole : rest;
}

function isSameTitle(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
