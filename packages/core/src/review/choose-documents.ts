const FOLDER = '.specify/';
const NAMES = ['spec.md', 'plan.md', 'tasks.md'];

/**
 * Returns the files of the base branch that specify the work: the design document, and the specification, plan and
 * tasks under `.specify/`. If `.specify/` has several features, only the feature that the change touches is included.
 * If the change touches several, none is included.
 */
export function chooseDocuments(
  paths: readonly string[],
  { designDocPath, changedFiles }: { designDocPath: string | null; changedFiles: readonly string[] },
): string[] {
  const found = paths.filter((path) => path.startsWith(FOLDER) && NAMES.includes(nameOf(path)));
  const folders = [...new Set(found.map(folderOf))];
  const touched = folders.filter((folder) => changedFiles.some((file) => file.startsWith(folder)));
  const candidates = folders.length === 1 ? folders : touched;
  const chosen = candidates.length === 1 ? candidates : [];
  const wanted = [designDocPath, ...chosen.flatMap((folder) => NAMES.map((name) => `${folder}${name}`))];
  return wanted.filter((path) => path !== null).filter((path) => paths.includes(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
