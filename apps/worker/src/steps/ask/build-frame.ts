import {
  chooseAdditions,
  chooseTemplate,
  editsFiles,
  type Frame,
  listRulePaths,
} from '@mergexo/core/prompts';
import type { QuestionKind } from '@mergexo/core/turns';
import type { Task } from '../task.js';
import { readTexts } from './read-texts.js';

/** Maximum size of a rule file. The prompt shows only its beginning, and offers the whole file. */
const MAX_BYTES = 5_000_000;

/** Builds the parts that all prompts of the turn share. Reads only rules that people have merged into the base branch. */
export async function buildFrame(task: Task, kind: QuestionKind): Promise<Frame> {
  const { turnKey, attempt } = task.begun;
  const { codingGuidelinesPath } = task.repo;
  const checking = editsFiles(kind) ? task.checking : null;
  if (task.omits.includes('rules')) return { turnKey, attempt, additions: [], checking };
  const paths = listRulePaths(kind, codingGuidelinesPath);
  const files = await readTexts(task.slot, { sha: task.baseSha, paths, maxBytes: MAX_BYTES });
  const additions = chooseAdditions(kind, files, codingGuidelinesPath);
  return { turnKey, attempt, additions, template: chooseTemplate(kind, files), checking };
}
