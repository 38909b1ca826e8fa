import { A_CHANGE, aRequest } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { describeIn, findSandboxes } from '../testing/sandboxes.js';
import type { AgentEvent } from '../turn/agent.js';
import { createCommandAgent } from './command.js';

const { all } = await findSandboxes(process.env);

describeIn(all, 'the command adapter in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, { ...process.env, MODEL_KEY: 'canary-of-the-model' });
  });
  afterEach(() => bench.remove());

  it('passes the whole request, and returns the session, the output and the usage', async () => {
    const agent = bench.agent(`
      const request = read();
      fs.writeFileSync('seen.json', JSON.stringify(request));
      console.error(JSON.stringify({ progress: { usage: { input_tokens: 2, output_tokens: 1 } } }));
      answer({ received: request }, { usage: { input_tokens: 3, output_tokens: 4, cost_usd: 0.5 } });`);
    const request = aRequest('bugfix_start');
    const events: string[] = [];
    const run = await agent.runTurn(
      request,
      bench.turnContext({ onEvent: (event) => void events.push(event.kind) }),
    );
    expect(run).toEqual({
      kind: 'answered',
      threadId: 'thread-1',
      output: { received: request },
      usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
    });
    expect(events).toEqual(['started', 'usage', 'usage']);
  });

  it('reports the progress that the program prints on standard error, and keeps it out of the log', async () => {
    bench.host.passEnv = ['MODEL_KEY'];
    const agent = bench.agent(`
      const progress = (kind, text) => console.error(JSON.stringify({ progress: { kind, text } }));
      read();
      progress('run', 'npm test ' + process.env.MODEL_KEY);
      progress('wish', 'a kind that does not exist');
      progress('skip', 'only MergeXO skips');
      progress('say', '\\u001b[2J' + 'x'.repeat(70_000));
      process.stderr.write('a plain line\\n{"progress": {"kind": "re');
      process.stderr.write('ad", "text": "src/\\u00e9.ts"}}');
      process.exit(3);`);
    const events: AgentEvent[] = [];
    const run = await agent.runTurn(
      aRequest('bugfix_start'),
      bench.turnContext({ onEvent: (event) => void events.push(event) }),
    );
    expect(events.filter(({ kind }) => kind === 'progress')).toEqual([
      { kind: 'progress', step: 'run', text: 'npm test [redacted]' },
      { kind: 'progress', step: 'say', text: 'a kind that does not exist' },
      { kind: 'progress', step: 'say', text: 'only MergeXO skips' },
      { kind: 'progress', step: 'read', text: 'src/é.ts' },
    ]);
    expect(run).toMatchObject({ kind: 'failed', message: expect.stringContaining('a plain line') });
    expect(JSON.stringify(run)).not.toContain('npm test');
  });

  it.each<[string, string, string, RegExp]>([
    ['no answer', `read();`, 'invalid-output', /printed no answer/],
    ['plain text', `console.log('done!');`, 'invalid-output', /not exactly one JSON value/],
    ['two answers', `read(); answer({}); answer({});`, 'invalid-output', /not exactly one JSON value/],
    [
      'an incomplete answer',
      `process.stdout.write('{"session":');`,
      'invalid-output',
      /not exactly one JSON/,
    ],
    [
      'an output without the session envelope',
      `console.log('{"pr_title":"x"}');`,
      'invalid-output',
      /session/,
    ],
    [
      'an answer with an unknown key',
      `answer({}, { commands: ['rm'] });`,
      'invalid-output',
      /Unrecognized key/,
    ],
    [
      'a failure',
      `console.error('out of paper'); process.exit(3);`,
      'crashed',
      /code 3; its log ends with: out of paper/,
    ],
    [
      'a program that kills itself',
      `process.kill(process.pid, 'SIGKILL'); forever();`,
      'killed',
      /SIGKILL|signal 9/,
    ],
  ])('classifies %s', async (_name, lines, failure, message) => {
    const run = await bench.agent(lines).runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(run).toMatchObject({ kind: 'failed', failure, message: expect.stringMatching(message) });
  });

  it('reports a lost session, with the usage of the turn, if the agent reports a lost session', async () => {
    const lines = `console.log('{"error":"session_lost","usage":{"input_tokens":5,"output_tokens":0}}');`;
    const session = { adapter: 'command', thread_id: 'thread-0' };
    const request = { ...aRequest('bugfix_start'), session };
    expect(await bench.agent(lines).runTurn(request, bench.turnContext())).toEqual({
      kind: 'failed',
      failure: 'session-lost',
      message: expect.any(String),
      usage: { inputTokens: 5, outputTokens: 0, costUsd: 0 },
    });
  });

  it('logs the beginning of an answer that is not JSON, without secrets', async () => {
    const texts: string[] = [];
    const onEvent = (event: AgentEvent): void => void (event.kind === 'log' && texts.push(event.text));
    const token = `ghp_${'x7'.repeat(18)}`;
    const agent = bench.agent(`read(); console.log('Sure! ${token} ' + 'z'.repeat(5000));`);
    expect(await agent.runTurn(aRequest('bugfix_start'), bench.turnContext({ onEvent }))).toMatchObject({
      failure: 'invalid-output',
    });
    expect(texts.join('')).toMatch(/not a single JSON value\. It begins: Sure! .*z…$/);
    expect(texts.join('')).not.toContain(token);
    expect(texts.join('').length).toBeLessThan(300);
  });

  it.each<[string, string, RegExp]>([
    ['a `session_lost` error if the request has no session', `{"error":"session_lost"}`, /was given none/],
    ['an unknown error', `{"error":"tired"}`, /session/],
    ['a lost session and an answer', `{"error":"session_lost","output":{}}`, /session/],
  ])('does not report a lost session for %s', async (_name, text, message) => {
    const run = await bench
      .agent(`console.log(${JSON.stringify(text)});`)
      .runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(run).toMatchObject({ failure: 'invalid-output', message: expect.stringMatching(message) });
  });

  it.each<[string, string, string]>([
    ['cannot be used', `answer({}, { extra: 1, usage });`, 'invalid-output'],
    ['is followed by a non-zero exit', `answer({}, { usage }); process.exitCode = 3;`, 'crashed'],
    ['is followed by a long silence', `answer({}, { usage }); forever();`, 'silent'],
  ])('counts the usage of an answer that %s', async (_name, lines, failure) => {
    const usage = `const usage = { input_tokens: 3, output_tokens: 4, cost_usd: 0.5 };`;
    const agent = bench.agent(`${usage}\n${lines}`, { silenceMs: 2_000 });
    expect(await agent.runTurn(aRequest('bugfix_start'), bench.turnContext())).toMatchObject({
      failure,
      usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
    });
  });

  it.each<[string, string, object]>([
    ['text', `'much'`, {}],
    ['a negative count', `{ input_tokens: -3, output_tokens: 4 }`, { outputTokens: 4 }],
    ['only a cost', `{ cost_usd: 0.5 }`, { costUsd: 0.5 }],
    [
      'valid but has an unknown key',
      `{ input_tokens: 3, output_tokens: 4, cached: 2 }`,
      { inputTokens: 3, outputTokens: 4 },
    ],
  ])('accepts an answer if its usage is %s, and logs the problem', async (_name, usage, counted) => {
    const agent = bench.agent(`read(); answer(${JSON.stringify(A_CHANGE)}, { usage: ${usage} });`);
    const texts: string[] = [];
    const onEvent = (event: AgentEvent): void => void (event.kind === 'log' && texts.push(event.text));
    const run = await agent.runTurn(aRequest('bugfix_start'), bench.turnContext({ onEvent }));
    const none = { inputTokens: 0, outputTokens: 0, costUsd: 0 };
    expect(run).toMatchObject({ kind: 'answered', output: A_CHANGE, usage: { ...none, ...counted } });
    expect(texts.join()).toContain('MergeXO ignores invalid usage figures in the answer: usage');
  });

  it('keeps the message short and printable for any invalid answer', async () => {
    const lines = `const keys = Array.from({ length: 50_000 }, (_, i) => ['\\u001b[31m' + i, 1]);
      answer({}, Object.fromEntries(keys));`;
    const run = await bench.agent(lines).runTurn(aRequest('bugfix_start'), bench.turnContext());
    if (run.kind !== 'failed') throw new Error(run.kind);
    expect(run.message.length).toBeLessThan(500);
    expect(run.message).not.toContain('\u001b');
  });

  it("reports the agent's log in whole characters, without keys and colours, and quotes the log in the failure", async () => {
    bench = createBench(sandbox, { ...process.env, MODEL_KEY: 'canary-of-the-model' });
    bench.host.passEnv = ['MODEL_KEY'];
    const lines = `const text = Buffer.from('\\u001b[31m€ ' + process.env.MODEL_KEY + ' ghp_' + 'a'.repeat(36));
      fs.writeSync(2, text.subarray(0, 6));
      await new Promise((resolve) => setTimeout(resolve, 300));
      fs.writeSync(2, text.subarray(6));
      process.exitCode = 1;`;
    const texts: string[] = [];
    const onEvent = (event: AgentEvent): void => void (event.kind === 'log' && texts.push(event.text));
    const run = await bench.agent(lines).runTurn(aRequest('bugfix_start'), bench.turnContext({ onEvent }));
    expect(texts.join('')).toBe('€ [redacted] [redacted]');
    expect(run).toMatchObject({
      message: 'the agent exited with code 1; its log ends with: € [redacted] [redacted]',
    });
  });

  it('reports that a program with a very long argument cannot be started', async () => {
    const argv = [...bench.script('answer({});'), 'x'.repeat(3_000_000)] as const;
    const [program, ...args] = argv;
    const agent = createCommandAgent({
      host: bench.host,
      argv: [program, ...args],
      limits: { wallMs: 5_000 },
    });
    const run = await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(run).toMatchObject({
      kind: 'failed',
      failure: 'not-installed',
      message: expect.stringContaining('E2BIG'),
    });
  });

  it('survives an answer that is nested a million levels deep', async () => {
    const agent = bench.agent(`
      const depth = 1e6;
      process.stdout.write('{"session":{"thread_id":null},"output":' + '['.repeat(depth) + ']'.repeat(depth) + '}');`);
    const run = await agent.runTurn(aRequest('review'), bench.turnContext());
    expect(run).toMatchObject({ kind: 'answered', threadId: null });
  });

  it('accepts an agent that ends without reading a request of 5 MB', async () => {
    const agent = bench.agent(`answer(${JSON.stringify(A_CHANGE)});`);
    const request = { ...aRequest('bugfix_start'), prompt: 'x'.repeat(5_000_000) };
    expect(await agent.runTurn(request, bench.turnContext())).toMatchObject({
      kind: 'answered',
      output: A_CHANGE,
    });
  });

  it.each([['no-such-agent'], ['/no/such/agent'], ['./agent.sh']])(
    'reports that %s cannot be started',
    async (program) => {
      const agent = createCommandAgent({ host: bench.host, argv: [program], limits: { wallMs: 5_000 } });
      const run = await agent.runTurn(aRequest('bugfix_start'), bench.turnContext());
      expect(run).toMatchObject({ kind: 'failed', failure: 'not-installed' });
    },
  );
});
