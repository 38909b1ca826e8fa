import { createRedact, type SecretRedact } from '@mergexo/core/text';
import { keepAbsoluteEntries, RUN_MARKER } from '@mergexo/process';

export type Environment = Readonly<Record<string, string | undefined>>;

const ALLOWED = /^(?:PATH|LANG|LC_[A-Z]+|TZ)$/;

/** Variables that are never passed, even if configured, because an agent must not use MergeXO's GitHub token or queue. */
const NEVER_PASSED = /^(?:GITHUB_|GH_|MERGEXO_|REDIS)/i;

type EnvironmentChoice = {
  /** The worker's own environment. */
  env: Environment;
  /** Additional names from the configuration, such as the variable with a model's key. */
  passEnv: readonly string[];
  home: string;
  tmp: string;
  runId: string;
  /** Variables that an adapter sets for its program. */
  extra?: Readonly<Record<string, string>>;
};

/** Passes only variables that are on the allow-list or named in the configuration. */
export function buildEnvironment(choice: EnvironmentChoice): Record<string, string> {
  const { env, passEnv, home, tmp, runId, extra } = choice;
  const isPassed = (name: string): boolean =>
    ALLOWED.test(name) || (passEnv.includes(name) && !NEVER_PASSED.test(name));
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  const mark = { [RUN_MARKER]: runId };
  const path = keepAbsoluteEntries(env['PATH'] ?? '');
  return {
    // bubblewrap removes the marker from the program that it starts; without bubblewrap, only the marker finds a process
    // that left its parents. Without /proc, MergeXO reads the marker from a line of `ps`. A line break in any value ends
    // that line, so the marker comes first.
    ...mark,
    ...Object.fromEntries(passed),
    ...extra,
    PATH: extra?.['PATH'] ?? (path === '' ? DEFAULT_PATH : path),
    HOME: home,
    TMPDIR: tmp,
    TERM: 'dumb',
    ...mark,
  };
}

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** Redacts the secrets that the worker knows and the values of passed variables. */
export function createOutputRedact({
  env,
  passEnv,
  redact = createRedact([]),
}: Pick<EnvironmentChoice, 'env' | 'passEnv'> & { redact?: SecretRedact }): SecretRedact {
  redact.learn(passEnv.map((name) => env[name]));
  return redact;
}
