import { assemblePrompt } from './assemble-prompt.js';
import { renderAuthor, renderLinks } from './render-threads.js';

const linked = (body: string, overrides: object = {}) => ({
  number: 4,
  isPullRequest: true,
  status: 'merged',
  title: 'Retry',
  author: 'ada',
  url: 'u',
  body,
  ...overrides,
});

const links = (thread: ReturnType<typeof linked>) => renderLinks({ linked: [thread], unreadLinks: [] });

describe('a linked issue or pull request', () => {
  it('is shown with its kind, status, author, role and time', () => {
    const { text } = assemblePrompt(links(linked('Done.', { role: 'OWNER', createdAt: 'then' })), {
      filesDir: '/files',
    });
    expect(text).toContain(
      'BEGIN LINKED PULL REQUEST #4 (merged) BY ada (owner) ON then\nRetry\n\nDone.\nEND',
    );
  });

  it('is cut after 4,000 characters even if there is room, and a file has the whole text', () => {
    const { text, files } = assemblePrompt(links(linked('x'.repeat(5_000))), { filesDir: '/files' });
    expect(text).toContain('(first 4000 of 5007 characters; the whole text is in /files/text-1.txt)');
    expect(text.match(/x/g)?.length).toBeLessThan(4_010);
    expect(files).toEqual([{ name: 'text-1.txt', text: `Retry\n\n${'x'.repeat(5_000)}` }]);
  });
});

describe('issues that MergeXO did not read', () => {
  const render = (count: number) =>
    renderLinks({ linked: [], unreadLinks: Array.from({ length: count }, (_, index) => index + 1) });

  it('are named', () => {
    expect(render(2)).toEqual([
      'The posts also mention these issues and pull requests, which MergeXO did not read: #1, #2.',
    ]);
    expect(render(0)).toEqual([]);
  });

  it('are counted after the first twenty', () => {
    expect(render(25)).toEqual([expect.stringMatching(/: #1, .*, #20, 5 more\.$/)]);
  });
});

it('an author without a known role or time is only named', () => {
  expect(renderAuthor({ author: 'ada' })).toBe('BY ada');
});
