import { FLOW_TRAITS, FLOWS, type Flow } from '../flows/flow.js';
import { listVisibleLines } from '../markdown/list-visible-lines.js';
import { type Command, isPlain } from './command-kind.js';

const LINE = /^[ \t]{0,8}\/mergexo(?:[ \t]+([\w-]{1,40})((?:[ \t]+[^\s]{1,120}){0,4}))?[ \t]*$/i;

/** Maximum length of a comment on GitHub. */
const MAX_COMMENT = 65_536;

/**
 * Finds the first command in a comment. A command must be alone on its line, so that mentioning a command in a sentence
 * does not trigger it. The line must be visible text: people paste text that hides commands in HTML or code.
 */
export function parseCommand(
  body: string,
): { command: Command; rest: string; ignored: readonly string[] } | undefined {
  // A lone carriage return ends a line in Markdown too.
  const text = body.replace(/\r\n?/g, '\n');
  const lines = text.split('\n');
  if (!lines.some((line) => LINE.test(line))) return undefined;
  const visible = listVisibleLines(text.slice(0, MAX_COMMENT));
  const isCommand = (line: string, at: number): boolean => visible.has(at) && LINE.test(line);
  const [first, ...others] = lines.filter(isCommand);
  if (first === undefined) return undefined;
  const [, name = 'help', words = ''] = LINE.exec(first) ?? [];
  const rest = lines.filter((line, at) => !isCommand(line, at)).join('\n');
  return {
    command: readCommand(name.toLowerCase(), words.trim()),
    rest: rest.trim(),
    ignored: others.map((line) => line.trim().slice('/mergexo'.length).trim()),
  };
}

/** Returns the flow that a comment's command starts; undefined if the comment has no start command. */
export function parseStartCommand(body: string): Flow | undefined {
  const command = parseCommand(body)?.command;
  return command?.kind === 'start' ? command.flow : undefined;
}

function readCommand(name: string, words: string): Command {
  if (name === 'unblock') return readUnblock(words);
  // Other words may be a sentence about the command, or arguments that it does not have.
  if (isPlain(name)) return words === '' ? { kind: name } : { kind: 'unknown', name: `${name} ${words}` };
  const flow = FLOWS.find((candidate) => FLOW_TRAITS[candidate].command === name);
  return flow === undefined || words !== '' ? { kind: 'unknown', name } : { kind: 'start', flow };
}

function readUnblock(words: string): Command {
  if (words === '') return { kind: 'unblock', headSha: null };
  const [, headSha] = /^head_sha=([0-9a-f]{40})$/i.exec(words) ?? [];
  return headSha === undefined
    ? { kind: 'unknown', name: `unblock ${words}` }
    : { kind: 'unblock', headSha: headSha.toLowerCase() };
}
