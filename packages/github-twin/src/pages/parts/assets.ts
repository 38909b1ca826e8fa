import fs from 'node:fs';
import type { World } from '../../world/world.js';
import { colourClass, isColour } from './elements.js';
import { html } from './html.js';

export type Asset = { type: string; body: string };

const FILES: Record<string, string> = {
  '/_pages/pages.css': 'text/css; charset=utf-8',
  '/_pages/pages.js': 'text/javascript; charset=utf-8',
  '/_pages/icon.svg': 'image/svg+xml',
};
const AVATAR = /^\/avatars\/u\/(\d{1,15})$/;

export const isAssetPath = (path: string) => path.startsWith('/_pages/') || AVATAR.test(path);

export function findAsset(world: World, path: string): Asset | undefined {
  const avatar = AVATAR.exec(path)?.[1];
  if (avatar !== undefined) return { type: 'image/svg+xml', body: renderAvatarImage(world, Number(avatar)) };
  if (path === '/_pages/labels.css')
    return { type: 'text/css; charset=utf-8', body: renderLabelStyles(world) };
  const type = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  return type === undefined ? undefined : { type, body: readAsset(path) };
}

/** Draws an avatar locally, so that no image is loaded: a disc with an initial, or a square for bots as on GitHub. */
function renderAvatarImage({ store }: World, id: number): string {
  const user = store.users.get(id);
  const letter = [...(user?.login ?? '?')][0]?.toUpperCase() ?? '?';
  const fill = user ? `hsl(${(id * 137) % 360} 55% 42%)` : '#8c959f';
  const round = user?.type === 'Bot' ? 12 : 40;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80"><rect width="80" height="80" rx="${round}" fill="${fill}"/><text x="40" y="40" text-anchor="middle" dy="0.36em" font-family="sans-serif" font-size="42" fill="#fff">${letter}</text></svg>`
    .markup;
}

/** Reads an asset. The relative path is the same from `src` and `dist`. */
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
