import { chooseAdditions, type Frame } from '@mergexo/core/prompts';
import type { TurnKind } from '@mergexo/core/turns';
import type { PlanTools, Task } from '../task.js';

/** What every prompt of the turn shares. */
export async function buildFrame(
  { readRules }: Pick<PlanTools, 'readRules'>,
  task: Task,
  kind: TurnKind,
): Promise<Frame> {
  const { turnKey, attempt } = task.begun;
  const files = readRules === undefined ? [] : await readRules(task);
  return { turnKey, attempt, additions: chooseAdditions(kind, files, task.repo.codingGuidelinesPath) };
}
