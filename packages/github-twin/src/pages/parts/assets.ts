import fs from 'node:fs';
import type { World } from '../../world/world.js';
import { renderAvatarImage } from './avatar.js';
import { colourClass, isColour } from './elements.js';

export type Asset = { type: string; body: string };

const FILES: Record<string, string> = {
  '/_pages/pages.css': 'text/css; charset=utf-8',
  '/_pages/pages.js': 'text/javascript; charset=utf-8',
  '/_pages/icon.svg': 'image/svg+xml',
};
const AVATAR = /^\/avatars\/u\/(\d{1,15})$/;

export const isAssetPath = (path: string) => path.startsWith('/_pages/') || AVATAR.test(path);

export function createAssets(world: World): (path: string) => Asset | undefined {
  const known = new Map<string, Asset>();
  return (path) => {
    const avatar = AVATAR.exec(path)?.[1];
    if (avatar !== undefined)
      return { type: 'image/svg+xml', body: renderAvatarImage(world, Number(avatar)) };
    if (path === '/_pages/labels.css')
      return { type: 'text/css; charset=utf-8', body: renderLabelStyles(world) };
    const type = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
    if (type === undefined) return undefined;
    const asset = known.get(path) ?? { type, body: readAsset(path) };
    known.set(path, asset);
    return asset;
  };
}

/** Beside `src` and `dist` alike. */
function readAsset(path: string): string {
  return fs.readFileSync(
    new URL(`../../../assets/${path.slice('/_pages/'.length)}`, import.meta.url),
    'utf8',
  );
}

function renderLabelStyles({ store }: World): string {
  const colours = new Set(store.labels.all().map(({ color }) => color.toLowerCase()));
  return [...colours]
    .filter(isColour)
    .map(
      (color) =>
        `.${colourClass(color)}{background:#${color};color:${isLight(color) ? '#1f2328' : '#fff'}}\n`,
    )
    .join('');
}

function isLight(color: string): boolean {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140;
}
