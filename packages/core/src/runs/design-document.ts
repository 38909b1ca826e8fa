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

/** The frame is ours, so that it can be relied on; the agent's text goes into it without a second frame of its own. */
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

/** Strings as JSON: every JSON string is a YAML string, and no text can become another key. */
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

/** Agents like to repeat the frontmatter, the title, the issue line and the summary. If nothing else is left, all stays. */
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
  if (/^_Issue: #\d+[^\n]*_/.test(rest)) rest = rest.slice(rest.indexOf('\n') + 1).trimStart();
  if (/^## Summary[ \t]*\n/i.test(rest)) {
    const next = rest.slice(1).search(/\n#{1,2} /);
    rest = next < 0 ? '' : rest.slice(next + 2).trimStart();
  }
  return rest === '' ? whole : rest;
}

function isSameTitle(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}
