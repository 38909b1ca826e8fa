import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SEARCH_PATH } from './shell.js';

export type FailingGit = {
  searchPath: string;
  /** From now on the command runs this line of shell first. */
  fail(command: string, script: string): void;
  recover(): void;
};

/** The real git, except for the commands that are made to fail. */
export function createFailingGit(dir: string): FailingGit {
  const faults = join(dir, 'faults');
  mkdirSync(faults, { recursive: true });
  const real = SEARCH_PATH.split(delimiter).join(':');
  const script = `#!/bin/sh\n[ -f "${faults}/$1" ] && . "${faults}/$1"\nPATH="${real}" exec git "$@"\n`;
  writeFileSync(join(dir, 'git'), script);
  chmodSync(join(dir, 'git'), 0o755);
  return {
    searchPath: [dir, SEARCH_PATH].join(delimiter),
    fail: (command, line) => writeFileSync(join(faults, command), `${line}\n`),
    recover: () => {
      rmSync(faults, { recursive: true });
      mkdirSync(faults);
    },
  };
}
