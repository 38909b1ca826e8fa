import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRedact } from '@mergexo/core/text';
import { aRequest } from '@mergexo/testkit';
import { type Bench, createBench } from '../testing/bench.js';
import { type CliBench, createCliBench } from '../testing/cli-bench.js';

const PASSWORD = 'redis-canary-0123456789abcdef';
const LENT = 'access-token-of-the-user-1';
const LICENCE = 'Copyright 2026 Example Inc. All rights reserved.';
const login = (accessToken: unknown, expiresAt: number) => ({
  claudeAiOauth: { accessToken, refreshToken: `${accessToken}-r`, expiresAt, subscriptionType: 'max' },
});
const junk = (count: number) => Array.from({ length: count }, (_, at) => `junk-junk-junk-junk-${at}`);

describe('an agent that writes into its copy of the login', () => {
  const redact = createRedact([]);
  redact.learn([PASSWORD]);
  let bench: Bench;
  let cli: CliBench;
  beforeEach(() => {
    bench = createBench({ kind: 'none' }, { PATH: process.env['PATH'] });
    bench.host.redact = redact;
    cli = createCliBench(bench);
    writeFileSync(join(cli.userHome, '.credentials.json'), JSON.stringify(login(LENT, 1)), { mode: 0o600 });
  });
  afterEach(() => bench.remove());

  const run = (returned: string, mode: 'claude' | 'unguardedClaude' = 'unguardedClaude') =>
    cli[mode](
      `fs.writeFileSync(process.env.CLAUDE_CONFIG_DIR + '/.credentials.json', ${returned});
       claude({ structured_output: { summary: 'I saw ${LENT} and ' + ${JSON.stringify(LICENCE)} + ' ${PASSWORD}' } });`,
    ).runTurn(aRequest('bugfix_start'), bench.turnContext());
  const quote = (value: unknown): string => JSON.stringify(JSON.stringify(value));

  it.each([
    ['a refreshed login that its commands could write', 'unguardedClaude', login(LICENCE, 2)],
    ['a list in an unguarded login', 'unguardedClaude', [LICENCE]],
    ['a list in a guarded login', 'claude', [LICENCE]],
    ['a login that is not newer', 'claude', login(LICENCE, 1)],
    ['a login of another plan', 'claude', { claudeAiOauth: { accessToken: LICENCE, expiresAt: 2 } }],
  ] as const)(
    'cannot plant ordinary text as a secret that blocks pushes: %s',
    async (_name, mode, returned) => {
      await run(quote(returned), mode);
      expect(cli.loginTokens).toEqual([LENT, `${LENT}-r`]);
      expect(redact(LICENCE)).toBe(LICENCE);
    },
  );

  it.each([
    ['100 strings', quote(junk(100))],
    ['20,000 strings', quote(junk(20_000))],
    ['a deeply nested list', `'['.repeat(200_000) + ']'.repeat(200_000)`],
    ['text that is not JSON', `'{'`],
    ['a refreshed login', quote(login('access-token-of-the-user-2', 2))],
  ])('cannot make MergeXO forget a secret with %s', async (_name, returned) => {
    for (let turn = 0; turn < 2; turn += 1) {
      const { kind, ...rest } = await run(returned);
      expect(kind).toBe('answered');
      expect(JSON.stringify(rest)).not.toContain(LENT);
      expect(JSON.stringify(rest)).not.toContain(PASSWORD);
    }
    expect(redact(`${PASSWORD} ${LENT}`)).toBe('[redacted] [redacted]');
  });

  it("cannot replace the user's login with one from the future, which no refresh could ever replace", async () => {
    const path = join(cli.userHome, 'auth.json');
    const codexLogin = (token: string, refreshed: string) =>
      JSON.stringify({ tokens: { refresh_token: token, account_id: 'account-1' }, last_refresh: refreshed });
    const own = codexLogin('refresh-token-of-the-user', '2026-11-01T00:00:00Z');
    writeFileSync(path, own, { mode: 0o600 });
    const forged = codexLogin('refresh-token-of-an-attacker', '2099-01-01T00:00:00Z');
    await cli
      .codex(
        `fs.writeFileSync(process.env.CODEX_HOME + '/auth.json', ${JSON.stringify(forged)}); codex('{}');`,
      )
      .runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(readFileSync(path, 'utf8')).toBe(own);
    expect(cli.loginTokens).toEqual(['refresh-token-of-the-user']);
  });

  it('cannot publish a token that its program refreshed during the turn', async () => {
    const run = await cli
      .unguardedClaude(
        `fs.writeFileSync(process.env.CLAUDE_CONFIG_DIR + '/.credentials.json', ${quote(login('access-token-of-the-user-2', 2))});
         claude({ structured_output: { summary: 'access-token-of-the-user-2' } });`,
      )
      .runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(run).toMatchObject({ kind: 'answered', output: { summary: '[redacted]' } });
  });

  it('cannot make its whole answer unusable with the mark of a private key', async () => {
    const run = await cli
      .claude(`claude({ structured_output: { summary: '-----BEGIN PRIVATE KEY-----', state: 'done' } });`)
      .runTurn(aRequest('bugfix_start'), bench.turnContext());
    expect(run).toMatchObject({ output: { summary: '-----BEGIN PRIVATE KEY-----', state: 'done' } });
  });
});
