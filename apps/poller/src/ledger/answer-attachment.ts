import type { PlacedUpload, UploadContent, UploadList } from '@mergexo/core/attachments';
import { Failure } from '@mergexo/core/basics';
import { type AttachmentMessage, checkHeld, isProven, type LedgerAnswer } from '@mergexo/core/ledger';
import type { SigningKeys } from '@mergexo/core/outbox';
import type { Turn } from '@mergexo/core/turns';
import type { FetchedUpload } from '@mergexo/github';
import type { Records } from '../tools.js';
import { refuseUnproven } from './refuse-message.js';
import type { ReportLimit } from './report-limit.js';

/** How the poller finds and downloads the files that people uploaded. */
export type Uploads = {
  /** Lists the uploads in the texts of a turn. Sends no request. */
  list: (turn: Turn) => { listed: PlacedUpload[]; omitted: number };
  /** False until the poller has read the repository. */
  isReady: (repoId: number) => boolean;
  fetch: (repoId: number, upload: PlacedUpload) => Promise<FetchedUpload>;
};

type AttachmentTools = Records & { keys: SigningKeys; mayReport: ReportLimit; uploads: Uploads };

/** Describes the uploads of a turn to its worker, if there are any. */
export function describeUploads(uploads: Pick<Uploads, 'list'>, turn: Turn): { uploads?: UploadList } {
  const { listed, omitted } = uploads.list(turn);
  if (listed.length === 0) return {};
  return { uploads: { listed: listed.map(({ place: _place, ...upload }) => upload), omitted } };
}

/**
 * Downloads a file for the worker that holds the turn. Stores nothing: if the answer is lost, the worker asks again, and
 * GitHub still has the file. Signed URLs expire after minutes, so the poller downloads only when a worker asks.
 */
export async function answerAttachment(
  tools: AttachmentTools,
  message: AttachmentMessage,
  from: string,
): Promise<LedgerAnswer> {
  const { state, keys } = tools;
  const turn = state.readTurn(message.turnKey);
  if (turn === undefined) return { kind: 'refused', reason: 'no such turn' };
  if (!isProven(message, turn, keys.current))
    return state.transaction(() => refuseUnproven(tools, { turn, message, from }));
  const barred = checkHeld(turn, message.attempt);
  if (barred !== undefined) return barred.kind === 'begun' ? { kind: 'ok' } : barred;
  // Throws instead of answering, so that the worker asks again. After a restart, the poller does not know the allowed
  // users yet.
  if (!tools.uploads.isReady(turn.repoId))
    throw new Failure('unavailable', 'The poller has not read the repository yet. The worker asks again.');
  const upload = tools.uploads.list(turn).listed[message.number - 1];
  if (upload === undefined || upload.problem !== null)
    return { kind: 'refused', reason: `the turn has no file ${message.number}` };
  return { kind: 'attachment', content: await fetchContent(tools, turn, upload) };
}

/** A file that cannot be downloaded does not stop the turn: the prompt names the file and the reason. */
async function fetchContent(
  tools: AttachmentTools,
  turn: Turn,
  upload: PlacedUpload,
): Promise<UploadContent> {
  const first = await tryToFetch(tools, turn, upload);
  // Retries once, because without the file the agent would work with incomplete input.
  const isTransient = first.kind === 'missing' && first.problem === 'unavailable';
  const fetched = isTransient ? await tryToFetch(tools, turn, upload) : first;
  if (fetched.kind === 'missing') return fetched;
  return { kind: 'file', type: fetched.type, data: fetched.bytes.toString('base64') };
}

async function tryToFetch(
  { uploads, log }: AttachmentTools,
  { repoId, turnKey }: Turn,
  upload: PlacedUpload,
): Promise<FetchedUpload> {
  try {
    return await uploads.fetch(repoId, upload);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    log.warn({ err: error, turn_key: turnKey, url: upload.url }, 'could not download an upload');
    return { kind: 'missing', problem: 'unavailable' };
  }
}
