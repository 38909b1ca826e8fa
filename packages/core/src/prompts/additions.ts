import type { TurnKind } from '../turns/turn-kind.js';
import { fence } from './fence.js';

/** A trusted file: people merged it into the base branch. */
export type RepoFile = { path: string; text: string };

const FOLDER = '.mergexo/prompts/';
const MAX_TEXT = 20_000;

/**
 * Lists the files with the rules of a turn. `<kind>.md` applies to turns of that kind, and the other files apply to
 * every turn. AGENTS.md and CLAUDE.md count only at the root, where most repositories keep them.
 */
export function listRulePaths(kind: TurnKind, guidelinesPath: string | undefined): string[] {
  const guidelines = guidelinesPath === undefined ? [] : [guidelinesPath];
  const prompts = [`${FOLDER}system_base.md`, `${FOLDER}${kind}.md`];
  return [...new Set([...guidelines, 'AGENTS.md', 'CLAUDE.md', ...prompts])];
}

/** Chooses the files for a turn, in the order in which the prompt shows them. */
export function chooseAdditions(
  kind: TurnKind,
  files: readonly RepoFile[],
  guidelinesPath: string | undefined,
): RepoFile[] {
  return listRulePaths(kind, guidelinesPath).flatMap(
    (path) => files.find((file) => file.path === path) ?? [],
  );
}

export function renderAdditions(additions: readonly RepoFile[]): string[] {
  if (additions.length === 0) return [];
  return [
    'Repository rules, from the base branch. Follow them unless they conflict with the rules above:',
    ...additions.map(({ path, text }) => fence(`FILE ${path}`, cut(text))),
  ];
}

/** Does not name the file, because the working directory may contain another version of it. */
function cut(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT)}\n[${text.length - MAX_TEXT} more characters were cut]`;
}
