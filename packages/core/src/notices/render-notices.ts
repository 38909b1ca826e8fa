import { countOf } from '../text/count-of.js';
import type { Notice } from './notice.js';

const MAX_TITLE = 100;
const MAX_LISTED = 10;

/** Inserted after each character that can start markup, a mention or a link, so that none of them takes effect. */
const BREAK = '\u200b';
const MARKUP = /[*_~`@:.[\]()#!|\\](?=\S)/g;
/** Control characters, direction marks and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu;

/** Makes a one-line title without invisible characters. */
export function toTitle(text: string): string {
  const line = text.replace(INVISIBLE, ' ').trim();
  const characters = [...line];
  return characters.length > MAX_TITLE ? `${characters.slice(0, MAX_TITLE - 1).join('')}…` : line;
}

/**
 * Makes other people's text safe in a chat: no mention of a person or of the whole channel, no link and no markup.
 * Slack reads `<!channel>`, others read `@all` and Markdown.
 */
export function neutraliseChat(text: string): string {
  return escapeChat(text).replace(MARKUP, (mark) => `${mark}${BREAK}`);
}

function escapeChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Renders one message for a Slack-compatible webhook: the notification, or a digest of several. */
export function renderChat(notices: readonly Notice[]): string {
  const [first] = notices;
  if (first !== undefined && notices.length === 1) return renderChatLine(first);
  const more = notices.length - MAX_LISTED;
  return [
    `MergeXO has ${countOf(notices.length, 'notification')}:`,
    ...notices.slice(0, MAX_LISTED).map((notice) => `• ${renderChatLine(notice)}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join('\n');
}

function renderChatLine(notice: Notice): string {
  const name = nameOf(notice);
  const about = notice.url === null ? escapeChat(name) : `<${notice.url}|${escapeChat(name)}>`;
  const title = notice.title === null ? '' : ` ${neutraliseChat(toTitle(notice.title))}`;
  return `${about}${title}: ${escapeChat(notice.text)}`;
}

/** Renders the heading and the body of a message in plain text, for desktops. */
export function renderPlain(notices: readonly Notice[]): { heading: string; body: string } {
  const [first] = notices;
  if (first !== undefined && notices.length === 1) {
    const title = first.title === null ? '' : `: ${toTitle(first.title)}`;
    return { heading: `${nameOf(first)}${title}`, body: first.text };
  }
  const lines = notices.slice(0, MAX_LISTED).map((notice) => `${nameOf(notice)}: ${notice.text}`);
  return { heading: `MergeXO: ${countOf(notices.length, 'notification')}`, body: lines.join('\n') };
}

const nameOf = ({ repo, number }: Notice): string =>
  repo === null ? 'MergeXO' : number === null ? repo : `${repo}#${number}`;
