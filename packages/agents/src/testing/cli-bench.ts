import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClaudeAgent } from '../claude/claude.js';
import { createCodexAgent } from '../codex/codex.js';
import type { Limits } from '../run/watch-limits.js';
import type { Bench } from './bench.js';

export type CliBench = ReturnType<typeof createCliBench>;

const NOW = new Date('2026-11-16T06:00:00Z');

/** Creates scripts that replace the providers' programs and print the same output. */
export function createCliBench(bench: Bench) {
  const userHome = join(bench.dir, 'user');
  mkdirSync(userHome, { recursive: true });
  let count = 0;
  /** The tokens of the logins that turns used. */
  const loginTokens: string[] = [];
  const binary = (lines: string): string => {
    count += 1;
    const path = join(bench.dir, `cli-${count}.mjs`);
    writeFileSync(path, `#!${process.execPath}\n${PRELUDE}\n${lines}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const common = (lines: string, limits: Partial<Limits>) => ({
    host: bench.host,
    limits: { wallMs: 60_000, ...limits },
    binary: binary(lines),
    extraArgs: ['--extra'],
    modelOf: () => 'model-1',
    userHome,
    now: () => NOW,
    hosts: [],
    onLogin: (secrets: readonly string[]) => void loginTokens.push(...secrets),
  });
  return {
    userHome,
    loginTokens,
    binary,
    codex: (lines: string, limits: Partial<Limits> = {}) =>
      createCodexAgent({ ...common(lines, limits), profile: undefined, sandbox: 'workspace-write' }),
    claude: (lines: string, limits: Partial<Limits> = {}) =>
      createClaudeAgent({
        ...common(lines, limits),
        permissionMode: 'acceptEdits',
        sandboxesCommands: false,
      }),
    /** Runs Claude Code's commands in their own sandbox. The script finds the sandbox in `CLAUDE_CODE_SHELL_PREFIX`. */
    sandboxingClaude: (lines: string) =>
      createClaudeAgent({ ...common(lines, {}), permissionMode: 'acceptEdits', sandboxesCommands: true }),
    /** Runs Claude Code in a mode in which its commands can write the login. */
    unguardedClaude: (lines: string) =>
      createClaudeAgent({
        ...common(lines, {}),
        permissionMode: 'bypassPermissions',
        sandboxesCommands: false,
      }),
  };
}

const PRELUDE = `
import fs from 'node:fs';
const args = process.argv.slice(2);
const prompt = fs.readFileSync(0, 'utf8');
const print = (...lines) => process.stdout.write(lines.map((line) => JSON.stringify(line) + '\\n').join(''));
const THREAD = '01a1e2f4-9dfc-7b52-8aba-afccf2ecca05';
const codex = (text, usage = { input_tokens: 100, output_tokens: 20 }) => print(
  { type: 'thread.started', thread_id: THREAD }, { type: 'turn.started' },
  { type: 'item.completed', item: { id: 'item_0', type: 'agent_message', text } },
  { type: 'turn.completed', usage });
const codexFails = (message) => { print(
  { type: 'thread.started', thread_id: THREAD }, { type: 'turn.started' },
  { type: 'error', message }, { type: 'turn.failed', error: { message } }); process.exitCode = 1; };
const claude = (more) => { print({ type: 'result', subtype: 'success', is_error: false, session_id: THREAD,
  total_cost_usd: 0.5, usage: { input_tokens: 100, cache_creation_input_tokens: 5, cache_read_input_tokens: 10, output_tokens: 20 },
  ...more }); if (more.is_error) process.exitCode = 1; };
`;
