import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, GiveUpWhen, type Program, startProgram } from '@mergexo/testkit';

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/tests\/$/, '');
const DEMO = join(ROOT, 'apps/demo/dist/main.js');
const CLI = join(ROOT, 'apps/cli/bin/mergexo.js');
/** The demo takes less than a minute, but a busy machine may need longer. */
const LIMIT_MS = 180_000;

/** Settings for a real installation, gh, git and a proxy. Any of these would break the demo if the demo read it. */
const FOREIGN_ENV = {
  MERGEXO_REDIS_URL: 'redis://127.0.0.1:1',
  MERGEXO_REDIS_PASSWORD: 'foreign',
  MERGEXO_CONFIG: '/nowhere/mergexo.toml',
  MERGEXO_SECRET: 'f'.repeat(64),
  MERGEXO_REVIEWER_TOKEN: 'foreign',
  MERGEXO_DASHBOARD_PASSWORD: 'foreign-password',
  GITHUB_TOKEN: 'foreign',
  GH_TOKEN: 'foreign',
  GH_HOST: 'ghe.invalid',
  GIT_DIR: '/nowhere/.git',
  http_proxy: 'http://127.0.0.1:1',
};

export type DemoLine = {
  at_ms: number;
  say?: string;
  url?: string;
  chapter?: string;
  table?: Record<string, string>;
};

export type Demo = {
  program: Program;
  lines(): DemoLine[];
  until(what: string, check: (lines: readonly DemoLine[]) => boolean): Promise<DemoLine[]>;
  /** Waits until the demo has finished its story. The demo then keeps running for the visitor. */
  untilInvited(): Promise<DemoLine[]>;
  /** The URL that the demo printed with this message. */
  urlOf(message: RegExp): string;
  /** Numbers of the issues in the links that the demo printed. */
  issues(): number[];
  /** Output of `mergexo explain` for an issue. */
  explain(issue: number): string;
  /** Amends the message of the latest commit on the branch named by `heading`, and force-pushes the branch. */
  rewriteHistory(heading: string, dir: string): void;
};

/** Starts the demo as a visitor would, with JSON output. The demo writes only below `tmpDir`. */
export function startDemo(tmpDir: string, ...args: string[]): Demo {
  const program = startProgram(DEMO, ['--json', ...args], { ...FOREIGN_ENV, TMPDIR: tmpDir });
  const lines = (): DemoLine[] =>
    program
      .output()
      .split('\n')
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const until: Demo['until'] = (what, check) =>
    eventually(() => {
      if (check(lines())) return lines();
      throw new GiveUpWhen(program.child.exitCode !== null, `no ${what} yet:\n${program.output()}`);
    }, LIMIT_MS);
  const urlOf: Demo['urlOf'] = (message) => {
    const url = lines().find(({ say }) => message.test(say ?? ''))?.url;
    if (url === undefined) throw new Error(`the demo printed no URL with ${message}`);
    return url;
  };
  return {
    program,
    lines,
    until,
    untilInvited: () =>
      until('invitation', (printed) => printed.some(({ say }) => say?.startsWith('Press Ctrl-C'))),
    urlOf,
    issues: () => [
      ...new Set(lines().flatMap(({ url = '' }) => /\/issues\/(\d+)$/.exec(url)?.slice(1).map(Number) ?? [])),
    ],
    explain(issue) {
      const [directory = ''] = readdirSync(tmpDir).filter((name) => name.startsWith('mergexo-demo-'));
      const config = join(tmpDir, directory, 'mergexo.toml');
      return execFileSync(
        process.execPath,
        [CLI, 'explain', String(issue), '--verbose', '--config', config],
        {
          encoding: 'utf8',
        },
      );
    },
    rewriteHistory(heading, dir) {
      const [branch = ''] = /agent\/[\w/-]+/.exec(heading) ?? [];
      amendAndForce(urlOf(/^Clone the repository/), branch, dir);
    },
  };
}

function amendAndForce(url: string, branch: string, dir: string): void {
  const clone = join(dir, 'clone');
  const env = { PATH: process.env['PATH'], HOME: dir, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: dir, env, stdio: 'pipe' });
  git('clone', '--quiet', '--branch', branch, url, clone);
  const person = ['-c', 'user.name=You', '-c', 'user.email=you@example.test'];
  git('-C', clone, ...person, 'commit', '--quiet', '--amend', '--message', 'My own words');
  git('-C', clone, 'push', '--quiet', '--force');
}
