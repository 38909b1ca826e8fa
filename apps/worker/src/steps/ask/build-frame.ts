import { chooseAdditions, type Frame, listRulePaths } from '@mergexo/core/prompts';
import type { TurnKind } from '@mergexo/core/turns';
import type { Task } from '../task.js';
import { readTexts } from './read-texts.js';

const MAX_BYTES = 200_000;

/** Builds the parts that all prompts of the turn share. Reads only rules that people have merged into the base branch. */
export async function buildFrame(task: Task, kind: TurnKind): Promise<Frame> {
  const { turnKey, attempt, turnKind } = task.begun;
  const { codingGuidelinesPath } = task.repo;
  const paths = listRulePaths(turnKind, codingGuidelinesPath);
  const files = await readTexts(task.slot, { sha: task.baseSha, paths, maxBytes: MAX_BYTES });
  return { turnKey, attempt, additions: chooseAdditions(kind, files, codingGuidelinesPath) };
}
