/** What an operator can say on a pull request. */
export type Command =
  | { kind: 'unblock'; headSha: string | null }
  | { kind: 'retry' }
  /** Lets the review loop go on after a person was asked. */
  | { kind: 'resume' }
  /** In the thread of a finding: it is none. */
  | { kind: 'dismiss' }
  /** Not an order to us but a wish to the agent: it is answered like a comment. */
  | { kind: 'update' }
  | { kind: 'status' }
  | { kind: 'help' }
  | { kind: 'unknown'; name: string };

const LINE = /^[ \t]{0,8}\/mergexo(?:[ \t]+([\w-]{1,40})((?:[ \t]+[^\s]{1,120}){0,4}))?[ \t]*$/i;

/** A command stands alone on its line, so that a sentence about it is none. Only the first one counts. */
export function parseCommand(body: string): { command: Command; rest: string } | undefined {
  const lines = body.slice(0, 20_000).replaceAll('\r', '').split('\n');
  const index = lines.findIndex((line) => LINE.test(line));
  if (index < 0) return undefined;
  const [, name = 'help', words = ''] = LINE.exec(lines[index] ?? '') ?? [];
  const rest = lines
    .filter((line) => !LINE.test(line))
    .join('\n')
    .trim();
  return { command: readCommand(name.toLowerCase(), words.trim()), rest };
}

function readCommand(name: string, words: string): Command {
  switch (name) {
    case 'unblock': {
      if (words === '') return { kind: 'unblock', headSha: null };
      const [, headSha] = /^head_sha=([0-9a-f]{40})$/i.exec(words) ?? [];
      return headSha === undefined
        ? { kind: 'unknown', name: `unblock ${words}` }
        : { kind: 'unblock', headSha: headSha.toLowerCase() };
    }
    case 'retry':
    case 'resume':
    case 'dismiss':
    case 'update':
    case 'status':
    case 'help':
      return { kind: name };
    default:
      return { kind: 'unknown', name };
  }
}
