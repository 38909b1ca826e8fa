import { z } from 'zod';
import { keysOf } from '../basics/keys-of.js';

/** The limits of one turn. GitHub accepts larger files, but an agent cannot use many files or large files. */
export const MAX_UPLOADS = 8;
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;
/** Maximum number of uploads that a prompt names, including those that MergeXO did not download. */
const MAX_LISTED = 20;

/** The files that MergeXO passes to agents, by extension. Excludes HTML and SVG, which can contain scripts. */
export const MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
  txt: 'text/plain',
  log: 'text/plain',
  json: 'application/json',
  csv: 'text/csv',
  md: 'text/markdown',
} as const;
export type FileType = keyof typeof MEDIA_TYPES;

/** Why MergeXO did not pass an upload to the agent, as text for the prompt. */
export const UPLOAD_PROBLEMS = {
  foreign_host: 'MergeXO downloads only files that were uploaded to GitHub',
  not_allowed: 'its author is not in allowed_users',
  too_many: `MergeXO downloads at most ${MAX_UPLOADS} files for a turn`,
  too_large: `the file has more than ${MAX_UPLOAD_BYTES / 1024 / 1024} MB`,
  wrong_type: 'the file is not a PNG, JPEG, GIF or WebP image, a PDF or a text file',
  not_readable: 'the file was deleted, or the token of MergeXO may not read it',
  expired: 'the signed URL from GitHub had expired',
  foreign_redirect: 'GitHub redirected to a server that MergeXO does not trust',
  unavailable: 'GitHub did not send the file in time',
} as const;
export type UploadProblem = keyof typeof UPLOAD_PROBLEMS;

/** An upload in the texts of a turn. */
export const ListedUpload = z.strictObject({
  url: z.string().max(2_100),
  /** Where the upload appears, such as "comment 12 by alice". */
  source: z.string().max(300),
  /** True if the upload appears in a comment that this turn answers. */
  isNew: z.boolean(),
  /** Null if the worker can ask for the file. */
  problem: z.enum(keysOf(UPLOAD_PROBLEMS)).nullable(),
});
export type ListedUpload = z.infer<typeof ListedUpload>;

export const UploadList = z.strictObject({
  /** The worker asks for a file by its 1-based position in this list. */
  listed: z.array(ListedUpload).max(MAX_LISTED),
  /** The number of further uploads, which the prompt does not name. */
  omitted: z.int().min(0),
});
export type UploadList = z.infer<typeof UploadList>;

/** The poller's answer to a worker that asked for a file. */
export const UploadContent = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('file'),
    type: z.enum(keysOf(MEDIA_TYPES)),
    /** The bytes in base64. */
    data: z.base64().max(Math.ceil(MAX_UPLOAD_BYTES / 3) * 4),
  }),
  z.strictObject({ kind: z.literal('missing'), problem: z.enum(keysOf(UPLOAD_PROBLEMS)) }),
]);
export type UploadContent = z.infer<typeof UploadContent>;

/** Cuts the list to the limits. MergeXO names uploads after the first `MAX_UPLOADS`, but does not download them. */
export function limitUploads<Upload extends ListedUpload>(
  uploads: readonly Upload[],
): { listed: Upload[]; omitted: number } {
  let room = MAX_UPLOADS;
  const listed = uploads.slice(0, MAX_LISTED).map((upload): Upload => {
    if (upload.problem !== null) return upload;
    room -= 1;
    return room < 0 ? { ...upload, problem: 'too_many' } : upload;
  });
  return { listed, omitted: uploads.length - listed.length };
}
