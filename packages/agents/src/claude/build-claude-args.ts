export type PermissionMode = 'default' | 'acceptEdits' | 'dontAsk' | 'bypassPermissions';

type ClaudeArgs = {
  permissionMode: PermissionMode;
  schema: unknown;
  model: string | undefined;
  extraArgs: readonly string[];
  /** Checked before. */
  session: { kind: 'new' | 'resumed'; id: string };
};

/** In this mode whatever is not named is denied. */
const WITHOUT_ASKING = ['Bash', 'Edit', 'NotebookEdit', 'Read', 'Write', 'Glob', 'Grep', 'Task', 'TodoWrite'];

/** What works on other machines, or later than the turn. */
const NEVER = [
  'WebFetch',
  'WebSearch',
  'CronCreate',
  'ScheduleWakeup',
  'EnterWorktree',
  'Monitor',
  'SendMessage',
  'Workflow',
];

/** Everything that decides what the agent may do is stated on every turn: a resumed session remembers none of it. */
export function buildClaudeArgs({ permissionMode, schema, model, extraArgs, session }: ClaudeArgs): string[] {
  return [
    '-p',
    // First, so that what follows wins.
    ...extraArgs,
    '--output-format',
    'stream-json',
    '--verbose',
    '--json-schema',
    JSON.stringify(schema),
    '--permission-mode',
    permissionMode,
    ...(permissionMode === 'dontAsk' ? [`--allowedTools=${WITHOUT_ASKING.join(',')}`] : []),
    `--disallowedTools=${NEVER.join(',')}`,
    // No settings of the user or the repository: the hooks in them would run without a question.
    '--setting-sources=',
    '--strict-mcp-config',
    ...(model === undefined ? [] : ['--model', model]),
    session.kind === 'new' ? '--session-id' : '--resume',
    session.id,
  ];
}
