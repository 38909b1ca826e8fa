import { FLOW_TRAITS, FLOWS, type Flow } from '../flows/flow.js';
import { MAX_REASON } from '../ledger/operator-fields.js';
import { listVisibleLines } from '../markdown/list-visible-lines.js';
import { type Command, isPlain, isReasoned } from './command-kind.js';

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
  if (!lines.some(hasCommand)) return undefined;
  const visible = listVisibleLines(text.slice(0, MAX_COMMENT));
  const isCommand = (line: string, at: number): boolean => visible.has(at) && hasCommand(line);
  const [first, ...others] = lines.filter(isCommand);
  if (first === undefined) return undefined;
  const { order, reason } = splitReason(first);
  const [, name = 'help', words = ''] = LINE.exec(order) ?? [];
  const rest = lines.filter((line, at) => !isCommand(line, at)).join('\n');
  return {
    command: readCommand(name.toLowerCase(), words.trim(), reason),
    rest: rest.trim(),
    ignored: others.map((line) => line.trim().slice('/mergexo'.length).trim()),
  };
}

/** Returns the flow that a comment's command starts; undefined if the comment has no start command. */
export function parseStartCommand(body: string): Flow | undefined {
  const command = parseCommand(body)?.command;
  return command?.kind === 'start' ? command.flow : undefined;
}

const hasCommand = (line: string): boolean => LINE.test(splitReason(line).order);

/** Splits a line before `reason=`. The reason is the rest of the line. */
function splitReason(line: string): { order: string; reason: string | null } {
  const at = line.search(/[ \t]reason=/i);
  if (at < 0) return { order: line, reason: null };
  const reason = line.slice(at + ' reason='.length).trim();
  return { order: line.slice(0, at), reason: reason.slice(0, MAX_REASON) };
}

function readCommand(name: string, words: string, reason: string | null): Command {
  if (name === 'unblock') return readUnblock(words, reason);
  // Other words may be a sentence about the command, or arguments that it does not have.
  const unknown = { kind: 'unknown', name: [name, words, reason].filter(Boolean).join(' ') } as const;
  if (isReasoned(name)) return words === '' ? { kind: name, reason: reason || null } : unknown;
  if (words !== '' || reason !== null) return isPlain(name) ? unknown : { kind: 'unknown', name };
  if (isPlain(name)) return { kind: name };
  const flow = FLOWS.find((candidate) => FLOW_TRAITS[candidate].command === name);
  return flow === undefined ? { kind: 'unknown', name } : { kind: 'start', flow };
}

function readUnblock(words: string, reason: string | null): Command {
  if (words === '') return { kind: 'unblock', headSha: null, reason: reason || null };
  const [, headSha] = /^head_sha=([0-9a-f]{40})$/i.exec(words) ?? [];
  return headSha === undefined
    ? { kind: 'unknown', name: `unblock ${words}` }
    : { kind: 'unblock', headSha: headSha.toLowerCase(), reason: reason || null };
}
