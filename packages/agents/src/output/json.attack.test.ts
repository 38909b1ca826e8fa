import { readCodexEvents } from '../codex/codex-events.js';
import { readJsonLines } from './json.js';

/** A pipe delivers up to this many bytes at once. */
const CHUNK_BYTES = 65_536;
/** CPU time, which other programs do not affect. Parsing every line takes several times as long. */
const MAX_CPU_MS = 400;

describe('an agent that floods its output with lines', () => {
  it.each([
    ['blank lines', ''],
    ['lines of one space', ' '],
    ['lines of one letter', 'x'],
    ['opened objects', '{'],
    ['empty objects', '{}'],
    ['empty lists', '[]'],
    ['numbers', '1'],
    ['objects without a type', '{"a":1}'],
  ])('does not stall the worker with %s', (_name, line) => {
    const events = readCodexEvents();
    const sink = readJsonLines((value) => events.onLine(value, () => {}));
    const chunk = Buffer.from(`${line}\n`.repeat(CHUNK_BYTES / (line.length + 1)));
    const before = process.cpuUsage();
    for (let chunks = 0; chunks < 4; chunks += 1) expect(sink(chunk)).toBe(true);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MAX_CPU_MS);
  });

  it('is stopped if thousands of its lines are broken events', () => {
    const sink = readJsonLines(() => {});
    expect(sink(Buffer.from('{"type"\n'.repeat(5_000)))).toBe(true);
    expect(sink(Buffer.from('{"type"\n'))).toBe(false);
  });

  it('cannot hide an event between other lines', () => {
    const seen: object[] = [];
    const sink = readJsonLines((value) => seen.push(value));
    for (const part of ['\n\n {"ty', 'pe":"a"}\r\n{\n\n', '{"type":"b"}\n']) sink(Buffer.from(part));
    expect(seen).toEqual([{ type: 'a' }, { type: 'b' }]);
  });
});
