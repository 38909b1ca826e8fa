import { readFileSync } from 'node:fs';
import type { ServiceKind } from './build-service.js';
import { PLIST_PATH, UNIT_PATH } from './render-unit.js';

export type Installed = { kind: ServiceKind; path: string };

const MARKS: Record<ServiceKind, { path: string; mark: string }> = {
  systemd: { path: UNIT_PATH, mark: 'Description=MergeXO' },
  launchd: { path: PLIST_PATH, mark: '<string>org.mergexo.up</string>' },
};

/** Finds the service file. Ignores a file of the same name that MergeXO did not write. */
export function findService(homeDir: string): Installed | undefined {
  const kinds: ServiceKind[] = ['systemd', 'launchd'];
  return kinds.flatMap((kind) => {
    const path = MARKS[kind].path.replace('~', homeDir);
    return read(path)?.includes(MARKS[kind].mark) ? [{ kind, path }] : [];
  })[0];
}

/** True if another program's file has the path of the service file. */
export function isForeign(kind: ServiceKind, homeDir: string): boolean {
  const text = read(MARKS[kind].path.replace('~', homeDir));
  return text !== undefined && !text.includes(MARKS[kind].mark);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
