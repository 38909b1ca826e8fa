export type PermissionMode = 'default' | 'acceptEdits' | 'dontAsk' | 'bypassPermissions';

type ClaudeArgs = {
  permissionMode: PermissionMode;
  schema: unknown;
  model: string | undefined;
  extraArgs: readonly string[];
  /** Checked before. */
  session: { kind: 'new' | 'resumed'; id: string };
};

/** In this mode Claude Code denies every other tool. */
const WITHOUT_ASKING = ['Bash', 'Edit', 'NotebookEdit', 'Read', 'Write', 'Glob', 'Grep', 'Task', 'TodoWrite'];

/** Tools that act on other machines, or after the turn. */
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

/** Every turn states all permissions again: a resumed session does not remember them. */
export function buildClaudeArgs({ permissionMode, schema, model, extraArgs, session }: ClaudeArgs): string[] {
  return [
    '-p',
    // First, so that later options win.
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
    // No settings of the user or the repository: hooks in them would run without approval.
    '--setting-sources=',
    '--strict-mcp-config',
    ...(model === undefined ? [] : ['--model', model]),
    session.kind === 'new' ? '--session-id' : '--resume',
    session.id,
  ];
}
