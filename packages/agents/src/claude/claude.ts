import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core';
import { CLAUDE_LAYOUT, findProgram } from '../cli/find-program.js';
import type { Loan } from '../cli/lend-login.js';
import { ensureDirectory } from '../cli/private-files.js';
import {
  type CliRun,
  fail,
  findKey,
  ownDirectory,
  redactOutput,
  refuseThread,
  runCli,
  withoutPassed,
} from '../cli/run-cli.js';
import { countTurn } from '../cli/thread-totals.js';
import type { Host } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import { type Agent, type AgentFailed, type AgentRun, type AgentUsage, NO_USAGE } from '../turn/agent.js';
import { describeEnd } from '../turn/describe-end.js';
import { buildClaudeArgs, type PermissionMode } from './build-claude-args.js';
import { type ClaudeResult, type ClaudeTold, readClaudeEvents, toTotal } from './claude-events.js';
import { explainClaude } from './explain-claude.js';

export type ClaudeOptions = {
  host: Host;
  limits: Limits;
  binary: string;
  permissionMode: PermissionMode;
  extraArgs: readonly string[];
  modelOf: (request: AgentRequest) => string | undefined;
  /** Where the user's own Claude Code keeps its login. */
  userHome: string;
  now: () => Date;
};

/** `claude -p`, with the login of the user and nothing else of theirs. */
export function createClaudeAgent(options: ClaudeOptions): Agent {
  const { host, limits, permissionMode } = options;
  return {
    name: 'claude',
    runTurn: async (request, place) => {
      const threadId = request.session?.thread_id ?? null;
      const refused = threadId === null ? undefined : refuseThread(threadId);
      if (refused !== undefined) return fail(refused);
      const program = findProgram(options.binary, host.env['PATH'] ?? '', CLAUDE_LAYOUT);
      if (program === undefined) return fail(missing(options.binary));

      const claudeHome = join(place.home, 'claude');
      ensureDirectory(claudeHome);
      const events = readClaudeEvents();
      const run = await runCli({
        host,
        place,
        limits,
        program,
        args: buildClaudeArgs({
          permissionMode,
          schema: request.output_schema,
          model: options.modelOf(request),
          extraArgs: options.extraArgs,
          session: threadId === null ? { kind: 'new', id: randomUUID() } : { kind: 'resumed', id: threadId },
        }),
        env: buildVariables(host, claudeHome),
        prompt: request.prompt,
        login: findKey(host, KEYS) === undefined ? buildLoan(options.userHome, claudeHome) : undefined,
        // In the other modes every command of the agent could have written it.
        guardsLogin: permissionMode === 'acceptEdits' || permissionMode === 'default',
        nests: false,
        take: events.take,
      });
      const own = ownDirectory(place.home);
      return conclude(run, events.told(), { own, nowMs: options.now().getTime() });
    },
  };
}

const KEYS = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'];

function buildVariables(host: Host, claudeHome: string): Record<string, string> {
  return {
    CLAUDE_CONFIG_DIR: claudeHome,
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // The queue tries again as well, and without holding a slot.
    ...withoutPassed(host, { CLAUDE_CODE_MAX_RETRIES: '4' }),
    // Root is refused some modes unless it says this, and here it is true.
    ...(host.sandbox.kind === 'bwrap' && { IS_SANDBOX: '1' }),
  };
}

function missing(binary: string): Pick<AgentFailed, 'failure' | 'message'> {
  const message = `${binary} is not on the PATH; install it with \`npm install -g @anthropic-ai/claude-code\`, or set \`binary\` in [claude]`;
  return { failure: 'not-installed', message };
}

function buildLoan(userHome: string, claudeHome: string): Loan {
  const loginOf = (file: unknown): Record<string, unknown> => Object(Object(file)['claudeAiOauth']);
  return {
    from: join(userHome, '.credentials.json'),
    to: join(claudeHome, '.credentials.json'),
    isRenewed: (lent, returned) =>
      typeof loginOf(returned)['accessToken'] === 'string' &&
      typeof loginOf(returned)['refreshToken'] === 'string' &&
      loginOf(lent)['subscriptionType'] === loginOf(returned)['subscriptionType'] &&
      Number(loginOf(returned)['expiresAt']) > Number(loginOf(lent)['expiresAt']),
  };
}

function conclude(
  { end, log, redact, readAnswer }: CliRun,
  told: ClaudeTold,
  { own, nowMs }: { own: string; nowMs: number },
): AgentRun {
  const { result } = told;
  const usage = result === undefined ? NO_USAGE : countUsage(own, result);
  if (end.kind !== 'exited' || end.survivors.length > 0) {
    return { kind: 'failed', usage, ...describeEnd(end, log) };
  }
  if (result !== undefined && (isUsable(result, end.code) || isUnusableAnswer(result))) {
    const output = redactOutput(result.structured_output ?? readAnswer(result.result), redact);
    return { kind: 'answered', threadId: result.session_id, output, usage };
  }
  const explained = explainClaude(told, log, nowMs);
  if (result === undefined && explained.failure === 'crashed') {
    return { kind: 'failed', usage, ...describeEnd(end, log) };
  }
  return { kind: 'failed', usage, ...explained, message: redact(explained.message) };
}

function isUsable({ is_error }: ClaudeResult, code: number): boolean {
  return code === 0 && !is_error;
}

/** The agent talked, but did not give the answer the form it must have: that can be mended in the same session. */
function isUnusableAnswer({ subtype }: ClaudeResult): boolean {
  return subtype === 'error_max_structured_output_retries';
}

function countUsage(own: string, result: ClaudeResult): AgentUsage {
  const total = toTotal(result);
  const { costUsd } = countTurn(own, result.session_id, { ...NO_USAGE, costUsd: total.costUsd });
  return { ...total, costUsd };
}
