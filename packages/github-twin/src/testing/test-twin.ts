import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { SeedInput } from '../start/seed.js';
import { startTwin, type Twin, type TwinOptions } from '../start/start-twin.js';
import { mustGit } from './git.js';

export type { Twin, TwinOptions };

export const REPO = 'acme/app';
export const AT = `/repos/${REPO}`;

export const SEED: SeedInput = {
  users: [
    { login: 'acme', type: 'Organization' },
    { login: 'alice', name: 'Alice' },
    { login: 'bob' },
    { login: 'carol' },
    { login: 'robot[bot]' },
  ],
  repos: [
    {
      name: REPO,
      permissions: { alice: 'admin', bob: 'write', carol: 'read', 'robot[bot]': 'write' },
      files: {
        'README.md': '# app\n',
        'src/list.txt': `${['one', 'two', 'three', 'four', 'five'].join('\n')}\n`,
      },
      labels: ['bug'],
    },
  ],
};

/** `SEED` with a protected default branch. */
export const PROTECTED_SEED: SeedInput = {
  ...SEED,
  repos: (SEED.repos ?? []).map((repo) => ({ ...repo, protectedBranches: ['main'] })),
};

type Cleanup = () => void | Promise<void>;
const cleanups: Cleanup[] = [];
const twins: Twin[] = [];

/** Starts a twin that stops after the test. Violations fail the test unless the test tolerates them. */
export async function startTestTwin(options: TwinOptions = {}): Promise<Twin> {
  const twin = await startTwin({ seed: SEED, ...options });
  twins.push(twin);
  return twin;
}

/** Starts a twin with an open pull request by bob, which adds one file with one line. */
export async function startWithPull() {
  const twin = await startTestTwin();
  const head = await twin.as('bob').pushFiles(REPO, 'topic', { 'a.txt': 'a\n' });
  const number = await twin.as('bob').openPull(REPO, { title: 'T', head: 'topic' });
  return { twin, head, number };
}

/** Lists the requests with a 304 response. */
export const listNotModified = (twin: Twin) =>
  twin.history.list('request').filter(({ status }) => status === 304);

/** Moves a ref directly in the bare repository, then makes the twin update its pull requests. */
export async function moveRefBehind(twin: Twin, ...args: string[]): Promise<void> {
  await mustGit(twin.repoDir(REPO), 'update-ref', ...args);
  await twin.control.noticeRefs(REPO);
}

export function cleanUp(work: Cleanup): void {
  cleanups.push(work);
}

export function makeTempDir(): string {
  const dir = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), 'twin-test-'));
  cleanUp(() => fs.rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

const tolerated: RegExp[] = [];

/** Allows matching violations in tests that cause them on purpose. */
export function tolerate(pattern: RegExp): void {
  tolerated.push(pattern);
}

afterEach(async () => {
  const violations = twins.flatMap((twin) => twin.control.violations());
  const patterns = tolerated.splice(0);
  for (const twin of twins.splice(0)) await twin.stop();
  for (const work of cleanups.splice(0).reverse()) await work();
  expect(violations.filter((text) => !patterns.some((pattern) => pattern.test(text)))).toEqual([]);
});
