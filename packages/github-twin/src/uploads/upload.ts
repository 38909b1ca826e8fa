import { randomUUID } from 'node:crypto';
import { signPath } from '../http/signed-path.js';
import type { Upload } from '../store/rows.js';
import type { World } from '../world/world.js';

export type UploadInput = Partial<Pick<Upload, 'isPrivate' | 'isExpired' | 'redirect'>> & {
  bytes: Buffer;
  /** The file's name; absent for an image, because the URL of an image contains no name. */
  name?: string;
};

/** Stores a file and returns its URL, which people paste into issues and comments. */
export function addUpload(world: World, { bytes, name, ...options }: UploadInput): string {
  const guid = randomUUID();
  const id = world.store.nextId();
  const path = name === undefined ? `assets/${guid}` : `files/${id}/${encodeURIComponent(name)}`;
  world.uploads.push({
    path: `/user-attachments/${path}`,
    storedPath: `/_uploads/${id}-${guid}.png`,
    bytes,
    isPrivate: false,
    isExpired: false,
    redirect: null,
    ...options,
  });
  return `${world.url}/user-attachments/${path}`;
}

export function signUpload(world: World, { storedPath, isExpired }: Upload): string {
  return `${world.url}${signPath(world, storedPath, isExpired ? -1 : undefined)}`;
}
