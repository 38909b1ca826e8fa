import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of a checkout in which Codex looks for skills. */
const SKILL_FOLDERS = ['.agents', '.codex'];

const NOTE =
  '[MergeXO wrote ＄ instead of a dollar sign in front of names above, because Codex would replace such names with skills from the checkout. In files and answers, write a plain dollar sign.]';

/**
 * Replaces dollar signs in the prompt if the checkout may contain skills. Codex loads such a skill into the
 * conversation if the prompt contains `$` and its name, and no setting disables that. A change could
 * otherwise add a skill, name it in its description, and so instruct its own reviewer.
 */
export function disarmMentions(prompt: string, cwd: string): string {
  const hasSkills = SKILL_FOLDERS.some(
    (name) => lstatSync(join(cwd, name), { throwIfNoEntry: false }) !== undefined,
  );
  const disarmed = hasSkills ? prompt.replaceAll('$', '＄') : prompt;
  return disarmed === prompt ? prompt : `${disarmed}\n\n${NOTE}`;
}
