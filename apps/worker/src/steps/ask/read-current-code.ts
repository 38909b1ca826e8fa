import { Failure } from '@mergexo/core/basics';
import { type CurrentCode, carryLine, type FeedbackContext } from '@mergexo/core/turns';
import type { Task } from '../task.js';

const MAX_BYTES = 1_000_000;
/** Number of lines to show before and after the commented lines. */
const AROUND = 8;
const MAX_LINES = 80;

type Event = FeedbackContext['events'][number];
type Reading = Pick<Task, 'startSha'> & { slot: Pick<Task['slot'], 'diff' | 'readCommitted'> };

/** Returns the current code for outdated comments, by comment id. Omits comments on deleted lines of the base. */
export async function readCurrentCode(
  task: Reading,
  events: readonly Event[],
): Promise<Map<number, CurrentCode>> {
  const code = new Map<number, CurrentCode>();
  for (const event of events) {
    const current = event.side === 'LEFT' ? undefined : await readLines(task, event);
    if (current !== undefined) code.set(event.id, current);
  }
  return code;
}

async function readLines(
  { slot, startSha }: Reading,
  { path, outdated }: Event,
): Promise<CurrentCode | undefined> {
  if (outdated === null || path === null) return undefined;
  try {
    const diff = await slot.diff({ base: outdated.sha, head: startSha, path, maxBytes: MAX_BYTES });
    const [first, last] = [outdated.startLine ?? outdated.line, outdated.line].map((line) =>
      carryLine(diff, line),
    );
    const content = await slot.readCommitted({ sha: startSha, path, maxBytes: MAX_BYTES });
    if (first == null || last == null) return null;
    if (content === undefined || content.includes(0)) return undefined;
    const startLine = Math.max(1, first - AROUND);
    const lines = content.toString('utf8').split('\n');
    const wanted = Math.min(last + AROUND, lines.length);
    const end = Math.min(wanted, startLine + MAX_LINES - 1);
    return { startLine, text: lines.slice(startLine - 1, end).join('\n'), left: Math.max(0, wanted - end) };
  } catch (error) {
    // The commented commit may no longer exist. The agent then gets the comment without the current code.
    if (error instanceof Failure) return undefined;
    throw error;
  }
}
