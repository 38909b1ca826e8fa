import { mkdir, mkdtemp, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Attached, AttachedFile, UploadList } from '@mergexo/core/attachments';
import { removeTree } from '@mergexo/process';
import type { MakePlan, Report } from '../make-plan.js';

/** Age at which a directory counts as left behind by a killed worker. No turn takes this long. */
const LEFTOVER_MS = 24 * 60 * 60 * 1_000;

/**
 * Saves people's uploads in a private directory before the planner runs, and removes them afterwards. MergeXO chooses
 * the file names, because an uploaded name could point outside the directory.
 */
export function attachUploads(root: string, makePlan: MakePlan): MakePlan {
  return async (begun, signal, report) => {
    const { uploads } = begun;
    if (uploads === undefined) return makePlan(begun, signal, report);
    const directory = await openDirectory(root);
    try {
      const attached = await writeFiles(directory, uploads, report);
      return await makePlan({ ...begun, attached }, signal, report);
    } finally {
      await removeTree(directory);
    }
  };
}

async function openDirectory(root: string): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  for (const name of await readdir(root)) {
    const { mtimeMs } = await stat(join(root, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
    if (Date.now() - mtimeMs > LEFTOVER_MS) await removeTree(join(root, name));
  }
  // Only this user can open the directory that `mkdtemp` creates.
  return mkdtemp(join(root, 'turn-'));
}

/** Requests the files one at a time, so that only one is in memory. */
async function writeFiles(directory: string, uploads: UploadList, report: Report): Promise<Attached> {
  const files: AttachedFile[] = [];
  const missing: Attached['missing'][number][] = [];
  for (const [index, { url, source, isNew, problem }] of uploads.listed.entries()) {
    if (problem !== null) {
      missing.push({ url, source, problem });
      continue;
    }
    report.step('downloading uploads');
    const content = await report.fetchUpload(index + 1);
    if (content.kind === 'missing') {
      missing.push({ url, source, problem: content.problem });
      continue;
    }
    const { type, data } = content;
    const path = join(directory, `${files.length + 1}.${type}`);
    await writeFile(path, Buffer.from(data, 'base64'), { mode: 0o600 });
    files.push({ path, type, url, source, isNew });
  }
  return { directory, files, missing, omitted: uploads.omitted };
}
