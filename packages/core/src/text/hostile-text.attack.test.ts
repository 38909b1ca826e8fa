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
  'the redaction': redact,
  'the sanitiser of texts': sanitiseText,
  'the sanitiser of output': sanitiseOutput,
  'the sanitiser of lines': sanitiseLine,
  'the neutraliser of Markdown': neutraliseMarkdown,
  'the neutraliser of lines': neutraliseLine,
  'the parser of commands': (text) => parseCommand(text),
  'the parser of start commands': (text) => parseStartCommand(text),
  'the parser of frontmatter': (text) => parseFrontmatter(`---\n${text}\n---\n${text}`),
  'the reader of acceptance criteria': (text) =>
    readAcceptanceCriteria(`# Done when\n${text}\n* [ ] ${text}`),
  'the design document': (text) => renderDesignDocument({ ...document, markdown: text }),
  'the parser of design lines': (text) => parseDesignLine(text),
  'the check of signatures': (text) => [looksSigned(text), verifyBody(text, place, keys)],
  'the reader of patches': (text) => readPatch(text),
  'the text of a review': (text) => containText(text, redact, 100_000),
  'the reader of result blocks': removeResult,
  'the timeline': toReadable,
  'the branch name': (text) => [buildSlug(text), parseRunName(text)],
  'the quoting of file names': quoteName,
};

/** Texts that repeat the start of something that never ends. */
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
/** CPU time below which the test does not measure growth: too short to measure, and too short to stall a poller. */
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
