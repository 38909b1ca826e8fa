import { join } from 'node:path';
import { AgentAnswer, type AgentRequest } from '@mergexo/core/agent';
import { z } from 'zod';
import { collectAll } from '../output/bounded-output.js';
import { describeNonJson, parseJson } from '../output/json.js';
import { clip } from '../output/printable.js';
import type { Host } from '../run/run-confined.js';
import type { Limits } from '../run/watch-limits.js';
import { createOutputRedact } from '../sandbox/environment.js';
import { type Agent, type AgentRun, type CommandAccess, NO_USAGE, type TurnContext } from '../turn/agent.js';
import { clearHome } from '../turn/clear-home.js';
import { describeEnd } from '../turn/describe-end.js';
import { runAgentProcess } from '../turn/run-agent-process.js';
import { createProgress, createUsageReports } from '../turn/show-progress.js';
import { filterProgress } from './filter-progress.js';
import { readUsage } from './read-usage.js';

const MAX_ANSWER_BYTES = 10 * 1024 * 1024;
const MAX_COMPLAINT_CHARACTERS = 300;

type CommandOptions = {
  host: Host;
  argv: readonly [string, ...string[]];
  limits: Limits;
  /** The hosts that the program may reach; all by default. */
  hosts?: CommandAccess['hosts'];
};

/**
 * Runs any program that reads one JSON request from standard input and writes one JSON answer to standard output. If
 * the program does not know the requested session, it writes `{"error": "session_lost"}`, optionally with `usage`.
 * The exit code is 0 in both cases. Lines of the form `{"progress": …}` on standard error report what it does.
 */
export function createCommandAgent({ host, argv, limits, hosts = 'all' }: CommandOptions): Agent {
  const redact = createOutputRedact(host);
  return {
    name: 'command',
    commands: { run: 'unknown', hosts },
    runTurn: async (request: AgentRequest, context: TurnContext): Promise<AgentRun> => {
      const { onEvent, commandHome } = context;
      const answer = collectAll(MAX_ANSWER_BYTES);
      const show = createProgress(context, redact);
      const usages = createUsageReports(context);
      const { end, log } = await runAgentProcess(host, context, {
        argv,
        stdin: JSON.stringify(request),
        stdout: answer.sink,
        limits,
        redact,
        filter: filterProgress(show, usages.soFar),
        ...(commandHome !== undefined && { env: nameCaches(commandHome) }),
      });
      await clearHome(context.home, end);
      const text = answer.text();
      const answered = parseJson(text);
      const isText = answered === undefined && text.trim() !== '';
      const complaint = isText ? describeNonJson(text, redact) : explainUsage(answered);
      if (complaint !== undefined) onEvent?.({ kind: 'log', text: complaint });
      const usage = readUsage(answered) ?? NO_USAGE;
      usages.atEnd(usage);
      if (end.kind !== 'exited' || end.code !== 0 || end.survivors.length > 0)
        return { kind: 'failed', usage, ...describeEnd(end, log) };
      return { usage, ...(isText ? invalid(NOT_JSON) : readAnswer(answered, request)) };
    },
  };
}

/** The program keeps its own HOME for its sessions, so variables point it to the caches that setup filled. */
function nameCaches(commandHome: string): Record<string, string> {
  return { XDG_CACHE_HOME: join(commandHome, '.cache'), npm_config_cache: join(commandHome, '.npm') };
}

const { usage: Usage } = AgentAnswer.shape;
// Accepts any usage, because an invalid number must not invalidate the answer.
const anyUsage = { usage: z.unknown().optional() };
const Answer = AgentAnswer.extend(anyUsage);
const SessionLost = z.strictObject({ error: z.literal('session_lost'), ...anyUsage });

const NOT_JSON = 'the answer on standard output is not exactly one JSON value';

const invalid = (message: string) => ({ kind: 'failed', failure: 'invalid-output', message }) as const;

function readAnswer(answered: unknown, { session }: AgentRequest) {
  if (answered === undefined) return invalid('the agent printed no answer');
  if (SessionLost.safeParse(answered).success) {
    // Without this check, the caller could start new sessions forever.
    if (session === null) return invalid('the agent reported a lost session, but it was given none');
    const message = 'the agent does not know the session that it was asked to resume';
    return { kind: 'failed', failure: 'session-lost', message } as const;
  }
  const { success, data, error } = Answer.safeParse(answered);
  if (success) return { kind: 'answered', threadId: data.session.thread_id, output: data.output } as const;
  const [issue] = error.issues;
  const complaint = clip(`${issue?.path.join('.')}: ${issue?.message}`, MAX_COMPLAINT_CHARACTERS);
  return invalid(`the answer is not a valid {session, output, usage} object: ${complaint}`);
}

function explainUsage(answered: unknown): string | undefined {
  const { error } = z.object({ usage: Usage }).safeParse(answered);
  const issue = error?.issues.find(({ path }) => path[0] === 'usage');
  if (issue === undefined) return undefined;
  const complaint = `${issue.path.join('.')}: ${issue.message}`;
  return clip(`MergeXO ignores invalid usage figures in the answer: ${complaint}`, MAX_COMPLAINT_CHARACTERS);
}
