import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type CliOptions, createCliAgent } from '../cli/cli-agent.js';
import { ensureDirectory } from '../cli/private-files.js';
import { countTurn } from '../cli/thread-totals.js';
import type { Host } from '../run/run-confined.js';
import { type Agent, type AgentUsage, type CommandAccess, NO_USAGE } from '../turn/agent.js';
import { buildClaudeArgs, type PermissionMode } from './build-claude-args.js';
import { CLAUDE } from './claude-cli.js';
import { type ClaudeOutput, type ClaudeResult, readClaudeEvents, toTotal } from './claude-events.js';
import { nameFilter, writeCommandPrefix } from './command-sandbox.js';
import { explainClaude } from './explain-claude.js';

type ClaudeOptions = Omit<CliOptions, 'commands'> & {
  permissionMode: PermissionMode;
  /** True if commands run in their own sandbox inside MergeXO's. */
  sandboxesCommands: boolean;
  /** The hosts that Claude Code can reach, besides its model's hosts. */
  hosts: CommandAccess['hosts'];
};

/** Runs `claude -p` with the user's login and none of the user's other settings. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  const { host, permissionMode, sandboxesCommands, extraArgs, hosts } = options;
  const guardsLogin = permissionMode === 'acceptEdits' || permissionMode === 'default';
  const commands = { run: guardsLogin && !sandboxesCommands ? 'no' : 'yes', hosts } as const;
  return createCliAgent(CLAUDE, { ...options, commands }, async (turn) => {
    const { request, context, cliHome, ownDirectory, threadId } = turn;
    const { home, commandHome } = context;
    ensureDirectory(ownDirectory);
    const sandbox = sandboxesCommands && host.sandbox.kind === 'bwrap' ? host.sandbox : undefined;
    const inner = { home, commandHome, passEnv: host.passEnv };
    const prefix = writeCommandPrefix(join(ownDirectory, 'run-command'), inner, sandbox);
    const events = readClaudeEvents();
    const { output } = events;
    return {
      args: buildClaudeArgs({
        permissionMode,
        sandboxesCommands,
        schema: request.output_schema,
        model: options.modelOf(request),
        extraArgs,
        handouts: context.handouts ?? [],
        session: threadId === null ? { kind: 'new', id: randomUUID() } : { kind: 'resumed', id: threadId },
      }),
      env: {
        ...buildVariables(host, cliHome),
        ...(prefix !== undefined && { CLAUDE_CODE_SHELL_PREFIX: prefix }),
      },
      // If this is false, the agent's commands could have changed the login.
      guardsLogin,
      nests: sandbox !== undefined,
      readOnlyPaths: [
        ...(prefix === undefined ? [] : [prefix]),
        ...(prefix === undefined || sandbox === undefined ? [] : [sandbox.program, nameFilter(prefix)]),
      ].filter((path) => existsSync(path)),
      onLine: events.onLine,
      countUsageSoFar: () => withModel(output.soFar, output),
      countUsage: () => countUsage(ownDirectory, output),
      readAnswer: (exitCode) => {
        const { result } = output;
        if (result === undefined || !isAnswer(result, exitCode)) return undefined;
        const { session_id: threadId, structured_output, result: text } = result;
        return {
          threadId,
          output: structured_output === undefined ? (text ?? undefined) : structured_output,
        };
      },
      explain: ({ log, redact, nowMs }) => {
        const explained = explainClaude(output, log, nowMs);
        if (output.result === undefined && explained.failure === 'crashed') return undefined;
        return { ...explained, message: redact(explained.message) };
      },
    };
  });
}

function buildVariables({ passEnv, sandbox }: Host, cliHome: string): Record<string, string> {
  return {
    CLAUDE_CONFIG_DIR: cliHome,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // The prompt contains the rules from the base branch. A change must not instruct its own reviewer, and one review
    // must not leave notes for the next.
    CLAUDE_CODE_DISABLE_CLAUDE_MDS: '1',
    CLAUDE_CODE_DISABLE_AUTO_MEMORY: '1',
    // Otherwise, "@path" in a comment would attach that file to the prompt.
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: '1',
    // Allows only a few retries: the queue retries too, and does not occupy a slot while it waits.
    ...(!passEnv.includes('CLAUDE_CODE_MAX_RETRIES') && { CLAUDE_CODE_MAX_RETRIES: '4' }),
    // Without this variable, Claude Code refuses some modes when it runs as root.
    ...(sandbox.kind === 'bwrap' && { IS_SANDBOX: '1' }),
  };
}

/** True even if the output does not match the schema, because the agent can correct it in the same session. */
function isAnswer({ is_error, subtype }: ClaudeResult, exitCode: number): boolean {
  if (exitCode === 0 && !is_error) return true;
  // Any other code means that the program crashed or was killed, so another process may have written the result.
  return (exitCode === 0 || exitCode === 1) && subtype === 'error_max_structured_output_retries';
}

function countUsage(ownDirectory: string, output: ClaudeOutput): AgentUsage {
  const { result } = output;
  if (result === undefined) return NO_USAGE;
  const total = toTotal(result);
  const { costUsd } = countTurn(ownDirectory, result.session_id, { ...NO_USAGE, costUsd: total.costUsd });
  return withModel({ ...total, costUsd }, output);
}

function withModel(usage: AgentUsage, { model }: ClaudeOutput): AgentUsage {
  return { ...usage, ...(model !== undefined && { model }) };
}
