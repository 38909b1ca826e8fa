import type { RepoConfig } from '@mergexo/config';
import {
  findUploadHosts,
  listUploads,
  MAX_UPLOADS,
  type PlacedUpload,
  type UploadContent,
} from '@mergexo/core/attachments';
import { chooseReplayKind, type EvalCase, type Replay } from '@mergexo/core/eval';
import { findDistrust } from '@mergexo/core/runs';
import type { GitHub } from '@mergexo/github';
import type { CaseTexts } from './collect-case.js';

type UploadTools = { github: Pick<GitHub, 'fetchUpload'>; repo: RepoConfig; apiUrl: string };

/** Lists the uploads in the texts of each replay, and downloads each file once. */
export async function collectUploads(
  { github, repo, apiUrl }: UploadTools,
  texts: CaseTexts,
): Promise<Pick<EvalCase, 'uploads' | 'files'>> {
  const { web } = findUploadHosts(apiUrl);
  // The texts have only logins, so the account id and type are placeholders.
  const isTrusted = (login: string): boolean =>
    findDistrust({ id: 0, login, type: 'User' }, repo.allowedUsers) === undefined;
  const placed = new Map<string, PlacedUpload>();
  const list = (replay: Replay) => {
    const context = texts[replay];
    if (context === null) return { listed: [], omitted: 0 };
    const turn = { kind: chooseReplayKind(texts.start.flow, replay), context };
    const { listed, omitted } = listUploads(turn, { web, isTrusted });
    for (const upload of listed) if (upload.problem === null) placed.set(upload.url, upload);
    return { listed: listed.map(({ place: _place, ...upload }) => upload), omitted };
  };
  const uploads = { start: list('start'), feedback: list('feedback'), review: list('review') };
  const files: Record<string, UploadContent> = {};
  // The limit of one turn also applies to the whole case, because all its files are in memory at once.
  for (const [index, upload] of [...placed.values()].entries())
    files[upload.url] =
      index < MAX_UPLOADS ? await download(github, repo, upload) : { kind: 'missing', problem: 'too_many' };
  return { uploads, files };
}

async function download(
  github: UploadTools['github'],
  { fullName }: RepoConfig,
  upload: PlacedUpload,
): Promise<UploadContent> {
  const fetched = await github.fetchUpload(fullName, upload);
  if (fetched.kind === 'missing') return fetched;
  return { kind: 'file', type: fetched.type, data: fetched.bytes.toString('base64') };
}
