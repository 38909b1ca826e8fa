import { looksLikeSecret, soundsSecret } from '@mergexo/config';
import { createFindSecrets, type FindSecrets, keepNewest, type SecretRedact } from '@mergexo/core/text';

/** The secrets that must not be in a commit. Redaction knows more values, some of which occur in ordinary files. */
export type KnownSecrets = {
  /** Adds secrets to search for and to redact. Never forgets them. */
  learn(values: readonly string[]): void;
  /** Adds the tokens of an agent's login. Remembers only the newest tokens. */
  learnTokens(tokens: readonly string[]): void;
  findSecrets: FindSecrets;
};

export function createKnownSecrets(redact: SecretRedact, initial: readonly string[]): KnownSecrets {
  const known = new Set<string>();
  const newest = new Set<string>();
  let findSecrets = createFindSecrets([]);
  const update = (): void => {
    findSecrets = createFindSecrets([...known, ...newest]);
  };
  const learn = (values: readonly string[]): void => {
    redact.learn(values);
    const before = known.size;
    for (const value of values) known.add(value);
    if (known.size > before) update();
  };
  const learnTokens = (tokens: readonly string[]): void => {
    redact.learnTokens(tokens);
    if (keepNewest(newest, tokens)) update();
  };
  learn(initial);
  return { learn, learnTokens, findSecrets: (content) => findSecrets(content) };
}

/**
 * Returns the values of `pass_env` variables whose name or value looks like a secret. Other values, such as the name of
 * a model, occur in ordinary files.
 */
export function listPassedSecrets(
  names: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  return names.flatMap((name) => {
    const value = env[name] ?? '';
    const isSecret = soundsSecret(name) || /(?:^|_)key$/i.test(name) || looksLikeSecret(value);
    return isSecret && value !== '' ? [value] : [];
  });
}
