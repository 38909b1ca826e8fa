import { sanitiseText } from './sanitise-text.js';

const SIZE = 64 * 1024;
const ROUNDS = 9;

/** Each of them is slow for some way of looking for hidden text. */
const WORST: Readonly<Record<string, string>> = {
  'openers without an end': '<!--',
  'openers in a sentence': 'a <!-- ',
  'empty comments': '<!---->',
  'half comments': '<!-<!--',
  'comments, line by line': 'a <!-- b\n',
  'paragraphs with openers': 'a <!-- b\n\n',
  'closers only': '-->',
  declarations: '<!a',
  blanks: ' ',
  'list marks': '- 1. ',
  fences: '```\n',
  'long fences': '`',
  tags: '<a',
  'zero-width spaces': '\u200b',
  'zero-width spaces between letters': 'a\u200b',
  'tag characters': '\u{e0041}',
  'joined emoji': '\u{1f469}\u200d',
  selectors: '\u{1f600}\ufe0f\ufe0f',
  'half characters': '\ud800',
  'carriage returns': '\r',
};

for (const [name, piece] of Object.entries(WORST)) {
  const text = piece.repeat(Math.ceil(SIZE / piece.length));
  const times = Array.from({ length: ROUNDS }, () => measure(text)).sort((a, b) => a - b);
  const median = times[Math.floor(ROUNDS / 2)] ?? 0;
  process.stdout.write(`sanitise 64 KB, ${name}: ${median.toFixed(2)} ms (median of ${ROUNDS})\n`);
}

function measure(text: string): number {
  const started = performance.now();
  sanitiseText(text);
  return performance.now() - started;
}
