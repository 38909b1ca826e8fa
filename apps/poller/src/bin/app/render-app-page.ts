/** Escapes text for an HTML attribute in double quotes, and for text. */
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

const page = (title: string, body: string): string => `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>
`;

/** Renders the form that sends the manifest to GitHub. */
export function renderAppPage({ postUrl, manifest }: { postUrl: string; manifest: object }): string {
  return page(
    'Create a GitHub App for MergeXO',
    `<p>GitHub shows the permissions next, and lets you change the name. MergeXO receives the private key of the App and
stores it on its own machine only.</p>
<form action="${escapeHtml(postUrl)}" method="post">
<input type="hidden" name="manifest" value="${escapeHtml(JSON.stringify(manifest))}">
<button type="submit">Continue on ${escapeHtml(new URL(postUrl).host)}</button>
</form>`,
  );
}

/** Renders a page with one sentence. */
export const renderNote = (title: string, text: string): string => page(title, `<p>${escapeHtml(text)}</p>`);
