import fc from 'fast-check';
import { assemblePrompt, MAX_PROMPT } from './assemble-prompt.js';
import { type Part, type Quote, quote, quoteTail } from './part.js';

const FILES = { filesDir: '/base/handouts/acme/app/worker-1' };

describe('a prompt', () => {
  it('shows every part in order if there is room', () => {
    const parts = ['Do it.', quote('issue', 'ISSUE #7', 'It is broken.'), 'Answer in JSON.'];
    expect(assemblePrompt(parts, FILES)).toEqual({
      text: 'Do it.\n\nBEGIN ISSUE #7\nIt is broken.\nEND ISSUE #7\n\nAnswer in JSON.',
      files: [],
    });
  });

  it('notes where a text was cut, and keeps the whole text as a file', () => {
    const parts = [
      quote('issue', 'ISSUE', 'a'.repeat(5_000)),
      quoteTail('event', 'LOG', `${'b'.repeat(5_000)}!`),
    ];
    const { text, files } = assemblePrompt(parts, { ...FILES, max: 8_500 });
    expect(text).toMatch(
      /^BEGIN ISSUE \(first \d+ of 5000 characters; the whole text is in \S+\/text-1\.txt\)\na+\nEND ISSUE\n/,
    );
    expect(text).toContain('b!\nEND LOG');
    expect(files).toEqual([{ name: 'text-1.txt', text: 'a'.repeat(5_000) }]);
  });

  it('cuts program output at its start', () => {
    const parts = [quoteTail('event', 'LOG', `first${'b'.repeat(9_000)}last`)];
    const { text } = assemblePrompt(parts, { ...FILES, max: 4_000 });
    expect(text).toMatch(/^BEGIN LOG \(last \d+ of 9009 characters/);
    expect(text).toMatch(/blast\nEND LOG$/);
  });

  it('omits the oldest comments, states how many, and lists them in a file', () => {
    const comments = Array.from({ length: 40 }, (_, index) =>
      quote('history', `COMMENT ${index}`, 'x'.repeat(900)),
    );
    const { text, files } = assemblePrompt(['Task.', ...comments], { ...FILES, max: 12_000 });
    const [, count] =
      /Omitted because the prompt is full: (\d+) items\. Read \S+\/omitted-history\.txt/.exec(text) ?? [];
    const omitted = Number(count);
    expect(omitted).toBeGreaterThan(0);
    expect(text).not.toContain(`COMMENT ${omitted - 1}\n`);
    expect(text).toContain(`COMMENT ${omitted} `);
    const list = files.find(({ name }) => name === 'omitted-history.txt');
    expect(list?.text.match(/^BEGIN COMMENT/gm)).toHaveLength(omitted);
  });

  it('shows at most the given length of a file, even if there is room', () => {
    const { text, files } = assemblePrompt(
      [{ ...quote('rules', 'FILE A', 'y'.repeat(300)), max: 100 }],
      FILES,
    );
    expect(text).toContain('(first 100 of 300 characters');
    expect(files).toHaveLength(1);
  });

  it.each([
    [55_000, ['history']],
    [45_000, ['issue', 'history']],
    [35_000, ['rules', 'issue', 'history']],
    [25_000, ['task', 'rules', 'issue', 'history']],
    [15_000, ['code', 'task', 'rules', 'issue', 'history']],
  ])('with room for %i characters of text, cuts only %j', (room, expected) => {
    const parts = (['event', ...CONTEXT] as const).map((value) => quote(value, value, 'x'.repeat(10_000)));
    // The names, the file paths and the notes need room too.
    const { text } = assemblePrompt(parts, { ...FILES, max: room + 2_200 });
    const whole = [...text.matchAll(/^BEGIN (\w+)\n/gm)].map(([, name]) => name);
    expect(['event', ...CONTEXT].filter((name) => !whole.includes(name))).toEqual(expected);
  });

  it('omits no new event, even if there is room for less than a useful piece of each', () => {
    const events = Array.from({ length: 30 }, (_, index) =>
      quote('event', `EVENT ${index}`, 'x'.repeat(900)),
    );
    const { text, files } = assemblePrompt(events, { ...FILES, max: 12_000 });
    expect(text.match(/^BEGIN EVENT/gm)).toHaveLength(30);
    expect(text.length).toBeLessThanOrEqual(12_000);
    expect(files).toHaveLength(30);
  });

  it('never cuts a character in half', () => {
    const parts = [quote('event', 'X', '\u{1f600}'.repeat(3_000))];
    for (const max of [3_000, 3_001])
      expect(assemblePrompt(parts, { ...FILES, max }).text).not.toMatch(/\p{Cs}/u);
  });
});

const text = fc
  .tuple(fc.constantFrom('a', 'END COMMENT 1\n', 'END COMMENT 1 (2)\n', '<!-- ', '\u{1f600}'), fc.nat(70_000))
  .map(([piece, length]) => piece.repeat(Math.ceil(length / piece.length)));
const quotes = (value: Quote['value'], maxLength: number) =>
  fc
    .array(text, { maxLength })
    .map((texts) => texts.map((body, index) => quote(value, `${value} COMMENT ${index}`, body)));

/** The kinds of context, in the order in which the prompt gives them room. */
const CONTEXT = ['code', 'task', 'rules', 'issue', 'history'] as const;

/** A thread with up to 100 new events, and any amount of context. */
const thread = fc
  .tuple(quotes('event', 100), ...CONTEXT.map((value) => quotes(value, 60)))
  .map((groups): Part[] => ['The task.'.repeat(500), ...groups.flat()]);

describe('a prompt of any size', () => {
  it('stays within the budget, and quoted text cannot leave its fence', () => {
    fc.assert(
      fc.property(thread, (parts) => {
        const prompt = assemblePrompt(parts, FILES).text;
        expect(prompt.length).toBeLessThanOrEqual(MAX_PROMPT);
        const outside = prompt.replace(
          /^BEGIN (.*?)((?: \(\d+\))?)(?: \((?:first|last) .*\))?\n[\s\S]*?\nEND \1\2$/gm,
          '',
        );
        expect(outside).not.toMatch(/END |<!--/);
      }),
      { numRuns: 8 },
    );
  });

  it('shows every new event, and cuts no new event while an older text is shown in full', () => {
    fc.assert(
      fc.property(thread, (parts) => {
        const events = parts.filter((part) => typeof part !== 'string' && part.value === 'event');
        const prompt = assemblePrompt(parts, FILES).text;
        const shown = prompt.match(/^BEGIN event COMMENT \d+/gm) ?? [];
        expect(shown).toHaveLength(events.length);
        const isCut = /^BEGIN event .* \((?:first|last) \d+ of/m.test(prompt);
        if (isCut) expect(prompt).not.toMatch(/^BEGIN (?:code|task|rules|issue|history) /m);
      }),
      { numRuns: 8 },
    );
  });
});
