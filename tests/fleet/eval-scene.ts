import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvalRow, EvalScore } from '@mergexo/core/eval';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { ROOT } from './fleet.js';

const CLI = join(ROOT, 'apps/cli/bin/mergexo.js');
const AGENT = join(ROOT, 'tests/dist/fleet/eval-agent.js');
export const EVAL_REPO = 'alice/app';

const FILES = {
  'AGENTS.md': 'Follow the house rule.\n',
  'src/value.txt': 'old\n',
  'src/other.txt': 'fine\n',
  'run-tests.sh': '#!/bin/sh\nfor test in tests/*.sh; do sh "$test" || exit 1; done\n',
  'tests/other.sh': 'grep -qx fine src/other.txt\n',
  'set-up.sh': '#!/bin/sh\necho installed > installed.txt\n',
};
const solve = (issue: number) => ({
  'src/value.txt': `solution-${issue}.\n`,
  'tests/value.sh': `grep -qx "solution-${issue}." src/value.txt\n`,
});

export type Printed = {
  rows: EvalRow[];
  measured: { score: EvalScore }[];
  leaks: string[];
  stopped: string | null;
};

/** Starts a GitHub with one repository that `alice` owns, `bob` reviews and `robot` reads. */
export function startEvalTwin(): Promise<Twin> {
  const permissions = { bob: 'write', robot: 'write' } as const;
  return startTwin({
    seed: {
      users: [{ login: 'alice' }, { login: 'bob' }, { login: 'robot' }],
      repos: [{ name: EVAL_REPO, permissions, files: FILES }],
    },
  });
}

type Merged = {
  title: string;
  body?: string;
  reviewed?: boolean;
  /** The log of a check that fails on the first commit. */
  ci?: string;
  /** Replaces the usual test in the merged change. */
  tests?: string;
  /** Rewrites the texts of the issue and the pull request after people have commented on the pull request. */
  rewrites?: boolean;
};

/** Opens an issue, and merges a pull request that closes it. With `reviewed`, bob first comments on a wrong commit. */
export async function mergePull(
  twin: Twin,
  { title, body = 'The value is wrong.', reviewed = false, ci, tests, rewrites = false }: Merged,
): Promise<{ issue: number; pull: number; sha: string }> {
  const alice = twin.as('alice');
  const solved = (issue: number) => ({
    ...solve(issue),
    ...(tests !== undefined && { 'tests/value.sh': tests }),
  });
  await alice.pushFiles(EVAL_REPO, 'main', { 'src/value.txt': 'old\n', 'tests/value.sh': null });
  const issue = await alice.openIssue(EVAL_REPO, { title, body });
  await alice.comment(EVAL_REPO, issue, 'It is in src/value.txt.');
  const edited = await alice.comment(EVAL_REPO, issue, 'I will edit this.');
  twin.control.advance(2_000);
  const branch = `fix-${issue}`;
  await alice.pushFiles(EVAL_REPO, branch, reviewed ? { 'src/value.txt': 'wrong\n' } : solved(issue));
  const pull = await alice.openPull(EVAL_REPO, { title: 'Fix', head: branch, body: `Fixes #${issue}` });
  twin.control.advance(2_000);
  await alice.comment(EVAL_REPO, issue, `Later: it was solution-${issue}.`);
  await alice.editComment(EVAL_REPO, edited, `Edited: it was solution-${issue}.`);
  if (ci !== undefined) {
    const run = twin.actions.start(EVAL_REPO, { branch, by: 'alice' });
    twin.actions.finish(run, 'failure', { log: ci });
  }
  if (reviewed) {
    const comment = { path: 'src/value.txt', line: 1, body: 'That is not the right word.' };
    await twin.as('bob').reviewComment(EVAL_REPO, pull, comment);
    // No reviewer could have found the author's own note.
    await alice.reviewComment(EVAL_REPO, pull, { ...comment, body: 'I am not sure about this.' });
    await alice.pushFiles(EVAL_REPO, branch, solved(issue));
  }
  if (rewrites) {
    twin.control.advance(2_000);
    const text = { title: `It was solution-${issue}`, body: `It was solution-${issue}. Fixes #${issue}` };
    for (const number of [issue, pull])
      await alice.request('PATCH', `/repos/${EVAL_REPO}/issues/${number}`, text);
  }
  const sha = await alice.merge(EVAL_REPO, pull, 'squash');
  await alice.deleteBranch(EVAL_REPO, branch);
  return { issue, pull, sha };
}

export type ScriptedAgent = { mode: string; repoKeys?: string; allowedUsers?: readonly string[] };

/** Runs `mergexo eval` with one of the scripted agents. */
export function createEvaluation(twin: Twin, dir: string, agent: ScriptedAgent) {
  mkdirSync(dir, { recursive: true });
  const base = join(dir, 'base');
  const config = join(dir, 'mergexo.toml');
  const calls = join(dir, 'calls.jsonl');
  writeFileSync(config, renderConfig(twin, base, agent));
  const env = {
    PATH: process.env['PATH'],
    HOME: dir,
    GITHUB_TOKEN: twin.tokens['robot'],
    EVAL_CALLS: calls,
    EVAL_ROOTS: base,
  };
  const start = (args: readonly string[]) => {
    const argv = ['--no-warnings', CLI, 'eval', '--config', config, ...args];
    let child: ReturnType<typeof execFile> | undefined;
    const ended = new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      child = execFile(process.execPath, argv, { env }, (error, stdout, stderr) =>
        resolve({
          code: typeof error?.code === 'number' ? error.code : error === null ? 0 : 1,
          stdout,
          stderr,
        }),
      );
    });
    return { ended, kill: (signal: NodeJS.Signals) => void child?.kill(signal) };
  };
  return {
    base,
    start,
    run: (...args: string[]) => start(args).ended,
    async measure(...args: string[]): Promise<Printed & { stderr: string; code: number }> {
      const { stdout, stderr, code } = await start(['--json', ...args]).ended;
      const printed = stdout === '' ? {} : JSON.parse(stdout);
      if (printed.rows === undefined) throw new Error(`${stdout}\n${stderr}`);
      return { ...printed, stderr, code };
    },
    readCalls: (): { kind: string; pid: number; prompt: string }[] =>
      existsSync(calls)
        ? readFileSync(calls, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
  };
}

function renderConfig(
  twin: Twin,
  base: string,
  { mode, repoKeys = '', allowedUsers = ['alice', 'bob'] }: ScriptedAgent,
): string {
  const argv = [process.execPath, AGENT, mode].map((word) => JSON.stringify(word)).join(', ');
  return `[runtime]
base_dir = ${JSON.stringify(base)}
[github]
api_url = ${JSON.stringify(twin.apiUrl)}
[agent]
adapter = "command"
sandbox = "none"
pass_env = ["EVAL_CALLS", "EVAL_ROOTS"]
[command]
argv = [${argv}]
[repo.app]
owner = "alice"
name = "app"
remote_url = ${JSON.stringify(twin.gitUrl('alice', 'app'))}
allowed_users = ${JSON.stringify(allowedUsers)}
required_tests = "run-tests.sh"
test_file_regex = "^tests/"
${repoKeys}
`;
}
