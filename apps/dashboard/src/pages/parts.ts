import { toReadable } from '@mergexo/core/timeline';
import { type Html, html } from '../html.js';
import { formatAge, formatDuration, formatTime } from './format.js';

export type Look = 'bad' | 'ask' | 'good' | 'calm' | 'quiet';

const MAX_TEXT = 600;
const AVATAR_COLORS = 8;

export function renderTag(look: Look, text: string): Html {
  return html`<span class="tag ${look}">${text}</span>`;
}

/** Renders how long ago something happened. The exact time is in the tooltip. */
export function renderAge(time: number, now: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}" title="${formatTime(time)}">${formatAge(now - time)}</time>`;
}

/** Renders the time since something started. */
export function renderElapsed(since: number, now: number): Html {
  return html`<time datetime="${new Date(since).toISOString()}" title="since ${formatTime(since)}">${formatDuration(now - since)}</time>`;
}

export function renderTime(time: number): Html {
  return html`<time datetime="${new Date(time).toISOString()}">${formatTime(time)}</time>`;
}

/** Renders a person's initials. Makes no request to another host. The color depends only on the login. */
export function renderAvatar(login: string): Html {
  const letters = [...login.replace(/[^\p{L}\p{N}]/gu, '')].slice(0, 2).join('').toUpperCase();
  const color = [...login.toLowerCase()].reduce((sum, letter) => sum * 31 + (letter.codePointAt(0) ?? 0), 7);
  return html`<span class="avatar c${color % AVATAR_COLORS}" aria-hidden="true">${letters || '?'}</span>`;
}

/** Cleans up stored text for display and truncates it. */
export function toExcerpt(text: string, max = MAX_TEXT): string {
  const readable = toReadable(text).trim();
  return readable.length > max ? `${readable.slice(0, max)} …` : readable;
}

export function renderEmpty(text: string): Html {
  return html`<p class="empty">${text}</p>`;
}
