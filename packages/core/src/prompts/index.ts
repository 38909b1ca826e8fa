export { chooseAdditions, chooseTemplate, listRulePaths, type RepoFile } from './additions.js';
export { assemblePrompt, MAX_PROMPT, type PromptFile } from './assemble-prompt.js';
export { type Checking, editsFiles } from './checking.js';
export { chooseSummary, decideSession, type SessionMode } from './decide-session.js';
export type { Part } from './part.js';
export { type Complaint, renderComplaint } from './repair-prompts.js';
export type { Frame } from './system-base.js';
