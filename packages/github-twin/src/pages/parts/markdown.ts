import MarkdownIt, { type Renderer, type Token } from 'markdown-it';
import { escapeText, type Html, trusted } from './html.js';

/** The path of the repository's pages, such as `/acme/app`, for links like `#12`. */
export type MarkdownPlace = { repo: string };

// The `html` option creates tokens for comments and tags. The rules below hide comments and display tags as text.
const markdown = new MarkdownIt({ html: true, breaks: true, linkify: true });
markdown.validateLink = (url) => /^https?:\/\//i.test(url);
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Renders the parts of GitHub's Markdown that conversations use. */
export function renderMarkdown(text: string, { repo }: MarkdownPlace): Html {
  return trusted(markdown.render(text, { repo, insideLink: false }).trim());
}

const openLink = (url: unknown) => `<a href="${escapeText(String(url))}" rel="nofollow noopener noreferrer">`;

const RULES: Renderer['rules'] = {
  text: (tokens, index, ...[, env = {}]) => {
    const text = escapeText(contentOf(tokens, index));
    return env['insideLink'] ? text : linkIssues(text, escapeText(String(env['repo'])));
  },
  link_open: (tokens, index, ...[, env = {}]) => {
    env['insideLink'] = true;
    return openLink(tokens[index]?.attrGet('href'));
  },
  link_close: (_tokens, _index, ...[, env = {}]) => {
    env['insideLink'] = false;
    return '</a>';
  },
  // Images become links, because the pages load nothing from other servers.
  image: (tokens, index, ...[, env = {}]) => {
    const text = escapeText(contentOf(tokens, index));
    return env['insideLink'] ? text : `${openLink(tokens[index]?.attrGet('src'))}${text}</a>`;
  },
  fence: (tokens, index) => {
    const language = /^[\w+#-]{1,30}/.exec(tokens[index]?.info.trim() ?? '')?.[0];
    const name = language ? ` data-language="${language}"` : '';
    return `<pre${name}><code>${escapeText(contentOf(tokens, index))}</code></pre>\n`;
  },
  html_inline: (tokens, index) => showHtml(contentOf(tokens, index)),
  html_block: (tokens, index) => {
    const shown = showHtml(contentOf(tokens, index)).trim();
    return shown === '' ? '' : `<p>${shown}</p>\n`;
  },
  list_item_open: (tokens, index) => {
    const box = takeTaskBox(tokens[index + 2]);
    return box === undefined ? '<li>' : `<li class="task">${box}`;
  },
};
Object.assign(markdown.renderer.rules, RULES);

const contentOf = (tokens: Token[], index: number) => tokens[index]?.content ?? '';

/** Links issue numbers. The text is already escaped, so `&#39;` must not become a link to issue 39. */
function linkIssues(text: string, repo: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}_&])#([1-9]\d{0,8})(?!\w)/gu,
    (shown, number) => `<a href="${repo}/issues/${number}">${shown}</a>`,
  );
}

/** Displays tags as text and hides comments. As on GitHub, an unclosed comment hides the rest of the text. */
function showHtml(source: string): string {
  return escapeText(source.replace(/<!--[\s\S]*?(?:-->|$)/g, ''));
}

/** Removes `[x]` or `[ ]` from the start of a list item and returns its checkbox, if there is one. */
function takeTaskBox(item: Token | undefined): string | undefined {
  const firstText = item?.type === 'inline' ? item.children?.[0] : undefined;
  const mark = /^\[([ xX])\](?= )/.exec(firstText?.content ?? '')?.[1];
  if (!firstText || mark === undefined) return undefined;
  firstText.content = firstText.content.slice('[x]'.length);
  return `<input type="checkbox" disabled${mark === ' ' ? '' : ' checked'} aria-label="task">`;
}
