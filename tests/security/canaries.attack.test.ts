import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findToken, readSettings, type Settings } from '@mergexo/config';
import { createLog } from '@mergexo/log';
import { openState, type State } from '@mergexo/state';
import { CANARIES, CANARY_ROWS, createTemporaryDirectory, findLeak } from '@mergexo/testkit';
import { addPull, addRepository } from '../fleet/dashboard-stage.js';

const env = {
  GITHUB_TOKEN: CANARIES['a classic GitHub token'],
  GH_TOKEN: CANARIES['a fine-grained GitHub token'],
  MERGEXO_REVIEWER_TOKEN: CANARIES['the reviewer’s token'],
  MERGEXO_DASHBOARD_PASSWORD: CANARIES['the dashboard password'],
  MERGEXO_SECRET: `${CANARIES['the signing secret']}\n${CANARIES['an older signing secret']}`,
  OPENAI_API_KEY: CANARIES['an OpenAI key'],
  ANTHROPIC_API_KEY: CANARIES['an Anthropic key'],
  CODEX_REFRESH: CANARIES['a Codex refresh token'],
  CODEX_ACCESS: CANARIES['a Codex access token'],
};
const PASSED = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'CODEX_REFRESH', 'CODEX_ACCESS', 'LOGIN_OF_GH'];
const CONFIG = `[agent]\npass_env = ${JSON.stringify(PASSED)}\n[repo.n]\nowner = "o"\nname = "n"\n`;

const directory = createTemporaryDirectory();
let settings: Settings;
beforeAll(async () => {
  const configPath = join(directory.path, 'mergexo.toml');
  writeFileSync(configPath, CONFIG);
  writeFileSync(join(directory.path, 'gh'), `#!/bin/sh\necho '${CANARIES['a GitHub CLI token']}'\n`);
  chmodSync(join(directory.path, 'gh'), 0o700);
  const password = { MERGEXO_REDIS_PASSWORD: CANARIES['the Redis password'] };
  settings = readSettings({ configPath, env: { ...env, ...password }, homeDir: directory.path });
  const source = { ...settings, githubToken: undefined, childEnv: { PATH: directory.path } };
  expect(await findToken(source, () => 0)()).toBe(CANARIES['a GitHub CLI token']);
});
afterAll(() => directory.remove());

describe('the log and the database', () => {
  let state: State;
  beforeAll(() => {
    state = openState(join(directory.path, 'state.db'), settings.redact);
    addRepository(state);
  });
  afterAll(() => state.close());

  it.each(CANARY_ROWS)('contain no trace of $name $encoding', async ({ secret, text, ...row }) => {
    const lines: string[] = [];
    const stdout = { write: (line: string) => lines.push(line) };
    const { log, close } = createLog({ app: 'poller', level: 'info', redact: settings.redact, stdout });
    const cause = new Error(`git printed ${text}`);
    log.error({ err: new Error(`failed with ${text}`, { cause }), deep: { text: [text] } }, `text ${text}`);
    await close();

    const issueNumber =
      CANARY_ROWS.findIndex(({ name, encoding }) => name === row.name && encoding === row.encoding) + 1;
    const run = addPull(state, issueNumber, 1_000 + issueNumber, `title ${text}`);
    state.saveRun({ ...run, error: text }, 1);
    state.recordEvent({ type: 'run_blocked', repoId: 1, runId: run.id, issueNumber, payload: { text } }, 1);
    state.saveHealth({ subject: 'github', code: 'failing', detail: text }, 1);
    const outlets = {
      'the log': lines.join(''),
      'a run': JSON.stringify(state.listRunsOfIssue(1, issueNumber)),
      'an event': JSON.stringify(state.listEventsOfIssue(1, issueNumber)),
      'the health': JSON.stringify(state.listHealth()),
    };
    expectNoLeak(outlets, { secret, text });
  });
});

function expectNoLeak(
  outlets: Readonly<Record<string, string>>,
  canary: { secret: string; text: string },
): void {
  const leaks = Object.entries(outlets).map(([name, sent]) => [name, findLeak(sent, canary)]);
  expect(leaks.filter(([, leak]) => leak !== undefined)).toEqual([]);
  expect(Object.values(outlets).every((sent) => sent.includes('[redacted]'))).toBe(true);
}
