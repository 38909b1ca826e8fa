import { type Issue, type Label, REACTIONS, type Reactable, type User } from '../../store/rows.js';
import { reactsTo } from '../../views/reaction.js';
import type { World } from '../../world/world.js';
import { type Html, html, type Part } from './html.js';
import { renderMarkdown } from './markdown.js';
import { type RepoPageContext, repoPath } from './page-context.js';

/** Renders a timestamp. The page's script replaces it with a relative time, such as "5 minutes ago". */
export function renderTime(stamp: string): Html {
  return html`<time datetime="${stamp}">on ${stamp.replace('T', ' ').replace('Z', ' UTC')}</time>`;
}

export function renderAvatar(user: User | undefined, size: 'small' | 'large' = 'small'): Html {
  const pixels = size === 'small' ? 20 : 40;
  return html`<img class="avatar" src="/avatars/u/${user?.id ?? 0}" alt="" width="${pixels}" height="${pixels}">`;
}

/** As on GitHub, a bot's name has no `[bot]` suffix, and a deleted account is "ghost". */
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

const EMOJI: Record<(typeof REACTIONS)[number], string> = {
  '+1': '👍',
  '-1': '👎',
  laugh: '😄',
  confused: '😕',
  heart: '❤️',
  hooray: '🎉',
  rocket: '🚀',
  eyes: '👀',
};

/** Renders the reactions to an issue or comment, with their counts. */
export function renderReactions(world: World, about: Reactable): Html | null {
  const given = world.store.reactions.filter(reactsTo(about)).map(({ content }) => content);
  const shown = REACTIONS.filter((content) => given.includes(content)).map((content) => {
    const count = given.filter((one) => one === content).length;
    return html`<span class="reaction" title="${content}">${EMOJI[content]} ${count}</span>`;
  });
  return shown.length === 0 ? null : html`<p class="reactions">${shown}</p>`;
}

/** Class of a label color. A separate stylesheet sets the colors, because the pages allow no style attributes. */
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

export type State = { kind: 'open' | 'closed' | 'done' | 'merged' | 'draft'; text: string };

export function stateOf(issue: Issue): State {
  if (issue.pull?.mergedAt) return { kind: 'merged', text: 'Merged' };
  if (issue.state === 'open')
    return issue.pull?.draft ? { kind: 'draft', text: 'Draft' } : { kind: 'open', text: 'Open' };
  const done = !issue.pull && issue.stateReason !== 'not_planned';
  return { kind: done ? 'done' : 'closed', text: 'Closed' };
}

export type FormFields = Record<string, string | number>;

export function renderForm(action: string, content: Part, fields: FormFields = {}): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  return html`<form method="post" action="${action}">${hidden}${content}</form>`;
}

export type TextBox = {
  id: string;
  label: string;
  placeholder?: string;
  rows?: number;
  visible?: boolean;
  /** True if the text box has the focus when the page opens. */
  focus?: boolean;
};

export function renderTextBox({ id, label, placeholder = '', rows = 4, ...box }: TextBox): Html {
  return html`<label${!box.visible && html` class="hidden"`} for="${id}">${label}</label>
<textarea id="${id}" name="body" rows="${rows}" maxlength="65536" placeholder="${placeholder}" dir="auto"${box.focus && html` autofocus`}></textarea>`;
}

export const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
