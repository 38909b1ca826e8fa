import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAgents } from '@mergexo/agents';
import { parseConfig } from '@mergexo/config';
import { AgentRequest, parseAgentOutput } from '@mergexo/core/agent';
import { QUESTION_KINDS, type QuestionKind } from '@mergexo/core/turns';
import { aRequest, createTemporaryDirectory, findOnPath, onlyWith } from '@mergexo/testkit';

const EXAMPLES = fileURLToPath(new URL('../examples/', import.meta.url));
const read = (path: string): string => readFileSync(join(EXAMPLES, path), 'utf8');

describe('the example configurations', () => {
  const files = readdirSync(EXAMPLES).filter((name) => name.endsWith('.toml'));
  const parse = (text: string) => parseConfig(text, { homeDir: '/home/you', redisPasswordGiven: true });

  it('are the three files that the README lists', () => {
    const linked = [...read('README.md').matchAll(/\]\(([\w-]+\.toml)\)/g)].map(([, name]) => name);
    expect(files.sort()).toEqual(linked.sort());
    expect(files).toHaveLength(3);
  });

  it.each(files)('%s is accepted by the real parser', (name) => {
    expect(parse(read(name)).repos.length).toBeGreaterThan(0);
  });

  it.each(files)('%s explains most of its keys', (name) => {
    const lines = read(name).split('\n');
    const comments = lines.filter((line) => line.startsWith('#'));
    expect(comments.length * 2).toBeGreaterThan(lines.filter((line) => / = /.test(line)).length);
  });

  it('would be rejected if a key were misspelled', () => {
    const text = read('home.toml');
    expect(() => parse(text.replace('worker_count', 'worker_cuont'))).toThrow(/worker_cuont/);
  });
});

const missing = (...programs: string[]): string | undefined => {
  const absent = programs.find((name) => findOnPath(name) === undefined);
  return absent === undefined ? undefined : `${absent} is not installed`;
};

const AGENTS = [
  { program: 'bash', script: 'agents/notes.sh', reason: missing('bash', 'jq') },
  { program: 'python3', script: 'agents/notes.py', reason: missing('python3') },
];

const WITHOUT_PLACE = {
  url: null,
  path: null,
  start_line: null,
  line: null,
  side: null,
  diff_hunk: null,
  suggestions: [],
  is_outdated: false,
  is_resolved: false,
  review_state: null,
};
const event = (id: number, kind: 'review' | 'issue') => ({
  key: `${kind}:${id}`,
  kind,
  id,
  author: 'ada',
  body: `Please correct ${id}`,
  ...WITHOUT_PLACE,
});

/** Creates a request that the protocol's schema accepts, so a worker could send it. */
function requestOf(kind: QuestionKind): AgentRequest {
  const request = aRequest(kind, { adapter: 'command' });
  const new_events = /feedback|fix|verify/.test(kind) ? [event(5, 'review'), event(6, 'issue')] : [];
  return AgentRequest.parse({ ...request, turn: { ...request.turn, new_events } });
}

describe.each(AGENTS)('the example agent $script', ({ program, script, reason }) => {
  const only = onlyWith(reason);
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let agent: { cwd: string; ask(kind: QuestionKind): Promise<unknown> };

  beforeEach(() => {
    directory = createTemporaryDirectory();
    const at = (name: string): string => join(directory.path, name);
    for (const name of ['checkout', 'home', 'runs']) mkdirSync(at(name));
    const found = createAgents({
      host: { env: process.env, passEnv: [], runsDir: at('runs'), readOnlyPaths: [], graceMs: 1_000 },
      sandbox: 'none',
      bubblewrap: { kind: 'unusable', reason: 'not needed' },
      limits: { wallMs: 60_000 },
      settings: { command: { argv: [program, join(EXAMPLES, script)] } },
    }).find('command');
    if (found.kind === 'refused') throw new Error(found.reason);
    const context = { cwd: at('checkout'), home: at('home'), signal: new AbortController().signal };
    agent = {
      cwd: context.cwd,
      ask: async (kind) => {
        const run = await found.agent.runTurn(requestOf(kind), context);
        if (run.kind === 'failed') throw new Error(run.message);
        return run.output;
      },
    };
  });
  afterEach(() => directory.remove());

  it('has fewer than 40 lines', () => {
    expect(read(script).trimEnd().split('\n').length).toBeLessThan(40);
  });

  for (const kind of QUESTION_KINDS) {
    only.it(`answers a ${kind} turn with valid output`, async () => {
      const output = await agent.ask(kind);
      expect(parseAgentOutput(kind, output)).toMatchObject({ kind: 'valid' });
    });
  }

  only.it('replies to each line comment by its id, and writes notes in the checkout', async () => {
    expect(await agent.ask('implementation_feedback')).toMatchObject({
      review_replies: [{ review_comment_id: 5 }],
      general_comment: expect.any(String),
    });
    const notes = readFileSync(join(agent.cwd, 'NOTES.md'), 'utf8');
    expect(notes).toContain('- Please correct 5\n- Please correct 6');
  });
});
