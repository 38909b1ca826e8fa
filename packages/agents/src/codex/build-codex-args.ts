/** `workspace-write` is Codex's own sandbox. The other mode needs the operator's permission. */
export type CodexSandbox = 'workspace-write' | 'danger-full-access';

type CodexArgs = {
  cwd: string;
  /** The home of Codex's commands; undefined if they use Codex's own home. */
  commandHome: string | undefined;
  sandbox: CodexSandbox;
  /** True if /tmp is private to this run. */
  ownsTmp: boolean;
  schemaPath: string;
  model: string | undefined;
  profile: string | undefined;
  extraArgs: readonly string[];
  /** Paths of images that the thread does not contain yet. */
  images: readonly string[];
  /** The caller has validated the thread id. */
  threadId: string | null;
};

/** Passes all permissions in every turn, because a resumed thread does not remember them. */
export function buildCodexArgs(options: CodexArgs): string[] {
  const { cwd, sandbox, schemaPath, model, profile, extraArgs, images, threadId } = options;
  return [
    'exec',
    // The extra arguments come first, so that later options override them.
    ...extraArgs,
    // `--image` takes all words up to the next option, so another option must follow it.
    ...images.flatMap((path) => ['--image', path]),
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

/** Codex parses the values as TOML. */
function buildSettings({ cwd, commandHome, ownsTmp, profile }: CodexArgs): Record<string, string> {
  const home = commandHome === undefined ? [] : [JSON.stringify(commandHome)];
  return {
    approval_policy: '"never"',
    // With the user's configuration, Codex would trust the repository, and .codex/config.toml could then extend every
    // permission. Without that configuration Codex trusts nothing.
    ...(profile !== undefined && { projects: `{${JSON.stringify(cwd)}={trust_level="untrusted"}}` }),
    sandbox_workspace_write: `{network_access=false,exclude_slash_tmp=${!ownsTmp},exclude_tmpdir_env_var=false,writable_roots=[${home}]}`,
    // The prompt contains the rules from the base branch. A change must not instruct its own reviewer with an
    // AGENTS.md or a skill.
    project_doc_max_bytes: '0',
    'skills.include_instructions': 'false',
    // If Codex passed all variables to its commands, every command could read the model's key.
    shell_environment_policy: `{inherit="core"${home.map((path) => `,set={HOME=${path}}`)}}`,
    // A login shell would run the user's profile outside the sandbox.
    allow_login_shell: 'false',
    'features.shell_snapshot': 'false',
    'features.hooks': 'false',
    'features.plugins': 'false',
    'features.apps': 'false',
    'features.multi_agent': 'false',
    'features.goals': 'false',
    'features.daemon_auto_start': 'false',
    // Without this setting, Codex would retry a refused connection forever.
    'features.unbounded_connection_retries': 'false',
    'skills.bundled.enabled': 'false',
    web_search: '"disabled"',
    check_for_update_on_startup: 'false',
    'analytics.enabled': 'false',
    'feedback.enabled': 'false',
    'history.persistence': '"none"',
  };
}

/** Keywords that providers reject or support only in part. MergeXO checks the answer against the full schema. */
const DROPPED = ['pattern', 'format', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum'];

/** Removes unsupported keywords, because every turn fails if the provider rejects the schema. */
export function simplifySchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(simplifySchema);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name, value]) => !(DROPPED.includes(name) && typeof value !== 'object'))
      .map(([name, value]) => [name, simplifySchema(value)]),
  );
}
