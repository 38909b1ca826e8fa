import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { type CliBench, createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent } from '../turn/agent.js';

const { all } = await findSandboxes(process.env);
const THREAD = '01a1e2f4-9dfc-7b52-8aba-afccf2ecca05';
const request = aRequest('bugfix_start');
const resumed = { ...request, session: { adapter: 'claude', thread_id: THREAD } };
const OUTPUT = JSON.stringify(A_CHANGE);

describeIn(all, 'the claude adapter in $name', ({ sandbox }) => {
  let bench: Bench;
  let cli: CliBench;
  beforeEach(() => {
    bench = createBench(sandbox, { PATH: process.env['PATH'] });
    cli = createCliBench(bench);
  });
  afterEach(() => bench.remove());

  it('returns the session, the answer and the usage', async () => {
    const agent = cli.claude(`claude({ structured_output: ${OUTPUT} });`);
    expect(await agent.runTurn(request, bench.turnContext())).toEqual({
      kind: 'answered',
      threadId: THREAD,
      output: A_CHANGE,
      usage: { inputTokens: 115, outputTokens: 20, costUsd: 0.5, cachedTokens: 10 },
    });
  });

  it('passes every permission again when it resumes a session', async () => {
    const agent = cli.claude(
      `fs.writeFileSync('seen.json', JSON.stringify({ args, env: process.env })); claude({ structured_output: ${OUTPUT} });`,
    );
    const seen = () => JSON.parse(readFileSync(join(bench.cwd, 'seen.json'), 'utf8'));
    await agent.runTurn(request, bench.turnContext());
    const fresh = seen();
    await agent.runTurn(resumed, bench.turnContext());
    expect(fresh.args.at(-2)).toBe('--session-id');
    expect(seen().args).toEqual([...fresh.args.slice(0, -2), '--resume', THREAD]);
    for (const flag of ['--setting-sources=', '--strict-mcp-config', '--verbose', 'acceptEdits']) {
      expect(fresh.args).toContain(flag);
    }
    expect(fresh.env).toMatchObject({
      CLAUDE_CONFIG_DIR: join(bench.home, 'claude'),
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    });
  });

  it('reports the cost of a turn as the difference from the session’s earlier total', async () => {
    const turn = (cost: number) =>
      cli
        .claude(`claude({ structured_output: ${OUTPUT}, total_cost_usd: ${cost} });`)
        .runTurn(resumed, bench.turnContext());
    expect(await turn(0.5)).toMatchObject({ usage: { costUsd: 0.5, inputTokens: 115 } });
    expect(await turn(0.75)).toMatchObject({ usage: { costUsd: 0.25, inputTokens: 115 } });
  });

  it.each<[string, string, unknown]>([
    ['free text', `claude({ result: 'All done!' });`, 'All done!'],
    ['JSON as text', `claude({ result: '{"a":1}' });`, { a: 1 }],
    [
      'an answer that never matched the schema',
      `claude({ subtype: 'error_max_structured_output_retries', is_error: true });`,
      undefined,
    ],
  ])(
    'returns %s, with the session in which the agent can correct its answer',
    async (_what, lines, output) => {
      const run = await cli.claude(lines).runTurn(request, bench.turnContext());
      expect(run).toMatchObject({ kind: 'answered', threadId: THREAD });
      expect(run).toHaveProperty('output', output);
    },
  );

  it.each<[string, string, object]>([
    [
      'a result from a program that was killed',
      `claude({ subtype: 'error_max_structured_output_retries', is_error: true, structured_output: ${OUTPUT} });
       process.exitCode = 137;`,
      { kind: 'failed' },
    ],
    [
      'an API error with the subtype success',
      `claude({ is_error: true, api_error_status: 500, result: 'API Error: 500' });`,
      { failure: 'overloaded', usage: { inputTokens: 115, outputTokens: 20, costUsd: 0.5 } },
    ],
    [
      'an unknown session',
      `console.error('No conversation found with session ID: ' + THREAD); process.exitCode = 1;`,
      { failure: 'session-lost' },
    ],
    [
      'an exit without a result',
      `console.error('out of paper'); process.exitCode = 1;`,
      { failure: 'crashed', message: expect.stringContaining('out of paper') },
    ],
    ['an exit with code 0 but no result', ``, { failure: 'crashed' }],
    [
      'a success with another exit code',
      `claude({ structured_output: ${OUTPUT} }); process.exitCode = 3;`,
      { failure: 'crashed' },
    ],
    ['an exit code for a signal', `process.exitCode = 143;`, { failure: 'killed' }],
  ])('classifies %s', async (_name, lines, expected) => {
    expect(await cli.claude(lines).runTurn(resumed, bench.turnContext())).toMatchObject({
      kind: 'failed',
      ...expected,
    });
  });

  it('reports progress', async () => {
    const agent = cli.claude(`
      const use = (name, input) => print({ type: 'assistant', message: { content: [{ type: 'tool_use', name, input }] } });
      use('Bash', { command: 'ls' }); use('Write', { file_path: process.cwd() + '/src/a.ts', content: 'x' }); use('Task', {});
      use('Read', { file_path: '/etc/hosts' }); use('Grep', { pattern: 'TODO', path: 'src' });
      use('WebFetch', { url: 'https://a.example' }); use('toString', {}); use('Bash', { command: 7 });
      print({ type: 'assistant', message: { content: [{ type: 'text', text: 'Two\\nlines\\u001b]0;title\\u0007' + 'x'.repeat(1e6) }] } });
      use('StructuredOutput', {});
      print({ type: 'system', subtype: 'permission_denied', message: 'no' },
        { type: 'system', subtype: 'api_retry', error: 'overloaded' });
      claude({ structured_output: ${OUTPUT} });`);
    const events: AgentEvent[] = [];
    await agent.runTurn(request, bench.turnContext({ onEvent: (event) => void events.push(event) }));
    expect(events.filter(({ kind }) => kind === 'progress')).toEqual([
      { kind: 'progress', step: 'run', text: 'ls' },
      { kind: 'progress', step: 'edit', text: 'src/a.ts' },
      { kind: 'progress', step: 'tool', text: 'Task' },
      { kind: 'progress', step: 'read', text: '/etc/hosts' },
      { kind: 'progress', step: 'read', text: 'TODO' },
      { kind: 'progress', step: 'tool', text: 'WebFetch https://a.example' },
      { kind: 'progress', step: 'tool', text: 'toString' },
      { kind: 'progress', step: 'run', text: 'Bash' },
      { kind: 'progress', step: 'say', text: expect.stringMatching(/^Two linesx{490}…$/) },
      { kind: 'progress', step: 'say', text: 'gives its answer' },
      { kind: 'progress', step: 'trouble', text: 'denied: no' },
      { kind: 'progress', step: 'trouble', text: 'retrying: overloaded' },
    ]);
    const usage = { inputTokens: 115, cachedTokens: 10, outputTokens: 20, costUsd: 0.5 };
    expect(events.filter(({ kind }) => kind === 'usage')).toEqual([{ kind: 'usage', usage }]);
  });

  it('reports its usage while it runs, whenever it has grown by a tenth', async () => {
    const agent = cli.claude(`
      const part = (event) => print({ type: 'stream_event', event, parent_tool_use_id: null });
      const message = (input, output) => {
        part({ type: 'message_start', message: { usage: { input_tokens: input, cache_read_input_tokens: 50, output_tokens: 1 } } });
        part({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '{' } });
        print({ type: 'assistant', message: { model: 'claude-9', content: [{ type: 'text', text: 'hm' }] } });
        part({ type: 'message_delta', delta: {}, usage: { output_tokens: output } });
        part({ type: 'message_delta', delta: {}, usage: { output_tokens: 'many' } });
      };
      message(10, 40); message(900, 100); message(0, 2); message(500, 3);
      claude({ structured_output: ${OUTPUT}, usage: { input_tokens: 1620, output_tokens: 150 } });`);
    const events: AgentEvent[] = [];
    await agent.runTurn(request, bench.turnContext({ onEvent: (event) => void events.push(event) }));
    const used = events.flatMap((event) => (event.kind === 'usage' ? [event.usage] : []));
    expect(
      used.map(({ inputTokens, cachedTokens, outputTokens }) => [inputTokens, cachedTokens, outputTokens]),
    ).toEqual([
      [60, 50, 1],
      [60, 50, 40],
      [1_010, 100, 41],
      [1_060, 150, 141],
      [1_610, 200, 143],
      [1_620, 0, 150],
    ]);
    expect(used.map(({ model }) => model)).toEqual([undefined, ...Array(5).fill('claude-9')]);
  });

  it('copies the user’s login into the agent’s home only for the turn, and saves a refreshed login', async () => {
    const login = (expiresAt: number, token: string) =>
      JSON.stringify({
        claudeAiOauth: { accessToken: token, refreshToken: `${token}-r`, expiresAt, subscriptionType: 'max' },
      });
    const ofUser = join(cli.userHome, '.credentials.json');
    writeFileSync(ofUser, login(1, 'token-of-the-user-1'));
    const fresh = login(2, 'token-of-the-user-2');
    await cli
      .claude(
        `fs.writeFileSync(process.env.CLAUDE_CONFIG_DIR + '/.credentials.json', ${JSON.stringify(fresh)});
         claude({ structured_output: ${OUTPUT} });`,
      )
      .runTurn(request, bench.turnContext());
    expect(readFileSync(ofUser, 'utf8')).toBe(fresh);
    expect(existsSync(join(bench.home, 'claude', '.credentials.json'))).toBe(false);
    // The worker must not push either token.
    expect(cli.loginTokens).toEqual(['token-of-the-user-1-r', 'token-of-the-user-2-r']);
  });
});
