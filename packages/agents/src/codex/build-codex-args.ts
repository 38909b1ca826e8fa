/** `workspace-write` is Codex' own sandbox; the other is for runs in our sandbox in which Codex cannot make its own. */
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

/** Every turn states all permissions again: a resumed thread does not remember them. */
export function buildCodexArgs(options: CodexArgs): string[] {
  const { cwd, sandbox, schemaPath, model, profile, extraArgs, threadId } = options;
  return [
    'exec',
    // First, so that later options win.
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
    // Otherwise every command could read the key of the model.
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
    // Codex would retry a refused connection forever.
    'features.unbounded_connection_retries': 'false',
    'skills.bundled.enabled': 'false',
    web_search: '"disabled"',
    check_for_update_on_startup: 'false',
    'analytics.enabled': 'false',
    'feedback.enabled': 'false',
    'history.persistence': '"none"',
  };
}
