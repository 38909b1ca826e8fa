import { escapeText } from '../pages/parts/html.js';
import type { Answer, Call } from '../rest/call.js';
import type { World } from '../world/world.js';
import { signUpload } from './upload.js';

/** Adds the text as HTML if the client asked for it. As on GitHub, the HTML has signed URLs for uploads. */
export function addHtml({ world, accept }: Call, answer: Answer): Answer {
  const { body } = answer;
  if (!accept.includes('application/vnd.github.full+json') || !hasText(body)) return answer;
  return { ...answer, body: { ...body, body_text: body.body, body_html: renderHtml(world, body.body) } };
}

function hasText(body: unknown): body is { body: string } {
  return typeof body === 'object' && body !== null && 'body' in body && typeof body.body === 'string';
}

/** Renders the images in a different order from the text, because clients must not rely on the order. */
function renderHtml(world: World, text: string): string {
  const images = world.uploads
    .filter(({ path }) => path.startsWith('/user-attachments/assets/') && text.includes(path))
    .map((upload) => `<img src="${escapeText(signUpload(world, upload))}" alt="Image">`);
  return `<p>${escapeText(text)}</p>\n${images.reverse().join('\n')}`;
}
