import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startTwin, type Twin } from '../start/start-twin.js';
import { REPO, SEED } from '../testing/test-twin.js';
import { contractCases } from './cases/index.js';
import type { Target } from './client/client.js';
import { readRealTarget } from './client/target.js';
import { type Bench, openBench } from './client/workbench.js';

const real = readRealTarget(process.env);

describe(`the contract with GitHub, kept by ${real ? real.apiUrl : 'the twin'}`, () => {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'contract-'));
  let twin: Twin | undefined;
  let bench: Bench;

  beforeAll(async () => {
    twin = real ? undefined : await startTwin({ seed: SEED });
    bench = await openBench(real ?? targetOf(twin), dir);
  });

  afterAll(async () => {
    await twin?.stop();
    fs.rmSync(dir, { recursive: true, force: true });
  });

  it.each(contractCases)('$title', async ({ run }) => {
    await run(bench);
  });

  it('was never answered with something that GitHub could not have said', () => {
    expect(twin?.control.violations() ?? []).toEqual([]);
  });
});

function targetOf(twin: Twin | undefined): Target {
  if (!twin) throw new Error('neither a real repository nor a twin');
  return {
    apiUrl: `${twin.url}/api/v3`,
    gitUrl: `${twin.url}/${REPO}.git`,
    token: twin.tokens['alice'] ?? '',
    repo: REPO,
  };
}

describe('the real target', () => {
  const token = { MERGEXO_CONTRACT_TOKEN: 'x' };

  it('is refused unless the name of the repository says sandbox', () => {
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/product' })).toThrow('sandbox');
    expect(() => readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'sandbox/product' })).toThrow('sandbox');
  });

  it('is read from the environment, and is absent without it', () => {
    expect(readRealTarget({ ...token, MERGEXO_CONTRACT_REPO: 'acme/my-sandbox' })?.gitUrl).toContain(
      'acme/my-sandbox.git',
    );
    expect(readRealTarget({})).toBeUndefined();
  });
});
