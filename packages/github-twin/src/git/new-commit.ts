export type Author = { name: string; email: string };
/** Null removes the file. */
export type FileContents = Record<string, string | Buffer | null>;
export type NewCommit = {
  files: FileContents;
  message: string;
  parent: string | null;
  author: Author;
  atMs: number;
};
