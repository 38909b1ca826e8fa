import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCommandAgent } from '../command/command.js';
import type { Host } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import type { Environment } from '../sandbox/environment.js';
import { listNodePaths, type OuterSandbox } from '../sandbox/sandbox.js';
import type { TurnContext } from '../turn/agent.js';

export type Bench = ReturnType<typeof createBench>;

/** Creates a slot, a home and a sandbox for hostile scripts, as a worker would. */
export function createBench(sandbox: OuterSandbox, env: Environment) {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), 'mx-agents-'));
  const at = (name: string): string => join(dir, name);
  for (const name of ['slot', 'home', 'runs']) mkdirSync(at(name));
  const host: Host & { sandbox: OuterSandbox } = {
    sandbox,
    env,
    passEnv: [],
    runsDir: at('runs'),
    readOnlyPaths: listNodePaths(process.execPath),
    graceMs: 1_000,
  };
  let scripts = 0;
  /** Writes a Node script outside the slot and returns its argv. */
  const script = (lines: string): [string, ...string[]] => {
    scripts += 1;
    const path = at(`agent-${scripts}.mjs`);
    writeFileSync(path, `${PRELUDE}\n${lines}\n`);
    return [process.execPath, path];
  };
  return {
    dir,
    cwd: at('slot'),
    home: at('home'),
    runsDir: at('runs'),
    host,
    script,
    agent: (lines: string, limits: Partial<Limits> = {}) =>
      createCommandAgent({ host, argv: script(lines), limits: { wallMs: 60_000, ...limits } }),
    turnContext: (overrides: Partial<TurnContext> = {}): TurnContext => ({
      cwd: at('slot'),
      home: at('home'),
      signal: new AbortController().signal,
      ...overrides,
    }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

/** Functions that every scripted agent can call. */
const PRELUDE = `
import { spawn, spawnSync, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
const read = () => JSON.parse(fs.readFileSync(0, 'utf8'));
const answer = (output, more = {}) =>
  process.stdout.write(JSON.stringify({ session: { thread_id: 'thread-1' }, output, ...more }));
const attempt = (work) => { try { return work(); } catch (error) { return String(error.code ?? error.message); } };
const forever = () => setInterval(() => {}, 1000);
`;
