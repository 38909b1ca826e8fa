import { createNews } from './news.js';

describe('news', () => {
  it('counts the changed lists of each repository', () => {
    const news = createNews();
    news.hear('/repos/Ada/engine/issues?since=2026-01-01');
    news.hear('/repos/ada/engine/pulls/comments');
    news.hear('/repos/ada/other/pulls');
    expect([news.countOf('ada/Engine'), news.countOf('ada/other'), news.countOf('ada/third')]).toEqual([
      2, 1, 0,
    ]);
  });

  it.each([
    '/repos/ada/engine',
    '/repos/ada/engine/issues/7',
    '/repos/ada/engine/issues/7/comments',
    '/repos/ada/engine/pulls/7',
    '/repos/ada/engine/commits/main/status',
    '/user',
    'https://api.github.com/graphql',
  ])('ignores %s, which MergeXO also reads while it works', (path) => {
    const news = createNews();
    news.hear(path);
    expect(news.countOf('ada/engine')).toBe(0);
  });
});
