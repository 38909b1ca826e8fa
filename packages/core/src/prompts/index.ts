export { chooseAdditions, listRulePaths, type RepoFile } from './additions.js';
export { chooseSummary, decideSession, type SessionMode } from './decide-session.js';
export { renderTestsComplaint } from './repair-prompts.js';
export type { Frame } from './system-base.js';
