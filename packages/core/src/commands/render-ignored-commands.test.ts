import { renderIgnoredCommands } from './render-ignored-commands.js';

describe('renderIgnoredCommands', () => {
  it.each([['/mergexo help'], ['no command'], ['/mergexo status\nand `/mergexo retry` later']])(
    'adds nothing to the reply to %j',
    (body) => expect(renderIgnoredCommands(body)).toBe(''),
  );

  it('names every command after the first', () => {
    const words = renderIgnoredCommands('/mergexo help\nText.\n  /mergexo retry\n/mergexo dance `now`');
    expect(words).toContain("it ignored `/mergexo retry`, `/mergexo dance 'now'`.");
  });

  it('names at most five commands, so that a comment cannot make the reply long', () => {
    const words = renderIgnoredCommands(`/mergexo help\n${'/mergexo retry\n'.repeat(500)}`);
    expect(words.match(/retry/g)).toHaveLength(5);
  });
});
