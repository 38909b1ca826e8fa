import type { World } from '../../world/world.js';
import { html } from './html.js';

/** A coloured disc with an initial, a square one for bots as on GitHub: told apart at a glance, fetched from nowhere. */
export function renderAvatarImage({ store }: World, id: number): string {
  const user = store.users.get(id);
  const letter = [...(user?.login ?? '?')][0]?.toUpperCase() ?? '?';
  const fill = user ? `hsl(${(id * 137) % 360} 55% 42%)` : '#8c959f';
  const round = user?.type === 'Bot' ? 12 : 40;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 80 80" width="80" height="80"><rect width="80" height="80" rx="${round}" fill="${fill}"/><text x="40" y="40" text-anchor="middle" dy="0.36em" font-family="sans-serif" font-size="42" fill="#fff">${letter}</text></svg>`
    .markup;
}
