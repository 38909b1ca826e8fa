/** What the fake model answers to one request; each fake says it in its own protocol. */
export type ModelStep =
  /** The final answer. */
  | { answer: unknown }
  /** Words where an answer should be. */
  | { words: string }
  | { run: string }
  | { write: { path: string; text: string } }
  | { status: number; body?: unknown; headers?: Readonly<Record<string, string>> }
  /** Takes the request and never answers. */
  | { hang: true };

export type ModelRequest = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  text: string;
};

export type FakeModel = {
  port: number;
  requests: readonly ModelRequest[];
  /** Answers what comes next with these, the last one for ever. */
  play(...steps: readonly ModelStep[]): void;
  close(): Promise<void>;
};
