import { join } from 'node:path';
import type { AgentRequest } from '@mergexo/core/agent';
import { type CliOptions, createCliAgent } from '../cli/cli-agent.js';
import { ensureDirectory, readPrivateFile, writePrivateFile } from '../cli/private-files.js';
import { countTurn, countTurnSoFar } from '../cli/thread-totals.js';
import { type Agent, type CommandAccess, NO_USAGE } from '../turn/agent.js';
import { buildCodexArgs, type CodexSandbox, simplifySchema } from './build-codex-args.js';
import { CODEX } from './codex-cli.js';
import { readCodexEvents } from './codex-events.js';
import { disarmMentions } from './disarm-mentions.js';
import { explainCodex } from './explain-codex.js';
import { createThreadFile } from './thread-file.js';

type CodexOptions = Omit<CliOptions, 'commands'> & {
  /** The hosts that Codex can reach, besides its model's hosts. */
  hosts: CommandAccess['hosts'];
  profile: string | undefined;
  /** The sandbox for Codex's commands, chosen when the worker started. */
  sandbox: CodexSandbox;
};

/** Runs `codex exec` with the user's login and none of the user's other settings. */
export function createCodexAgent(options: CodexOptions): Agent {
  const { host, profile, extraArgs, sandbox } = options;
  const hosts = sandbox === 'workspace-write' ? [] : options.hosts;
  return createCliAgent(CODEX, { ...options, commands: { run: 'yes', hosts } }, async (turn) => {
    const { request, context, cliHome, ownDirectory, threadId, key } = turn;
    const schemaPath = join(ownDirectory, 'output-schema.json');
    ensureDirectory(ownDirectory);
    writePrivateFile(schemaPath, JSON.stringify(simplifySchema(request.output_schema)));
    copyProfile(options, cliHome);
    const events = readCodexEvents();
    const { output } = events;
    const file = createThreadFile(cliHome);
    return {
      args: buildCodexArgs({
        cwd: context.cwd,
        commandHome: context.commandHome,
        sandbox,
        ownsTmp: host.sandbox.kind === 'bwrap',
        schemaPath,
        model: options.modelOf(request),
        profile,
        extraArgs,
        images: listImages(request),
        threadId,
      }),
      prompt: disarmMentions(request.prompt, context.cwd),
      // Passes any key as CODEX_API_KEY, because Codex does not read OPENAI_API_KEY.
      env: { CODEX_HOME: cliHome, ...(key !== undefined && { CODEX_API_KEY: host.env[key] ?? '' }) },
      guardsLogin: sandbox === 'workspace-write',
      nests: true,
      onLine: events.onLine,
      countUsageSoFar: () => {
        const total = output.threadId && file.readTotal(output.threadId);
        return total ? countTurnSoFar(ownDirectory, output.threadId ?? '', total) : NO_USAGE;
      },
      countUsage: () =>
        output.threadId === undefined || output.total === undefined
          ? NO_USAGE
          : countTurn(ownDirectory, output.threadId, output.total),
      readAnswer: (exitCode) =>
        exitCode === 0 && output.threadId !== undefined && output.total !== undefined
          ? { threadId: output.threadId, output: output.message }
          : undefined,
      explain: ({ log, redact, nowMs }) => {
        const explained = explainCodex(redact(output.failure ?? log), nowMs);
        return output.failure === undefined && explained.failure === 'crashed' ? undefined : explained;
      },
    };
  });
}

/** Codex splits the value of `--image` at commas. An image with a comma in its path is only named in the prompt. */
function listImages({ attachments }: AgentRequest): string[] {
  return attachments
    .filter(
      ({ path, media_type, is_new }) => is_new && media_type.startsWith('image/') && !path.includes(','),
    )
    .map(({ path }) => path);
}

function copyProfile({ userHome, profile }: CodexOptions, cliHome: string): void {
  if (profile === undefined) return;
  for (const name of ['config.toml', `${profile}.config.toml`]) {
    const text = readPrivateFile(join(userHome, name));
    if (text !== undefined) writePrivateFile(join(cliHome, name), text);
  }
}
