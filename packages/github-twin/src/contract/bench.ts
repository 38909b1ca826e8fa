import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { startTwin, type Twin } from '../start/start-twin.js';
import { commitFile, mustGit, withToken } from '../testing/git.js';
import { at, each } from '../testing/json-fields.js';
import { REPO, SEED } from '../testing/test-twin.js';
import { createClient, eventually, type Target } from './client.js';

export type Bench = Awaited<ReturnType<typeof openBench>>;

const Id = z.object({ id: z.number() });
const Numbered = z.object({ number: z.number() });
export const idOf = ({ body }: { body: unknown }) => Id.parse(body).id;
export const numberOf = ({ body }: { body: unknown }) => Numbered.parse(body).number;

/** Opens a target for contract tests, with a clone that can push. */
async function openBench(target: Target, dir: string) {
  const client = createClient(target);
  const { call } = client;
  const login = z.string().parse(at((await call('GET /user')).body, 'login'));
  const defaultBranch = z.string().parse(at((await call('GET ~')).body, 'default_branch'));
  await mustGit(dir, 'clone', '-q', withToken(target.gitUrl, target.token), 'clone');
  const suffix = Date.now().toString(36);
  /** Makes a name that no earlier test run has used. */
  const unique = (name: string) => `${name}-${suffix}`;
  return { client, call, clone: `${dir}/clone`, unique, login, defaultBranch };
}

/** Runs the tests of a file against the repository that the environment names. By default, runs them on a twin. */
export function useBench(): () => Bench {
  const real = readRealTarget(process.env);
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'contract-'));
  let twin: Twin | undefined;
  let bench: Bench | undefined;
  beforeAll(async () => {
    twin = real ? undefined : await startTwin({ seed: SEED });
    bench = await openBench(real ?? targetOf(twin), dir);
  });
  afterAll(async () => {
    await twin?.stop();
    fs.rmSync(dir, { recursive: true, force: true });
    expect(twin?.control.violations() ?? []).toEqual([]);
    const { removed = 0, unnoticed } = bench?.client.examineChecks() ?? {};
    expect([removed > 50, unnoticed]).toEqual([true, []]);
  });
  return () => {
    if (!bench) throw new Error('the contract suite did not start');
    return bench;
  };
}

function targetOf(twin: Twin | undefined): Target {
  if (!twin) throw new Error('neither a real repository nor a twin');
  const token = twin.tokens['alice'] ?? '';
  return { apiUrl: `${twin.url}/api/v3`, gitUrl: `${twin.url}/${REPO}.git`, token, repo: REPO };
}

/** Opens a pull request from a new branch with one new file of five lines. */
export async function openPull({ call, clone, unique, defaultBranch: base }: Bench, name: string, body = '') {
  const branch = unique(name);
  await mustGit(clone, 'fetch', '-q', 'origin');
  await mustGit(clone, 'checkout', '-q', '-B', branch, `origin/${base}`);
  const head = await commitFile(clone, `${branch}.txt`, 'one\ntwo\nthree\nfour\nfive\n');
  await mustGit(clone, 'push', '-q', '-f', 'origin', branch);
  const number = numberOf(await call('POST ~/pulls', { title: branch, head: branch, base, body }, 201));
  return {
    number,
    branch,
    head,
    at: `~/pulls/${number}`,
    close: () => call(`PATCH ~/pulls/${number}`, { state: 'closed' }),
  };
}

/** Waits until the fields of a response, or of each row of a list, have the expected values. */
export function untilField(bench: Bench, asked: string, wanted: Record<string, unknown>): Promise<void> {
  return eventually(async () => {
    const { body } = await bench.call(asked);
    for (const [name, value] of Object.entries(wanted)) {
      const keys = name.split('.');
      assert.deepEqual(
        Array.isArray(body) ? each(body, ...keys) : at(body, ...keys),
        value,
        `${asked}: ${name}`,
      );
    }
  });
}

/**
 * Reads from the environment which real repository to test, if any. The suite opens issues, pushes and merges, so the
 * repository's name must contain "sandbox".
 */
export function readRealTarget(env: Record<string, string | undefined>): Target | undefined {
  const repo = env['MERGEXO_CONTRACT_REPO'];
  if (!repo) return undefined;
  const token = env['MERGEXO_CONTRACT_TOKEN'];
  if (!/^[\w.-]+\/[\w.-]*sandbox[\w.-]*$/i.test(repo))
    throw new Error(`MERGEXO_CONTRACT_REPO=${repo} is refused: its name must contain "sandbox"`);
  if (!token) throw new Error('MERGEXO_CONTRACT_TOKEN is missing');
  return {
    repo,
    token,
    apiUrl: (env['MERGEXO_CONTRACT_API_URL'] ?? 'https://api.github.com').replace(/\/$/, ''),
    gitUrl: env['MERGEXO_CONTRACT_GIT_URL'] ?? `https://github.com/${repo}.git`,
  };
}
