/** Tells the story: lines for people, or one JSON object per line for scripts. Colour only on a terminal. */
export type Narrator = {
  chapter(title: string): void;
  say(text: string): void;
  link(text: string, url: string): void;
  /** Says what is waited for while it takes long, and how long it took. */
  wait<T>(what: string, work: () => Promise<T>): Promise<T>;
  table(rows: readonly (readonly [string, string])[]): void;
};

export function createNarrator(options: {
  json: boolean;
  write: (text: string) => void;
  colour: boolean;
}): Narrator {
  const { json, write, colour } = options;
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
    chapter(title) {
      chapters += 1;
      emit({ chapter: title }, `\n${paint(1, `${chapters}. ${title}`)}`);
    },
    say,
    link: (text, url) => emit({ say: text, url }, `${paint(2, clock())}  ${text} ${paint(36, url)}`),
    async wait(what, work) {
      const begun = performance.now();
      const patience = setInterval(() => say(`… ${what}`), 4_000);
      try {
        return await work();
      } catch (error) {
        say(`gave up: ${what}, after ${Math.round((performance.now() - begun) / 1_000)} s`);
        throw error;
      } finally {
        clearInterval(patience);
      }
    },
    table(rows) {
      const width = Math.max(...rows.map(([name]) => name.length));
      emit(
        { table: Object.fromEntries(rows) },
        `\n${rows.map(([name, value]) => `  ${name.padEnd(width)}  ${paint(1, value)}`).join('\n')}`,
      );
    },
  };
}
