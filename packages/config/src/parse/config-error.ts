/** `path` is the dotted key as spelled in the file, or '' for the file as a whole. */
export type Problem = { readonly path: string; readonly message: string };

/** Lists every problem in a config file in one readable message. */
export class ConfigError extends Error {
  readonly sourceName: string;
  readonly problems: readonly Problem[];

  constructor(sourceName: string, problems: readonly Problem[], options?: ErrorOptions) {
    super(describe(sourceName, problems), options);
    this.name = 'ConfigError';
    this.sourceName = sourceName;
    this.problems = problems;
  }
}

/** Creates an error about the file as a whole. */
export function fileError(sourceName: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError(sourceName, [{ path: '', message }], { cause });
}

function describe(sourceName: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const lines = problems.map(({ path, message }) => `  ${path === '' ? message : `${path}: ${message}`}`);
  return [`${sourceName} has ${count}:`, ...lines].join('\n');
}
