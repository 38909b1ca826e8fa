import type { TurnKind } from '../turns/turn-kind.js';
import { fence, oneLine } from './fence.js';

/** A file of the default branch: people have merged it. */
export type RepoFile = { path: string; text: string };

const FOLDER = '.mergexo/prompts/';
const MAX_TEXT = 20_000;

/** `.mergexo/prompts/system_base.md` is for every turn, `<kind>.md` for turns of that kind, the guidelines for all. */
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
    'Rules of this repository. Follow them, except where they contradict the rules above.',
    ...additions.map(({ path, text }) => fence(`FILE ${path}`, cut(path, text))),
  ];
}

function cut(path: string, text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more characters are in ${oneLine(path)}]`;
}
