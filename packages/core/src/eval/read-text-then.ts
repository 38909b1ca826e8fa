/** The versions of an issue's or pull request's text. */
export type TextHistory = {
  title: string;
  body: string;
  /** The versions of an edited body, newest first; empty if nobody edited it. The text of a deleted version is null. */
  bodies: readonly { at: string; text: string | null }[];
  /** Changes of the title, oldest first. `hasMoreRenames`: the list lacks the last ones. */
  renames: readonly { at: string; from: string }[];
  hasMoreRenames: boolean;
};

/** Returns the text as it was just before a time; undefined if GitHub no longer knows it. */
export function readTextThen(
  history: TextHistory,
  time: string,
): { title: string; body: string } | undefined {
  const title = readTitle(history, time);
  const body = readBody(history, time);
  return title === undefined || body === null ? undefined : { title, body };
}

function readTitle({ title, renames, hasMoreRenames }: TextHistory, time: string): string | undefined {
  const next = renames.find(({ at }) => at >= time);
  if (next !== undefined) return next.from;
  return hasMoreRenames ? undefined : title;
}

function readBody({ body, bodies }: TextHistory, time: string): string | null {
  if (bodies.length === 0) return body;
  return bodies.find(({ at }) => at < time)?.text ?? null;
}
