import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_STEPS } from '@mergexo/core/agent';
import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { type CliBench, createCliBench } from '../testing/cli-bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent } from '../turn/agent.js';

const { all } = await findSandboxes(process.env);
const THREAD = '01a1e2f4-9dfc-7b52-8aba-afccf2ecca05';
const request = aRequest('bugfix_start');
const resumed = { ...request, session: { adapter: 'codex', thread_id: THREAD } };
const ANSWER = JSON.stringify(JSON.stringify(A_CHANGE));

describeIn(all, 'the codex adapter in $name', ({ sandbox }) => {
  let bench: Bench;
  let cli: CliBench;
  beforeEach(() => {
    bench = createBench(sandbox, { PATH: process.env['PATH'], MODEL_KEY: 'canary-of-the-model' });
    cli = createCliBench(bench);
  });
  afterEach(() => bench.remove());

  it('passes the prompt on standard input, and returns the thread, the answer and the usage', async () => {
    const agent = cli.codex(`fs.writeFileSync('seen.txt', prompt); codex(${ANSWER});`);
    expect(await agent.runTurn(request, bench.turnContext())).toEqual({
      kind: 'answered',
      threadId: THREAD,
      output: A_CHANGE,
      usage: { inputTokens: 100, outputTokens: 20, costUsd: 0 },
    });
    expect(readFileSync(join(bench.cwd, 'seen.txt'), 'utf8')).toBe(request.prompt);
  });

  it('passes every permission again when it resumes a thread', async () => {
    const agent = cli.codex(`fs.writeFileSync('args.json', JSON.stringify(args)); codex(${ANSWER});`);
    const seen = (): string[] => JSON.parse(readFileSync(join(bench.cwd, 'args.json'), 'utf8'));
    await agent.runTurn(request, bench.turnContext());
    const fresh = seen();
    await agent.runTurn(resumed, bench.turnContext());
    expect(fresh.slice(-1)).toEqual(['-']);
    expect(seen()).toEqual([...fresh.slice(0, -1), 'resume', THREAD, '-']);
    expect(fresh.join(' ')).toContain('--sandbox workspace-write --model model-1');
    for (const flag of ['--json', '--ignore-user-config', '--ignore-rules', 'approval_policy="never"']) {
      expect(fresh).toContain(flag);
    }
    expect(fresh.indexOf('--extra')).toBeLessThan(fresh.indexOf('--json'));
    expect(fresh.join(' ')).not.toContain('canary');
  });

  it('reports the usage of a turn as the difference from the thread’s earlier total', async () => {
    const turn = (input: number, output: number) =>
      cli
        .codex(`codex(${ANSWER}, { input_tokens: ${input}, output_tokens: ${output} });`)
        .runTurn(resumed, bench.turnContext());
    expect(await turn(300, 60)).toMatchObject({ usage: { inputTokens: 300, outputTokens: 60 } });
    expect(await turn(400, 61)).toMatchObject({ usage: { inputTokens: 100, outputTokens: 1 } });
    // The total is lower than before, so the thread restarted and the whole total counts.
    expect(await turn(50, 5)).toMatchObject({ usage: { inputTokens: 50, outputTokens: 5 } });
  });

  it.each([
    ['free text', `codex('All done!');`, 'All done!'],
    [
      'nothing',
      'print({type:"thread.started",thread_id:THREAD},{type:"turn.completed",usage:{}});',
      undefined,
    ],
  ])(
    'returns %s as the answer, with the thread in which the agent can correct its answer',
    async (_what, lines, output) => {
      const run = await cli.codex(lines).runTurn(request, bench.turnContext());
      expect(run).toMatchObject({ kind: 'answered', threadId: THREAD });
      expect(run).toHaveProperty('output', output);
    },
  );

  it.each(['last', 'my-thread', '--last', `${THREAD}\n`, '../x', ''])(
    'rejects %j as a thread id, because Codex would silently start a new thread',
    async (thread_id) => {
      const agent = cli.codex(`fs.writeFileSync('begun', ''); codex(${ANSWER});`);
      const session = { adapter: 'codex', thread_id };
      expect(await agent.runTurn({ ...request, session }, bench.turnContext())).toMatchObject({
        failure: 'session-lost',
      });
      expect(existsSync(join(bench.cwd, 'begun'))).toBe(false);
    },
  );

  it.each<[string, string, object]>([
    [
      'an unknown thread',
      `console.error('Error: thread/resume: thread/resume failed: no rollout found for thread id ' + THREAD + ' (code -32600)'); process.exitCode = 1;`,
      { failure: 'session-lost' },
    ],
    [
      'a usage error',
      `console.error("error: unexpected argument '--extra' found"); process.exitCode = 2;`,
      { failure: 'crashed', message: expect.stringContaining("unexpected argument '--extra'") },
    ],
    [
      'a model at capacity',
      `codexFails('Selected model is at capacity. Please try a different model.');`,
      { failure: 'overloaded' },
    ],
    [
      'a failure with exit code 0',
      `print({type:'thread.started',thread_id:THREAD}); codexFails('Quota exceeded. Check your plan and billing details.'); process.exitCode = 0;`,
      { failure: 'usage-limit' },
    ],
    [
      'a program that kills itself',
      `process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);`,
      { failure: 'killed' },
    ],
    [
      'an answer before a failure',
      `codex(${ANSWER}); process.exitCode = 1;`,
      { failure: 'crashed', usage: { inputTokens: 100, outputTokens: 20, costUsd: 0 } },
    ],
    [
      'lines that are not JSON',
      `console.log('[1,'); console.log('null'); console.log('7'); process.exitCode = 1;`,
      { failure: 'crashed' },
    ],
    [
      'fields of other types',
      `print({type:'turn.completed',usage:7},{type:'item.completed',item:[]},{type:'turn.failed'},{type:7}); process.exitCode = 1;`,
      { failure: 'crashed' },
    ],
  ])('classifies %s', async (_name, lines, expected) => {
    expect(await cli.codex(lines).runTurn(resumed, bench.turnContext())).toMatchObject({
      kind: 'failed',
      ...expected,
    });
  });

  it('ends the program if it is silent or runs for too long', async () => {
    const forever = 'setInterval(() => {}, 1000);';
    const silent = cli.codex(`print({type:'turn.started'}); ${forever}`, { silenceMs: 1_500 });
    expect(await silent.runTurn(request, bench.turnContext())).toMatchObject({ failure: 'silent' });
    const slow = cli.codex(`setInterval(() => print({type:'turn.started'}), 100);`, { wallMs: 1_500 });
    expect(await slow.runTurn(request, bench.turnContext())).toMatchObject({ failure: 'timed-out' });
  });

  it('reports that Codex is not installed, and how to install it', async () => {
    const agent = cli.codex('');
    bench.host.env = { PATH: '/nowhere' };
    const { createCodexAgent } = await import('./codex.js');
    const missing = createCodexAgent({
      host: bench.host,
      limits: { wallMs: 5_000 },
      binary: 'codex',
      profile: undefined,
      hosts: [],
      sandbox: 'workspace-write',
      extraArgs: [],
      modelOf: () => undefined,
      userHome: cli.userHome,
      now: () => new Date(),
    });
    expect(agent.name).toBe('codex');
    expect(await missing.runTurn(request, bench.turnContext())).toMatchObject({
      failure: 'not-installed',
      message: expect.stringContaining('npm install -g @openai/codex'),
    });
  });

  it('reports its usage while it runs, as far as Codex has recorded it for the thread', async () => {
    const record = `
      const day = process.env.CODEX_HOME + '/sessions/2026/11/19';
      const path = day + '/rollout-2026-11-19T03-25-45-' + THREAD + '.jsonl';
      const count = (input, output) => JSON.stringify({ type: 'event_msg', payload: { type: 'token_count', info: {
        total_token_usage: { input_tokens: input, cached_input_tokens: 5, output_tokens: output } } } }) + '\\n';
      const seen = async (text) => { while (!fs.existsSync('seen-' + text)) await new Promise((resolve) => setTimeout(resolve, 20)); };
      const item = (text) => { print({ type: 'item.completed', item: { type: 'reasoning', text } }); return seen(text); };
      fs.mkdirSync(day, { recursive: true });`;
    const run = async (lines: string): Promise<number[][]> => {
      const used: number[][] = [];
      const onEvent = (event: AgentEvent): void => {
        if (event.kind === 'usage') used.push([event.usage.inputTokens, event.usage.outputTokens]);
        // The program waits for these files, so that the adapter reads each of its records.
        if (event.kind === 'progress') writeFileSync(join(bench.cwd, `seen-${event.text}`), '');
      };
      await cli.codex(record + lines).runTurn(resumed, bench.turnContext({ onEvent }));
      return used;
    };
    const first = await run(`
      print({ type: 'thread.started', thread_id: THREAD }); await item('a');
      fs.writeFileSync(path, 'x'.repeat(100000) + '\\n' + count(100, 10) + '{"token_count"\\n'); await item('b'); await item('c');
      fs.appendFileSync(path, count(200, 20) + 'y'.repeat(3000) + '\\n'); await item('d'); await item('e');
      fs.appendFileSync(path, count(300, 30));
      codex(${ANSWER}, { input_tokens: 300, output_tokens: 30 });`);
    expect(first).toEqual([
      [100, 10],
      [200, 20],
      [300, 30],
    ]);
    // The next turn of the thread counts from there.
    const second = await run(`
      print({ type: 'thread.started', thread_id: THREAD });
      await item('f'); fs.appendFileSync(path, count(450, 31)); await item('g'); await item('h');
      codex(${ANSWER}, { input_tokens: 460, output_tokens: 32 });`);
    expect(second).toEqual([
      [150, 1],
      [160, 2],
    ]);
    const linked = await run(`
      fs.rmSync(path, { force: true }); fs.writeFileSync(day + '/other', count(900, 90)); fs.symlinkSync(day + '/other', path);
      print({ type: 'thread.started', thread_id: THREAD }); await item('i'); await item('j');
      codex(${ANSWER}, { input_tokens: 560, output_tokens: 42 });`);
    expect(linked).toEqual([[100, 10]]);
  });

  it('reports progress in a few short texts without keys', async () => {
    bench.host.passEnv = ['MODEL_KEY'];
    const agent = cli.codex(`
      print({ type: 'item.started', item: { type: 'command_execution', command: 'echo ' + process.env.MODEL_KEY } },
        { type: 'item.completed', item: { type: 'command_execution', command: 'ls', exit_code: 2, aggregated_output: 'x' } },
        { type: 'item.completed', item: { type: 'command_execution', command: 'true', exit_code: 0 } },
        { type: 'item.completed', item: { type: 'file_change', changes: [{ path: '/slot/a.ts', kind: 'update' }] } },
        { type: 'item.completed', item: { type: 'reasoning', text: '\\u001b[31mhm' + 'x'.repeat(1e6) } },
        { type: 'error', message: 'Reconnecting... 1/5' });
      for (let i = 0; i < 6000; i++) print({ type: 'item.started', item: { type: 'todo_list' } });
      codex(${ANSWER});`);
    const events: AgentEvent[] = [];
    await agent.runTurn(request, bench.turnContext({ onEvent: (event) => void events.push(event) }));
    const progress = events.filter(({ kind }) => kind === 'progress');
    expect(progress.slice(0, 3)).toEqual([
      { kind: 'progress', step: 'run', text: 'echo [redacted]' },
      { kind: 'progress', step: 'run', text: 'exit 2: ls' },
      { kind: 'progress', step: 'edit', text: 'update /slot/a.ts' },
    ]);
    expect(progress[3]).toMatchObject({ step: 'think', text: expect.stringMatching(/^hmx{497}…$/) });
    expect(progress[4]).toEqual({ kind: 'progress', step: 'trouble', text: 'Reconnecting... 1/5' });
    expect(progress).toHaveLength(MAX_STEPS);
  });

  const login = (more: object = {}) =>
    JSON.stringify({
      OPENAI_API_KEY: null,
      tokens: {
        id_token: 'id-token-of-the-user',
        refresh_token: 'refresh-token-1-of-the-user',
        account_id: 'account-1',
      },
      last_refresh: '2026-11-01T00:00:00Z',
      ...more,
    });
  const refreshed = login({
    tokens: { id_token: 'id-token-2', refresh_token: 'refresh-token-2', account_id: 'account-1' },
    last_refresh: '2026-11-15T00:00:00Z',
  });
  const inHome = () => join(bench.home, 'codex', 'auth.json');
  const ofUser = () => join(cli.userHome, 'auth.json');

  it('copies the user’s login into the agent’s home only for the turn', async () => {
    writeFileSync(ofUser(), login());
    const agent = cli.codex(`
      const path = process.env.CODEX_HOME + '/auth.json';
      codex(JSON.stringify({ mode: (fs.statSync(path).mode & 0o777).toString(8), text: fs.readFileSync(path, 'utf8') }));`);
    const run = await agent.runTurn(request, bench.turnContext());
    expect(run).toMatchObject({
      output: { mode: '600', text: expect.stringContaining('"refresh_token":"[redacted]"') },
    });
    // Dates are not redacted, because they are common in documents.
    expect(run).toMatchObject({ output: { text: expect.stringContaining('2026-11-01T00:00:00Z') } });
    expect(existsSync(inHome())).toBe(false);
    expect(readFileSync(ofUser(), 'utf8')).toBe(login());
  });

  it.each<[string, string, string]>([
    ['a refreshed login', refreshed, refreshed],
    ['another account’s login', refreshed.replace('account-1', 'account-2'), login()],
    ['an older login', refreshed.replace('2026-11-15', '2026-10-01'), login()],
    ['a login with an added API key', refreshed.replace('null', '"sk-planted"'), login()],
    ['a login that is not JSON', '{', login()],
  ])('saves only a refresh of the same login: %s', async (_what, returned, expected) => {
    writeFileSync(ofUser(), login());
    const agent = cli.codex(
      `fs.writeFileSync(process.env.CODEX_HOME + '/auth.json', ${JSON.stringify(returned)}); codex(${ANSWER});`,
    );
    await agent.runTurn(request, bench.turnContext());
    expect(readFileSync(ofUser(), 'utf8')).toBe(expected);
    expect(existsSync(inHome())).toBe(false);
  });

  it('does not follow links that an agent left in its home', async () => {
    writeFileSync(ofUser(), login());
    const precious = join(bench.dir, 'precious');
    mkdirSync(precious);
    writeFileSync(join(precious, 'auth.json'), 'precious');
    symlinkSync(precious, join(bench.home, 'codex'));
    await cli.codex(`codex(${ANSWER});`).runTurn(request, bench.turnContext());
    symlinkSync(join(precious, 'auth.json'), inHome());
    await cli.codex(`codex(${ANSWER});`).runTurn(request, bench.turnContext());
    expect(readFileSync(join(precious, 'auth.json'), 'utf8')).toBe('precious');
  });

  it('uses an API key instead of the login, and passes the key in the variable that Codex reads', async () => {
    writeFileSync(ofUser(), login());
    bench.host.env = { ...bench.host.env, OPENAI_API_KEY: 'sk-key-of-the-operator' };
    bench.host.passEnv = ['OPENAI_API_KEY'];
    const agent = cli.codex(`codex(JSON.stringify([
      fs.existsSync(process.env.CODEX_HOME + '/auth.json'), process.env.CODEX_API_KEY?.length]));`);
    expect(await agent.runTurn(request, bench.turnContext())).toMatchObject({ output: [false, 22] });
  });
});
