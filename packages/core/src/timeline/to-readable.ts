const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?(\.\d{1,9})?Z/g;
const SHA = /\b[0-9a-f]{40}\b/g;
const SHORT_SHA = 12;

/** `2026-11-16 06:22:53Z` */
export function formatTime(time: number): string {
  return new Date(time)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, 'Z');
}

/** A recorded text for people: without Markdown, with readable times and short commit ids. */
export function toReadable(text: string): string {
  return toPlainText(text)
    .replace(TIME, (time) => formatTime(Date.parse(time)))
    .replace(SHA, (sha) => sha.slice(0, SHORT_SHA));
}

/** Markdown as plain text. Lines inside a code fence stay as they are. Lengths are bounded: the text is hostile. */
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
    .replace(/!?\[([^\]\n]{0,300})\]\(([^)\s]{0,2000})\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^*_]{1,500})\1/g, '$2')
    .replaceAll('**', '');
}
