import { chooseAdditions, type Frame } from '@mergexo/core/prompts';
import type { TurnKind } from '@mergexo/core/turns';
import type { Task } from '../task.js';
import { readTexts } from './read-texts.js';

const MAX_BYTES = 200_000;

/**
 * Builds the parts that all prompts of the turn share. Reads rules from the base branch, where people have merged
 * them.
 */
export async function buildFrame(task: Task, kind: TurnKind): Promise<Frame> {
  const { turnKey, attempt, turnKind } = task.begun;
  const { codingGuidelinesPath } = task.repo;
  const prompts = ['.mergexo/prompts/system_base.md', `.mergexo/prompts/${turnKind}.md`];
  const paths = codingGuidelinesPath === undefined ? prompts : [codingGuidelinesPath, ...prompts];
  const files = await readTexts(task.slot, { sha: task.baseSha, paths, maxBytes: MAX_BYTES });
  return { turnKey, attempt, additions: chooseAdditions(kind, files, codingGuidelinesPath) };
}
