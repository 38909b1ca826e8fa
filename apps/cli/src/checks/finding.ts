export type Finding = {
  name: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  fix?: string;
};

/** Returns the message of an error, or the text of a thrown value that is not an `Error`. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
