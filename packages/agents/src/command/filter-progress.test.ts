import { filterProgress } from './filter-progress.js';

/** Reads the chunks, and returns the reported steps and the text that is left for the log. */
function read(...chunks: readonly (string | Buffer)[]) {
  const steps: string[] = [];
  const filter = filterProgress(
    (kind, text) => void steps.push(`${kind}: ${text}`),
    ({ inputTokens, outputTokens }) => void steps.push(`used ${inputTokens} and ${outputTokens}`),
  );
  const log = [...chunks.map((chunk) => filter.read(Buffer.from(chunk))), filter.end()].join('');
  return { steps, log };
}

const line = (text: string): string => JSON.stringify({ progress: { kind: 'run', text } });

describe('filterProgress', () => {
  it('takes progress out of the log, however it is split', () => {
    const text = `before\n${line('größer')}\nafter\n${line('last')}`;
    const bytes = Buffer.from(text);
    for (let at = 0; at <= bytes.length; at += 1)
      expect(read(bytes.subarray(0, at), bytes.subarray(at))).toEqual({
        steps: ['run: größer', 'run: last'],
        log: 'before\nafter\n',
      });
  });

  it.each([
    ['other JSON', '{"type":"progress"}\n'],
    ['progress that is not an object', '{"progress":"half"}\n'],
    ['progress without a text', '{"progress":{"kind":"run"}}\n'],
    ['a usage that is no object', '{"progress":{"usage":7}}\n'],
    ['broken JSON', '{"progress":{"kind":"run","text":"x"}\n'],
    ['text after the JSON', '{"progress":{"kind":"run","text":"x"}} and more\n'],
    ['a line that is too long', `{"progress":{"kind":"run","text":"${'x'.repeat(70_000)}"}}\n`],
    ['an unfinished line', '{"prog'],
    ['deeply nested JSON', `{"progress":${'['.repeat(20_000)}\n`],
  ])('leaves %s in the log', (_name, text) => {
    expect(read(text)).toEqual({ steps: [], log: text });
  });

  it('reads the usage so far, and counts an unreadable number as zero', () => {
    const usage = { input_tokens: 1_200, output_tokens: 'many' };
    expect(read(`${JSON.stringify({ progress: { usage } })}\n`)).toEqual({
      steps: ['used 1200 and 0'],
      log: '',
    });
  });

  it('reads blanks as JSON does', () => {
    expect(read('  { "progress" : { "kind" : "say" , "text" : "hi" } }\r\n').steps).toEqual(['say: hi']);
  });
});
