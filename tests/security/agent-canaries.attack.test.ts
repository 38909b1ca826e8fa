import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAgents } from '@mergexo/agents';
import { createRedact } from '@mergexo/core/text';
import { aRequest, CANARIES, CANARY_ROWS, createTemporaryDirectory, findLeak } from '@mergexo/testkit';

/** Prints the canary in its home directory to standard error and standard output, and exits with an error. */
const AGENT = 'cat "$HOME/canary" >&2; cat "$HOME/canary"; exit 3';
const LANES = 8;

const directory = createTemporaryDirectory();
const redact = createRedact(Object.values(CANARIES));
const outlets = new Map<number, Record<string, string>>();
beforeAll(async () => {
  const left = [...CANARY_ROWS.entries()];
  const lane = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, { text }] = next;
      outlets.set(index, await runAgent(join(directory.path, String(index)), text));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
});
afterAll(() => directory.remove());

async function runAgent(home: string, text: string): Promise<Record<string, string>> {
  mkdirSync(home);
  writeFileSync(join(home, 'canary'), text);
  const agents = createAgents({
    host: { env: {}, passEnv: [], runsDir: join(home, 'runs'), readOnlyPaths: [], redact },
    sandbox: 'none',
    bubblewrap: { kind: 'unusable', reason: 'not in this test' },
    limits: { wallMs: 60_000, silenceMs: 60_000 },
    settings: { command: { argv: ['/bin/sh', '-c', AGENT] } },
    turnLogs: join(home, 'turns'),
  });
  const found = agents.find('command');
  if (found.kind === 'refused') throw new Error(found.reason);
  const { signal } = new AbortController();
  const ended = await found.agent.runTurn(aRequest('bugfix_start'), { cwd: home, home, signal });
  const [log = ''] = readdirSync(join(home, 'turns'));
  return {
    'the failure of an agent': JSON.stringify(ended),
    'the log of the turn': readFileSync(join(home, 'turns', log), 'utf8'),
  };
}

describe('the failure of an agent and the log of its turn', () => {
  it.each([...CANARY_ROWS.entries()].map(([index, row]) => ({ index, ...row })))(
    'contain no trace of $name $encoding',
    ({ index, secret, text }) => {
      const found = Object.entries(outlets.get(index) ?? {}).map(([name, shown]) => [
        name,
        findLeak(shown, { secret, text }),
        shown.includes('[redacted]'),
      ]);
      expect(found).toEqual([
        ['the failure of an agent', undefined, true],
        ['the log of the turn', undefined, true],
      ]);
    },
  );
});
