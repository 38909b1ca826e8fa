/** One thing that is wrong: `path` is the dotted key as the file spells it, or '' for the file as a whole. */
export type Problem = { readonly path: string; readonly message: string };

/** Everything that is wrong with a configuration, told at once; its message is ready to be shown to a person. */
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

function describe(sourceName: string, problems: readonly Problem[]): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  const lines = problems.map(({ path, message }) => `  ${path === '' ? message : `${path}: ${message}`}`);
  return [`${sourceName} has ${count}:`, ...lines].join('\n');
}
