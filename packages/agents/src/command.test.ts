import { createCommandAgent } from './command.js';
import { A_CHANGE, aRequest } from './testing/a-request.js';
import { type Bench, createBench } from './testing/bench.js';
import { findSandboxes } from './testing/sandboxes.js';

const { all } = await findSandboxes(process.env);

describe.each(all)('the command adapter in $name', ({ sandbox }) => {
  let bench: Bench;
  beforeEach(() => {
    bench = createBench(sandbox, process.env);
  });
  afterEach(() => bench.remove());

  it('hands over the whole request and brings back session, output and usage', async () => {
    const agent = bench.agent(`
      const request = read();
      fs.writeFileSync('seen.json', JSON.stringify(request));
      answer({ heard: request }, { usage: { input_tokens: 3, output_tokens: 4, cost_usd: 0.5 } });`);
    const request = aRequest('bugfix_start');
    const events: string[] = [];
    const run = await agent.runTurn(
      request,
      bench.place({ onEvent: (event) => void events.push(event.kind) }),
    );
    expect(run).toEqual({
      kind: 'answered',
      threadId: 'thread-1',
      output: { heard: request },
      usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
    });
    expect(events).toEqual(['started']);
  });

  it.each<[string, string, string, RegExp]>([
    ['no answer', `read();`, 'invalid-output', /printed no answer/],
    ['words', `console.log('done!');`, 'invalid-output', /not exactly one JSON value/],
    ['two answers', `read(); answer({}); answer({});`, 'invalid-output', /not exactly one JSON value/],
    ['half an answer', `process.stdout.write('{"session":');`, 'invalid-output', /not exactly one JSON/],
    ['a bare output', `console.log('{"pr_title":"x"}');`, 'invalid-output', /session/],
    ['more than the contract', `answer({}, { commands: ['rm'] });`, 'invalid-output', /Unrecognized key/],
    [
      'a failure',
      `console.error('out of paper'); process.exit(3);`,
      'crashed',
      /code 3; it said: out of paper/,
    ],
    ['its own death', `process.kill(process.pid, 'SIGKILL'); forever();`, 'killed', /SIGKILL|signal 9/],
  ])('tells %s apart', async (_name, lines, failure, message) => {
    const run = await bench.agent(lines).runTurn(aRequest('bugfix_start'), bench.place());
    expect(run).toMatchObject({ kind: 'failed', failure, message: expect.stringMatching(message) });
  });

  it('survives an answer that is nested a million times', async () => {
    const agent = bench.agent(`
      const depth = 1e6;
      process.stdout.write('{"session":{"thread_id":null},"output":' + '['.repeat(depth) + ']'.repeat(depth) + '}');`);
    const run = await agent.runTurn(aRequest('review'), bench.place());
    expect(run).toMatchObject({ kind: 'answered', threadId: null });
  });

  it('does not mind an agent that ends without reading 5 MB of request', async () => {
    const agent = bench.agent(`answer(${JSON.stringify(A_CHANGE)});`);
    const request = { ...aRequest('bugfix_start'), prompt: 'x'.repeat(5_000_000) };
    expect(await agent.runTurn(request, bench.place())).toMatchObject({ kind: 'answered', output: A_CHANGE });
  });

  it.each([['no-such-agent'], ['/no/such/agent'], ['./agent.sh']])(
    'says that %s cannot be started',
    async (program) => {
      const agent = createCommandAgent({ host: bench.host, argv: [program], limits: { wallMs: 5_000 } });
      const run = await agent.runTurn(aRequest('bugfix_start'), bench.place());
      expect(run).toMatchObject({ kind: 'failed', failure: 'not-installed' });
    },
  );
});
