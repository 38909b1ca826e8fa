import { createRouter } from '../rest/router.js';
import { restRoutes } from './index.js';

describe('the router', () => {
  const router = createRouter(restRoutes);
  const below = (path: string) => router.match('GET', `/repos/acme/app${path}`);

  it.each([
    ['/issues/comments', '/issues/comments', {}],
    ['/issues/7', '/issues/{issue_number}', { issue_number: '7' }],
    ['/pulls/comments/9', '/pulls/comments/{comment_id}', { comment_id: '9' }],
    ['/commits/agent/design/1-x/status', '/commits/{ref}/status', { ref: 'agent/design/1-x' }],
    ['/branches/agent%2Fdesign', '/branches/{branch}', { branch: 'agent/design' }],
    ['/git/ref/heads/a/b', '/git/ref/{ref}', { ref: 'heads/a/b' }],
    ['/compare/main...agent/x', '/compare/{basehead}', { basehead: 'main...agent/x' }],
    ['/contents', '/contents/{path}', { path: '' }],
    ['/contents/a%20b/c', '/contents/{path}', { path: 'a b/c' }],
    ['/labels/agent%3Adesign', '/labels/{name}', { name: 'agent:design' }],
  ])('matches %s to %s', (path, template, params) => {
    const match = below(path);
    expect(match?.route.template).toBe(`/repos/{owner}/{repo}${template}`);
    expect(match?.params).toEqual({ owner: 'acme', repo: 'app', ...params });
  });

  it('matches no unknown path, unknown method or broken encoding', () => {
    expect([below('/stargazers'), router.match('PURGE', '/user'), below('/labels/%E0%A4%A')]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
