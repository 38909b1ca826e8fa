import { createRedact, type Redact } from '@mergexo/core/text';
import { keepAbsoluteEntries, RUN_MARKER } from '@mergexo/process';

export type Environment = Readonly<Record<string, string | undefined>>;

const ALLOWED = /^(?:PATH|LANG|LC_[A-Z]+|TZ)$/;

/** Never passed on, whatever the configuration says: an agent must not use our GitHub token or our queue. */
const NEVER = /^(?:GITHUB_|GH_|MERGEXO_|REDIS)/i;

type EnvironmentChoice = {
  /** The worker's own environment. */
  env: Environment;
  /** Further names from the configuration, such as the key for a model. */
  passEnv: readonly string[];
  home: string;
  tmp: string;
  runId: string;
  /** Set by an adapter for its program. */
  extra?: Readonly<Record<string, string>>;
};

/** Variables that are not on the allow-list do not reach the agent. */
export function buildEnvironment(choice: EnvironmentChoice): Record<string, string> {
  const { env, passEnv, home, tmp, runId, extra } = choice;
  const isPassed = (name: string): boolean =>
    ALLOWED.test(name) || (passEnv.includes(name) && !NEVER.test(name));
  const passed = Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && isPassed(name) ? [[name, value] as const] : [],
  );
  const mark = { [RUN_MARKER]: runId };
  const path = keepAbsoluteEntries(env['PATH'] ?? '');
  return {
    // First: without /proc the marker is found in a line of `ps`, which a value with a line break would end.
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

/** Removes the values of passed variables, and further secrets, from the output of a program. */
export function createOutputRedact(
  { env, passEnv }: Pick<EnvironmentChoice, 'env' | 'passEnv'>,
  secrets: readonly string[] = [],
): Redact {
  return createRedact([...passEnv.flatMap((name) => env[name] ?? []), ...secrets]);
}
