export type PermissionMode = 'default' | 'acceptEdits' | 'dontAsk' | 'bypassPermissions';

type ClaudeArgs = {
  permissionMode: PermissionMode;
  /** True if a sandbox confines commands, so that Claude Code need not ask for permission. */
  sandboxesCommands: boolean;
  schema: unknown;
  model: string | undefined;
  extraArgs: readonly string[];
  /** Directories with files that the agent may read, in addition to the checkout. */
  handouts: readonly string[];
  /** The caller has validated the session id. */
  session: { kind: 'new' | 'resumed'; id: string };
};

/** In `dontAsk` mode, Claude Code denies every tool that is not in this list. */
const ALLOWED_TOOLS = ['Bash', 'Edit', 'NotebookEdit', 'Read', 'Write', 'Glob', 'Grep', 'Task', 'TodoWrite'];

/** Tools that act on other machines, or after the turn has ended. */
const DISALLOWED_TOOLS = [
  'WebFetch',
  'WebSearch',
  'CronCreate',
  'ScheduleWakeup',
  'EnterWorktree',
  'Monitor',
  'SendMessage',
  'Workflow',
];

/** Passes all permissions in every turn, because a resumed session does not remember them. */
export function buildClaudeArgs(options: ClaudeArgs): string[] {
  const { permissionMode, schema, model, extraArgs, handouts, session } = options;
  return [
    '-p',
    // The extra arguments come first, so that later options override them.
    ...extraArgs,
    '--output-format',
    'stream-json',
    '--verbose',
    // Without the parts, the output tokens of a message are unknown until the end of the run.
    '--include-partial-messages',
    '--json-schema',
    JSON.stringify(schema),
    '--permission-mode',
    permissionMode,
    ...listAllowed(options),
    `--disallowedTools=${DISALLOWED_TOOLS.join(',')}`,
    // Loads no settings from the user or the repository, because hooks in settings run without approval.
    '--setting-sources=',
    '--strict-mcp-config',
    // Otherwise, Claude Code would ask before it reads a file outside the checkout, and nobody could answer.
    ...handouts.map((path) => `--add-dir=${path}`),
    ...(model === undefined ? [] : ['--model', model]),
    session.kind === 'new' ? '--session-id' : '--resume',
    session.id,
  ];
}

function listAllowed({ permissionMode, sandboxesCommands }: ClaudeArgs): string[] {
  if (permissionMode === 'dontAsk') return [`--allowedTools=${ALLOWED_TOOLS.join(',')}`];
  return sandboxesCommands ? ['--allowedTools=Bash'] : [];
}
