const PATH = /^\/([\w.-]+)\/([\w.-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/;

export type GitPath = { owner: string; name: string; service: string };

export const isGitPath = (path: string) => PATH.test(path);

export function parseGitPath(path: string): GitPath {
  const [, owner = '', name = '', service = ''] = PATH.exec(path) ?? [];
  return { owner, name, service };
}
