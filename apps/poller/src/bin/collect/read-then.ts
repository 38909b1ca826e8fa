import { readTextThen } from '@mergexo/core/eval';
import type { GitHub } from '@mergexo/github';

type Text = { number: number; title: string; body: string };
type Tools = { github: Pick<GitHub, 'fetchTextHistory'>; repo: { fullName: string } };

/** `text` is undefined if the earlier text is gone. `notes` explains every difference to the current text. */
type Then<T extends Text> = { text: T | undefined; notes: string[] };

/** Returns an issue or pull request with the title and body that it had just before a time. */
export async function readThen<T extends Text>(
  { github, repo }: Tools,
  thread: T,
  time: string,
): Promise<Then<T>> {
  const { number, title, body } = thread;
  const history = await github.fetchTextHistory(repo.fullName, number);
  if (history === null) {
    const note = `MergeXO could not read the history of #${number}, so the replay uses the current text`;
    return { text: thread, notes: [note] };
  }
  const then = readTextThen(history, time);
  if (then === undefined) return { text: undefined, notes: [`the earlier text of #${number} is gone`] };
  const isSame = then.title === title && then.body === body;
  const note = `#${number} was edited later, so the replay uses its earlier text`;
  return { text: { ...thread, ...then }, notes: isSame ? [] : [note] };
}
