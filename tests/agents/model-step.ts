/** The fake model's response to one request. Each fake server encodes the response in its own protocol. */
export type ModelStep =
  /** The final answer. */
  | { answer: unknown }
  /** Free text instead of a structured answer. */
  | { freeText: string }
  | { run: string }
  /** Opens an image. */
  | { view: string }
  | { write: { path: string; text: string } }
  | { status: number; body?: unknown; headers?: Readonly<Record<string, string>> }
  /** Accepts the request and never responds. */
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
  /** Responds to the next requests with these steps, and repeats the last step forever. */
  play(...steps: readonly ModelStep[]): void;
  close(): Promise<void>;
};
