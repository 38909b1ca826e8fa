import { looksLikeSecret, soundsSecret } from '@mergexo/config';
import { createFindSecrets, createRedact, type FindSecrets, type Redact } from '@mergexo/core/text';

/** The secrets that this worker has seen. Both functions also apply to secrets that the worker learns later. */
export type KnownSecrets = {
  learn(values: readonly string[]): void;
  redact: Redact;
  findSecrets: FindSecrets;
};

export function createKnownSecrets(initial: readonly string[]): KnownSecrets {
  const known = new Set<string>();
  let redact = createRedact([]);
  let findSecrets = createFindSecrets([]);
  const learn = (values: readonly string[]): void => {
    const before = known.size;
    for (const value of values) known.add(value);
    if (known.size === before) return;
    redact = createRedact([...known]);
    findSecrets = createFindSecrets([...known]);
  };
  learn(initial);
  return { learn, redact: (text) => redact(text), findSecrets: (content) => findSecrets(content) };
}

/**
 * Returns the values of `pass_env` that are secrets, by their name or their form. Other values, such as the name of a
 * model, occur in ordinary files.
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
