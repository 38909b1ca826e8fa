const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d{1,9})?Z/g;
const SHA = /\b[0-9a-f]{40}\b/g;
const SHORT_SHA = 12;

/** Formats a time as `2026-11-16 06:22:53Z`. */
export function formatTime(time: number): string {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** Prepares a recorded text for people: no Markdown, readable times, short commit ids. */
export function toReadable(text: string): string {
  return toPlainText(text)
    .replace(TIME, (time) => formatTime(Date.parse(time)))
    .replace(SHA, (sha) => sha.slice(0, SHORT_SHA));
}

/**
 * Converts Markdown to plain text. Lines inside a code fence stay unchanged. The text is untrusted, so every pattern
 * has a maximum length.
 */
export function toPlainText(markdown: string): string {
  let fence: string | undefined;
  const lines = markdown.split('\n').flatMap((line) => {
    const [, mark] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (mark !== undefined && (fence === undefined || mark.startsWith(fence))) {
      fence = fence === undefined ? mark : undefined;
      return [];
    }
    return [fence === undefined ? toPlainLine(line) : line];
  });
  return lines.join('\n');
}

function toPlainLine(line: string): string {
  return line
    .replace(/^ {0,3}#{1,6} +/, '')
    .replace(/<\/?(?:details|summary)>/g, '')
    .replace(/!?\[([^\]\n]{0,300})\]\(([^)\s]{0,2000})\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_]{1,500})\1/g, '$2')
    .replaceAll('**', '');
}
