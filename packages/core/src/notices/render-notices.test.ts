import type { Notice } from './notice.js';
import { neutraliseChat, renderChat, renderPlain } from './render-notices.js';

const aNotice = (more: Partial<Notice> = {}): Notice => ({
  ...{
    id: 'event-1',
    kind: 'blocked',
    repo: 'ada/engine',
    number: 7,
    title: 'Login broken',
    text: 'Blocked.',
  },
  ...{ url: 'https://github.com/ada/engine/issues/7', at: 0 },
  ...more,
});

describe('renderChat', () => {
  it('renders one notification as a line with a link', () => {
    expect(renderChat([aNotice()])).toBe(
      '<https://github.com/ada/engine/issues/7|ada/engine#7> Login broken: Blocked.',
    );
  });

  it('renders several as a digest of at most ten lines', () => {
    const lines = renderChat(Array.from({ length: 12 }, (_, index) => aNotice({ number: index }))).split(
      '\n',
    );
    expect(lines).toHaveLength(12);
    expect(lines[0]).toBe('MergeXO has 12 notifications:');
    expect(lines.at(-1)).toBe('… and 2 more');
  });

  it.each([
    '<!channel> now',
    '<@U123>',
    '<https://evil.test|GitHub>',
    '@here @all @channel',
    '[GitHub](https://evil.test)',
    '![x](https://evil.test/x.png)',
    'https://evil.test www.evil.test evil.test',
    ':fire: `code` *bold* ~gone~',
    'a\u202eb\u0000c\n\n*MergeXO*: token leaked',
    '&lt;!channel&gt;',
  ])('removes mentions, links, markup and line breaks from a title: %j', (title) => {
    const text = renderChat([aNotice({ title })]);
    const shown = text.slice(text.indexOf('> ') + 2);
    expect(shown).not.toMatch(/[<>\n\p{Cc}\u202e]/u);
    expect(shown).not.toMatch(/[*_~`@:.[\]!](?=[\w(])/);
    expect(shown).not.toMatch(/&(?!amp;|lt;|gt;)/);
  });

  it('shows an ordinary title as it is', () => {
    expect(neutraliseChat('Add a page for 2 people, and test it')).toBe(
      'Add a page for 2 people, and test it',
    );
  });

  it('cuts a long title without breaking a character', () => {
    const text = renderChat([aNotice({ title: '😀'.repeat(500) })]);
    expect(text).toContain(`${'😀'.repeat(99)}…`);
  });
});

describe('renderPlain', () => {
  it('renders a heading and a body', () => {
    expect(renderPlain([aNotice()])).toEqual({ heading: 'ada/engine#7: Login broken', body: 'Blocked.' });
    expect(renderPlain([aNotice(), aNotice({ repo: null })])).toEqual({
      heading: 'MergeXO: 2 notifications',
      body: 'ada/engine#7: Blocked.\nMergeXO: Blocked.',
    });
  });
});
