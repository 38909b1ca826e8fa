export type Narrator = ReturnType<typeof createNarrator>;

type Options = { json: boolean; write: (text: string) => void; colour: boolean };

/** Prints the story: plain lines for people, or one JSON object per line for scripts. */
export function createNarrator({ json, write, colour }: Options) {
  const startedAt = performance.now();
  const clock = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5)} s`;
  const paint = (code: number, text: string): string => (colour ? `\u001b[${code}m${text}\u001b[0m` : text);
  const emit = (event: object, line: string): void =>
    write(
      json
        ? `${JSON.stringify({ at_ms: Math.round(performance.now() - startedAt), ...event })}\n`
        : `${line}\n`,
    );
  let chapters = 0;
  const say = (text: string): void => emit({ say: text }, `${paint(2, clock())}  ${text}`);
  return {
    chapter(title: string): void {
      chapters += 1;
      emit({ chapter: title }, `\n${paint(1, `${chapters}. ${title}`)}`);
    },
    say,
    link: (text: string, url: string): void =>
      emit({ say: text, url }, `${paint(2, clock())}  ${text} ${paint(36, url)}`),
    /** Prints a reminder every few seconds until the work ends. */
    async wait<T>(what: string, work: () => Promise<T>): Promise<T> {
      const begun = performance.now();
      const reminder = setInterval(() => say(`… waiting for ${what}`), 4_000);
      try {
        return await work();
      } catch (error) {
        say(`Stopped waiting for ${what} after ${Math.round((performance.now() - begun) / 1_000)} s`);
        throw error;
      } finally {
        clearInterval(reminder);
      }
    },
    table(rows: readonly (readonly [string, string])[]): void {
      const width = Math.max(...rows.map(([name]) => name.length));
      emit(
        { table: Object.fromEntries(rows) },
        `\n${rows.map(([name, value]) => `  ${name.padEnd(width)}  ${paint(1, value)}`).join('\n')}`,
      );
    },
  };
}
