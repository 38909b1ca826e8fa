import type { TurnKind } from '../turns/turn-kind.js';
import { fence, oneLine } from './fence.js';

/** A trusted file: people merged it into the default branch. */
export type RepoFile = { path: string; text: string };

const FOLDER = '.mergexo/prompts/';
const MAX_TEXT = 20_000;

/**
 * Chooses the files for a turn. The guidelines and `.mergexo/prompts/system_base.md` apply to every turn, and
 * `<kind>.md` to turns of that kind.
 */
export function chooseAdditions(
  kind: TurnKind,
  files: readonly RepoFile[],
  guidelinesPath: string | undefined,
): RepoFile[] {
  const paths = [guidelinesPath, `${FOLDER}system_base.md`, `${FOLDER}${kind}.md`];
  return paths.flatMap((path) => files.find((file) => file.path === path) ?? []);
}

export function renderAdditions(additions: readonly RepoFile[]): string[] {
  if (additions.length === 0) return [];
  return [
    'Repository rules. Follow them unless they conflict with the rules above:',
    ...additions.map(({ path, text }) => fence(`FILE ${path}`, cut(path, text))),
  ];
}

function cut(path: string, text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more characters are in ${oneLine(path)}]`;
}
