import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { SEARCH_PATH } from './shell.js';

export type FailingGit = ReturnType<typeof createFailingGit>;

/** Runs the real git, except for commands that a test makes fail. */
export function createFailingGit(dir: string) {
  const faults = join(dir, 'faults');
  mkdirSync(faults, { recursive: true });
  const real = SEARCH_PATH.split(delimiter).join(':');
  const script = `#!/bin/sh\n[ -f "${faults}/$1" ] && . "${faults}/$1"\nPATH="${real}" exec git "$@"\n`;
  writeFileSync(join(dir, 'git'), script);
  chmodSync(join(dir, 'git'), 0o755);
  return {
    searchPath: [dir, SEARCH_PATH].join(delimiter),
    /** Makes the command run this line of shell code first. */
    fail: (command: string, line: string) => writeFileSync(join(faults, command), `${line}\n`),
    recover: (): void => {
      rmSync(faults, { recursive: true });
      mkdirSync(faults);
    },
  };
}
