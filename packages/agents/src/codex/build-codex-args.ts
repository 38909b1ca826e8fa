/** `workspace-write` is Codex' own sandbox; the other is for where ours already stands around it and cannot be nested. */
export type CodexSandbox = 'workspace-write' | 'danger-full-access';

type CodexArgs = {
  cwd: string;
  sandbox: CodexSandbox;
  /** /tmp belongs to this run alone. */
  ownsTmp: boolean;
  schemaPath: string;
  model: string | undefined;
  profile: string | undefined;
  extraArgs: readonly string[];
  /** Checked before. */
  threadId: string | null;
};

/** Everything that decides what the agent may do is stated on every turn: a resumed thread remembers none of it. */
export function buildCodexArgs(options: CodexArgs): string[] {
  const { cwd, sandbox, schemaPath, model, profile, extraArgs, threadId } = options;
  return [
    'exec',
    // First, so that what follows wins.
    ...extraArgs,
    '--json',
    ...(profile === undefined ? ['--ignore-user-config'] : ['--profile', profile]),
    '--ignore-rules',
    '--skip-git-repo-check',
    '--cd',
    cwd,
    '--sandbox',
    sandbox,
    ...(model === undefined ? [] : ['--model', model]),
    '--output-schema',
    schemaPath,
    ...Object.entries(buildSettings(options)).flatMap(([key, value]) => ['--config', `${key}=${value}`]),
    ...(threadId === null ? [] : ['resume', threadId]),
    '-',
  ];
}

/** Values are TOML. */
function buildSettings({ cwd, ownsTmp, profile }: CodexArgs): Record<string, string> {
  return {
    approval_policy: '"never"',
    // With the user's configuration Codex would trust the repository, and then its .codex/config.toml could widen
    // everything. Without it nothing is trusted, and AGENTS.md is still read.
    ...(profile !== undefined && { projects: `{${JSON.stringify(cwd)}={trust_level="untrusted"}}` }),
    sandbox_workspace_write: `{network_access=false,exclude_slash_tmp=${!ownsTmp},exclude_tmpdir_env_var=false,writable_roots=[]}`,
    // Else the key of the model is visible to every command.
    shell_environment_policy: '{inherit="core"}',
    // A login shell would run the profile of the user, outside the sandbox.
    allow_login_shell: 'false',
    'features.shell_snapshot': 'false',
    'features.hooks': 'false',
    'features.plugins': 'false',
    'features.apps': 'false',
    'features.multi_agent': 'false',
    'features.goals': 'false',
    'features.daemon_auto_start': 'false',
    // A refused connection would be tried for ever.
    'features.unbounded_connection_retries': 'false',
    'skills.bundled.enabled': 'false',
    web_search: '"disabled"',
    check_for_update_on_startup: 'false',
    'analytics.enabled': 'false',
    'feedback.enabled': 'false',
    'history.persistence': '"none"',
  };
}
