import { notFound } from '../../basics/api-error.js';
import { readContent, type TreeEntry } from '../../git/contents.js';
import { type Answer, ok, param } from '../../rest/call.js';
import { commitOr404, type RepoCall, repoRoute } from '../../rest/repo-route.js';
import { repoPage, repoUrl } from '../../views/repo.js';

export const contentRoutes = [repoRoute('GET /contents/{path}', readPath)];

async function readPath(call: RepoCall): Promise<Answer> {
  const path = param(call, 'path').replace(/(?<!\/)\/+$/, '');
  const ref = call.query.get('ref') ?? call.repo.defaultBranch;
  const sha = await commitOr404(call, ref);
  const content = await readContent(call.world.gitRepo(call.repo).dir, sha, path);
  if (!content) throw notFound();
  if (content.kind === 'directory') return ok(content.entries.map((entry) => viewEntry(call, ref, entry)));
  const { entry, bytes } = content;
  const view = viewEntry(call, ref, entry);
  if (view.type === 'symlink') return ok({ ...view, target: bytes.toString() });
  if (view.type === 'submodule') return ok({ ...view, submodule_git_url: null });
  // Above one megabyte, GitHub omits the content from JSON responses.
  const large = bytes.length > 1_000_000;
  return ok({ ...view, content: large ? '' : toLines(bytes), encoding: large ? 'none' : 'base64' });
}

const toLines = (bytes: Buffer) => bytes.toString('base64').replace(/.{60}/g, '$&\n').replace(/\n?$/, '\n');

function viewEntry(call: RepoCall, ref: string, entry: TreeEntry) {
  const path = entry.path.split('/').map(encodeURIComponent).join('/');
  const root = repoUrl(call);
  const self = `${root}/contents/${path}?ref=${encodeURIComponent(ref)}`;
  const git = `${root}/git/${entry.type === 'tree' ? 'trees' : 'blobs'}/${entry.sha}`;
  const html = `${repoPage(call)}/${entry.type === 'tree' ? 'tree' : 'blob'}/${ref}/${path}`;
  const type = typeOf(entry);
  return {
    name: entry.path.slice(entry.path.lastIndexOf('/') + 1),
    path: entry.path,
    sha: entry.sha,
    size: entry.size,
    url: self,
    html_url: html,
    git_url: git,
    download_url: type === 'file' ? `${repoPage(call)}/raw/${ref}/${path}` : null,
    type,
    _links: { self, git, html },
  };
}

function typeOf(entry: TreeEntry): 'file' | 'dir' | 'symlink' | 'submodule' {
  if (entry.type === 'tree') return 'dir';
  if (entry.type === 'commit') return 'submodule';
  return entry.mode === '120000' ? 'symlink' : 'file';
}
