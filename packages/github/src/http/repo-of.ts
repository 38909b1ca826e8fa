/**
 * Creates a function that finds the repository of a path, because each installation of an App has its own token. GitHub
 * links the next page of a list as `/repositories/{id}/…`, without the name, so `learn` remembers the ids.
 */
export function createRepoOf() {
  const names = new Map<string, string>();
  const find = (path: string): string | undefined => {
    const [, name, id = ''] = /^\/(?:repos\/([^/?]+\/[^/?]+)|repositories\/(\d+))/.exec(path) ?? [];
    return name ?? names.get(id);
  };
  return {
    find,
    /** Call this with the `link` header of the response to a path. */
    learn(path: string, link: string | undefined): void {
      const [, id] = /\/repositories\/(\d+)\//.exec(link ?? '') ?? [];
      const name = find(path);
      if (id !== undefined && name !== undefined) names.set(id, name);
    },
  };
}
