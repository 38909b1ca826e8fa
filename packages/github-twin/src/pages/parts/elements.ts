import type { Issue, Label, Repo, User } from '../../store/rows.js';
import type { World } from '../../world/world.js';
import { type PageContext, type RepoPageContext, repoPath } from '../visit/page-context.js';
import { type Html, html, type Part } from './html.js';
import { renderMarkdown } from './markdown.js';

/** The server tells the moment; the script makes "5 minutes ago" of it. */
export function renderTime(stamp: string): Html {
  return html`<time datetime="${stamp}">on ${stamp.replace('T', ' ').replace('Z', ' UTC')}</time>`;
}

export function renderAvatar(user: User | undefined, size: 'small' | 'large' = 'small'): Html {
  const pixels = size === 'small' ? 20 : 40;
  return html`<img class="avatar" src="/avatars/u/${user?.id ?? 0}" alt="" width="${pixels}" height="${pixels}">`;
}

/** As GitHub shows it: a bot's name without its brackets, a deleted account as the ghost. */
export function renderLogin(user: User | undefined): Html {
  if (!user) return html`<span class="login">ghost</span>`;
  const bot = user.type === 'Bot' && html` <span class="badge">bot</span>`;
  return html`<span class="login"><bdi>${user.login.replace(/\[bot\]$/, '')}</bdi></span>${bot}`;
}

export function userOf(world: World, id: number | null): User | undefined {
  return id === null ? undefined : world.store.users.get(id);
}

export function renderText(context: RepoPageContext, text: string | null): Html {
  const body = renderMarkdown(text ?? '', { repo: repoPath(context.repo) });
  return body.markup === ''
    ? html`<div class="markdown"><p class="muted"><em>No description provided.</em></p></div>`
    : html`<div class="markdown" dir="auto">${body}</div>`;
}

/** Colours are in a stylesheet of their own, because the pages allow no styles in attributes. */
export const colourClass = (color: string) => `label-${color.toLowerCase()}`;
export const isColour = (color: string) => /^[0-9a-f]{6}$/i.test(color);

export function renderLabel(label: Label, more?: Html): Html {
  const colour = isColour(label.color) ? colourClass(label.color) : '';
  const title = label.description && html` title="${label.description}"`;
  return html`<span class="label ${colour}"${title}><bdi>${label.name}</bdi>${more}</span>`;
}

export function labelsOf(world: World, issue: Issue): Label[] {
  return issue.labelIds.flatMap((id) => world.store.labels.get(id) ?? []);
}

export type State = { kind: 'open' | 'closed' | 'done' | 'merged' | 'draft'; words: string };

export function stateOf(issue: Issue): State {
  if (issue.pull?.mergedAt) return { kind: 'merged', words: 'Merged' };
  if (issue.state === 'open')
    return issue.pull?.draft ? { kind: 'draft', words: 'Draft' } : { kind: 'open', words: 'Open' };
  const done = !issue.pull && issue.stateReason !== 'not_planned';
  return { kind: done ? 'done' : 'closed', words: 'Closed' };
}

export const issuePath = (repo: Repo, issue: Issue) =>
  `${repoPath(repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`;

export function hiddenToken({ visitor }: PageContext): Html {
  return html`<input type="hidden" name="token" value="${visitor.formToken}">`;
}

export type FormParts = {
  action: string;
  fields?: Record<string, string | number>;
  id?: string;
};

/** A form of ours: with the token that it must bring back. */
export function renderForm(context: PageContext, parts: FormParts, content: Part): Html {
  const hidden = Object.entries(parts.fields ?? {}).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const id = parts.id && html` id="${parts.id}"`;
  return html`<form method="post" action="${parts.action}"${id}>${hiddenToken(context)}${hidden}${content}</form>`;
}

export type TextBox = {
  id: string;
  label: string;
  placeholder?: string;
  rows?: number;
  visible?: boolean;
  /** Whether the visitor came to write in it. */
  focus?: boolean;
};

export function renderTextBox({ id, label, placeholder = '', rows = 4, ...box }: TextBox): Html {
  return html`<label${!box.visible && html` class="hidden"`} for="${id}">${label}</label>
<textarea id="${id}" name="body" rows="${rows}" maxlength="65536" placeholder="${placeholder}" dir="auto"${box.focus && html` autofocus`}></textarea>`;
}

export const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
