import { mustRun, type Repository } from '../run/run-git.js';

export type ComposeRequest = {
  base: string;
  /** The commit from which the files are taken. */
  from: string;
  paths: ReadonlySet<string>;
};

/** Writes a tree with the files of the base, in which these paths have the content of another commit. */
export async function composeTree(
  repository: Repository & { indexFile: string },
  { base, from, paths }: ComposeRequest,
): Promise<string> {
  const { indexFile } = repository;
  const action = `adding ${paths.size} files of ${from} to ${base}`;
  const run = (args: string[], input?: Buffer) =>
    mustRun(repository, { action, args, indexFile, ...(input && { input }) });
  const listed = await run(['ls-tree', '-r', '-z', '--full-tree', from]);
  const chosen = listed
    .toString('latin1')
    .split('\0')
    .filter((record) => paths.has(toPath(record)));
  await run(['read-tree', base]);
  const records = Buffer.from(chosen.map((record) => `${record}\0`).join(''), 'latin1');
  await run(['update-index', '-z', '--replace', '--index-info'], records);
  return (await run(['write-tree'])).toString().trim();
}

const toPath = (record: string): string =>
  Buffer.from(record.slice(record.indexOf('\t') + 1), 'latin1').toString();
