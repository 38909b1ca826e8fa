import { measureGrowth } from '@mergexo/testkit';
import { parseCommand, parseStartCommand } from '../commands/index.js';
import { parseFrontmatter, readAcceptanceCriteria } from '../frontmatter/index.js';
import { looksSigned, parseDesignLine, verifyBody } from '../outbox/index.js';
import { containText } from '../review/contain-text.js';
import { readPatch, removeResult } from '../review/index.js';
import { parseRunName, renderDesignDocument } from '../runs/index.js';
import { sanitiseLine, sanitiseOutput, sanitiseText } from '../sanitise/sanitise-text.js';
import { toReadable } from '../timeline/index.js';
import { buildSlug, createRedact, neutraliseLine, neutraliseMarkdown, quoteName } from './index.js';

const redact = createRedact(['s3cr3t-value-of-an-operator']);
const place = { repoId: 1, thread: '1' };
const keys = { current: 'k'.repeat(64), older: [] };
const document = {
  issueNumber: 1,
  issueUrl: 'https://github.com/o/n/issues/1',
  title: 'Title',
  summary: 'Summary',
  touchPaths: ['src'],
  dependsOn: [],
  priority: 1,
  estimatedSize: 'M',
  generatedAt: '2026-01-01T00:00:00Z',
};

/** Functions that read text from an issue, a comment, an agent, a file or GitHub. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  redaction: redact,
  'the text sanitiser': sanitiseText,
  'the output sanitiser': sanitiseOutput,
  'the line sanitiser': sanitiseLine,
  'the Markdown neutraliser': neutraliseMarkdown,
  'the line neutraliser': neutraliseLine,
  'the command parser': (text) => parseCommand(text),
  'the command parser below other text': (text) => parseCommand(`${text}\n\n/mergexo status`),
  'the start command parser': (text) => parseStartCommand(text),
  'the frontmatter parser': (text) => parseFrontmatter(`---\n${text}\n---\n${text}`),
  'the acceptance criteria reader': (text) => readAcceptanceCriteria(`# Done when\n${text}\n* [ ] ${text}`),
  'the design document': (text) => renderDesignDocument({ ...document, markdown: text }),
  'the design line parser': (text) => parseDesignLine(text),
  'the signature check': (text) => [looksSigned(text), verifyBody(text, place, keys)],
  'the patch reader': (text) => readPatch(text),
  'the review text': (text) => containText(text, redact, 100_000),
  'the result block reader': removeResult,
  'the timeline': toReadable,
  'the branch name': (text) => [buildSlug(text), parseRunName(text)],
  'the file name quoting': quoteName,
};

/** Starts of constructs that never end. Each test repeats one of them. */
const FILLERS = [
  '(',
  '[](',
  '<!--',
  '<!-- mergexo-meta:--> ',
  '```\n',
  '`',
  '\n',
  '\r',
  ' ',
  ' \u2028',
  '> ',
  '* [ ] ',
  '# (',
  '@a',
  'fixes #',
  '/mergexo ',
  '_Issue: #0',
  '<details>',
  '</a b="',
  '---\n',
  'eyJ-',
  'a://b:',
  'authorization: ',
  '-----BEGIN PRIVATE KEY-----',
  '\u200b',
  '\u{1f468}\u200d',
  '@@ -1 +1 @@\n',
  'a.',
  '0',
  '%e',
  '\\u00',
];

const SIZES = { from: 8_192, to: 65_536 };
/** Below this CPU time, the test ignores growth: the time is too short to measure or to stall a poller. */
const NEGLIGIBLE_MICROSECONDS = 15_000;

function growthOf(reader: (text: string) => unknown, filler: string): number {
  const build = (size: number): string => `${filler.repeat(size / filler.length)}\u2028!`;
  const before = process.cpuUsage();
  reader(build(SIZES.to));
  const { user, system } = process.cpuUsage(before);
  if (user + system < NEGLIGIBLE_MICROSECONDS) return 0;
  return measureGrowth((size) => void reader(build(size)), SIZES);
}

describe.each(Object.entries(READERS))('%s', (_name, reader) => {
  it.each(FILLERS)('takes linear time on repeated %j', (filler) => {
    expect(growthOf(reader, filler)).toBeLessThan(1.6);
  });
});

/** Short texts that a Markdown parser turns into many tokens, or that make it compare many lines. */
const COSTLY: Readonly<Record<string, string>> = {
  tables: `${'|a'.repeat(256)}\n${'|-'.repeat(256)}\n${'|\n'.repeat(256)}\n`.repeat(42),
  'tables in quotes': `> ${'|a'.repeat(256)}\n> ${'|-'.repeat(256)}\n${'> |\n'.repeat(256)}\n`.repeat(30),
  'tables in lists': `1. ${'|a'.repeat(256)}\n   ${'|-'.repeat(256)}\n${'   |\n'.repeat(256)}\n`.repeat(30),
  'lines below deep quotes': `<b>x\n\n${'>'.repeat(98)}a\n${'b\n'.repeat(32_000)}`,
  'different lines': Array.from({ length: 16_000 }, (_, at) => at.toString(36)).join('\n'),
  'different lines with code': Array.from({ length: 8_000 }, (_, at) => `${at.toString(36)} \`x\``).join(
    '\n',
  ),
  'lines with many marks': `${'a* '.repeat(200)}\`x\`\n`.repeat(100),
  'open tags above paragraphs': `${'<b>'.repeat(49)}\n\n${'a\n\n'.repeat(21_000)}`,
  'open tags above HTML': `${'<b>'.repeat(49)}\n\n${'<i></i>\n\n'.repeat(7_000)}`,
};

describe.each(Object.entries(COSTLY))('64 KB of %s', (_name, text) => {
  it.each([
    ['command parser', (hostile: string) => parseCommand(`${hostile}\n\n/mergexo status`)],
    ['Markdown neutraliser', (hostile: string) => neutraliseMarkdown(`${hostile}\n\n<div title="`)],
  ])('keeps the %s busy for less than a second', (_reader, read) => {
    const before = process.cpuUsage();
    read(text);
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(1_000_000);
  });
});
