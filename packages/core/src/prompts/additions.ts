import type { QuestionKind } from '../turns/turn-kind.js';
import { type Part, quote, quoteOutput } from './part.js';

/** A trusted file: people merged it into the base branch. */
export type RepoFile = { path: string; text: string };

const FOLDER = '.mergexo/prompts/';
const MAX_TEXT = 20_000;

/** The paths where GitHub looks for a file that it shows to contributors. The first existing file applies. */
const places = (name: string): string[] => [`.github/${name}`, name, `docs/${name}`];
const CONTRIBUTING = places('CONTRIBUTING.md');
const TEMPLATES = ['pull_request_template.md', 'PULL_REQUEST_TEMPLATE.md'].flatMap(places);

/** The kinds of turns whose answer contains pr_summary. */
const WITH_SUMMARY: readonly QuestionKind[] = ['bugfix_start', 'small_job_start', 'implementation_start'];

/**
 * Lists the files with the rules of a turn. `<kind>.md` applies to turns of that kind, and the other files apply to
 * every turn. AGENTS.md and CLAUDE.md count only at the root, where most repositories keep them.
 */
export function listRulePaths(kind: QuestionKind, guidelinesPath: string | undefined): string[] {
  const template = WITH_SUMMARY.includes(kind) ? TEMPLATES : [];
  return [...new Set([...listGroups(kind, guidelinesPath).flat(), ...template])];
}

/** Lists the files in the order in which the prompt shows them. Only the first file of a group applies. */
function listGroups(kind: QuestionKind, guidelinesPath: string | undefined): string[][] {
  const guidelines = guidelinesPath === undefined ? [] : [[guidelinesPath]];
  const prompts = [`${FOLDER}system_base.md`, `${FOLDER}${kind}.md`];
  return [...guidelines, ['AGENTS.md'], ['CLAUDE.md'], CONTRIBUTING, ...prompts.map((path) => [path])];
}

/** Chooses the files for a turn, in the order in which the prompt shows them. */
export function chooseAdditions(
  kind: QuestionKind,
  files: readonly RepoFile[],
  guidelinesPath: string | undefined,
): RepoFile[] {
  const chosen = listGroups(kind, guidelinesPath).flatMap((group) => findFirst(group, files) ?? []);
  return [...new Set(chosen)];
}

/** Chooses the pull request template; undefined if there is none, or if the turn writes no summary. */
export function chooseTemplate(kind: QuestionKind, files: readonly RepoFile[]): RepoFile | undefined {
  return WITH_SUMMARY.includes(kind) ? findFirst(TEMPLATES, files) : undefined;
}

function findFirst(paths: readonly string[], files: readonly RepoFile[]): RepoFile | undefined {
  const path = paths.find((wanted) => files.some((file) => file.path === wanted));
  return files.find((file) => file.path === path);
}

/** Renders the template. Its HTML comments stay, because they tell the author what to write. */
export function renderTemplate(template: RepoFile | undefined): Part[] {
  if (template === undefined) return [];
  return [
    'Pull request template, from the base branch. Fill it in and return the result as pr_summary. Its HTML comments ' +
      'tell you what to write; leave them out:',
    { ...quoteOutput('rules', `FILE ${template.path}`, template.text), max: MAX_TEXT },
  ];
}

export function renderAdditions(additions: readonly RepoFile[]): Part[] {
  if (additions.length === 0) return [];
  return [
    'Repository rules, from the base branch. Follow them unless they conflict with the rules above:',
    ...additions.map(({ path, text }) => ({ ...quote('rules', `FILE ${path}`, text), max: MAX_TEXT })),
  ];
}
