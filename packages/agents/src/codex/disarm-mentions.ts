import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of a checkout in which Codex looks for skills. */
const SKILL_FOLDERS = ['.agents', '.codex'];

const NOTE =
  '[MergeXO wrote ＄ instead of a dollar sign in front of names above, because Codex would replace such names with skills from the checkout. In files and answers, write a plain dollar sign.]';

/**
 * Codex loads a skill from the checkout into the conversation if the prompt contains `$` and its name, and no setting
 * disables that. A change that adds a skill and names it in its description could thereby instruct its own reviewer.
 */
export function disarmMentions(prompt: string, cwd: string): string {
  const hasSkills = SKILL_FOLDERS.some(
    (name) => lstatSync(join(cwd, name), { throwIfNoEntry: false }) !== undefined,
  );
  const disarmed = hasSkills ? prompt.replaceAll('$', '＄') : prompt;
  return disarmed === prompt ? prompt : `${disarmed}\n\n${NOTE}`;
}
