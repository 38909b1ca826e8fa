const FENCE = /^ *```([^\n]*)\n([\s\S]*?)^ *```/gm;
const SPAN = /`([^`]+)`/g;
const PROGRAMS = /^(npm|npx|mergexo|docker|gh|git|node) /;

/**
 * Lists every command that a reader could copy from the page: lines of shell blocks, lines after a prompt, and inline
 * code that starts with a program or names a script. Parts joined by && are separate commands.
 */
export function listCommands(page: string, scripts: readonly string[]): string[] {
  const blocks = [...page.matchAll(FENCE)].flatMap(([, language, body = '']) =>
    body.split('\n').flatMap((line) => {
      if (language === 'sh') return [line];
      return line.startsWith('$ ') ? [line.slice(2)] : [];
    }),
  );
  const spans = [...page.replace(FENCE, '').matchAll(SPAN)]
    .map(([, span = '']) => span.replace(/\s+/g, ' '))
    .map((span) => (span.includes(':') && scripts.includes(span) ? `npm run ${span}` : span))
    .filter((span) => PROGRAMS.test(span));
  const commands = [...blocks, ...spans]
    .map((line) => line.replace(/\s+#.*$/, ''))
    .flatMap((line) => line.split('&&'))
    .map((command) => command.trim())
    .filter((command) => command !== '');
  return [...new Set(commands)];
}
