import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedact } from '@mergexo/core/text';
import { aRequest, createTemporaryDirectory } from '@mergexo/testkit';
import { type Agent, NO_USAGE } from './agent.js';
import { withTurnLog } from './turn-log.js';

const redact = createRedact([]);
const now = () => new Date('2026-11-16T06:00:00Z');
const context = { cwd: '/slot', home: '/home', signal: new AbortController().signal };
const request = aRequest('bugfix_start');
const NAME = `${'a'.repeat(64)}-1.jsonl`;

function agentThatLogs(...texts: string[]): Agent {
  return {
    name: 'scripted',
    commands: { run: 'yes', hosts: [] },
    runTurn: async (_request, { onEvent }) => {
      for (const text of texts) onEvent?.({ kind: 'progress', step: 'say', text });
      return { kind: 'failed', failure: 'crashed', message: 'out of paper', usage: NO_USAGE };
    },
  };
}

describe('withTurnLog', () => {
  let dir: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: dir, remove } = createTemporaryDirectory());
  });
  afterEach(() => remove());

  it('writes events while the agent runs, and appends the events of a repair to the same file', async () => {
    const turns = join(dir, 'turns');
    const agent = withTurnLog(agentThatLogs('hello'), turns, { now, redact });
    const seen: string[] = [];
    await agent.runTurn(request, { ...context, onEvent: ({ kind }) => void seen.push(kind) });
    await agent.runTurn(request, context);
    expect(seen).toEqual(['progress']);
    const lines = readFileSync(join(turns, NAME), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const at = now().toISOString();
    const once = [
      { at, kind: 'asked', adapter: 'scripted', turn: 'bugfix_start' },
      { at, kind: 'progress', step: 'say', text: 'hello' },
      { at, kind: 'failed', failure: 'crashed', text: 'out of paper' },
    ];
    expect(lines).toEqual([...once, ...once]);
    expect(statSync(join(turns, NAME)).mode & 0o777).toBe(0o600);
  });

  it('limits the size of each log file', async () => {
    const texts = Array.from({ length: 5_000 }, () => 'x'.repeat(500));
    await withTurnLog(agentThatLogs(...texts), dir, { now, redact }).runTurn(request, context);
    expect(statSync(join(dir, NAME)).size).toBeLessThanOrEqual(1024 * 1024 + 20);
    expect(readFileSync(join(dir, NAME), 'utf8').trim().endsWith('{"kind":"cut"}')).toBe(true);
  });

  it('keeps the newest 200 log files', async () => {
    for (let i = 0; i < 205; i += 1) {
      writeFileSync(join(dir, `${i}.jsonl`), '');
      utimesSync(join(dir, `${i}.jsonl`), i, i);
    }
    await withTurnLog(agentThatLogs(), dir, { now, redact }).runTurn(request, context);
    const names = readdirSync(dir);
    expect(names).toHaveLength(200);
    expect(names).toContain(NAME);
    expect(names).not.toContain('5.jsonl');
    expect(names).toContain('6.jsonl');
  });

  it('does not fail the turn if the log cannot be written', async () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(await withTurnLog(agentThatLogs(), file, { now, redact }).runTurn(request, context)).toMatchObject(
      {
        failure: 'crashed',
      },
    );
  });
});
