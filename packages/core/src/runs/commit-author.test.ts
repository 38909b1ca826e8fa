import { buildCommitAuthor, CommitAuthor } from './commit-author.js';

const ROBOT = { id: 4711, login: 'robot' };

describe('the author of our commits', () => {
  it.each([
    ['https://api.github.com', '4711+robot@users.noreply.github.com'],
    ['https://github.example.com/api/v3', '4711+robot@users.noreply.github.example.com'],
    ['https://api.acme.ghe.com', '4711+robot@users.noreply.acme.ghe.com'],
    ['http://127.0.0.1:4010', '4711+robot@users.noreply.localhost'],
    ['http://[::1]:4010', '4711+robot@users.noreply.localhost'],
  ])('has the noreply address of the posting login for %s', (apiUrl, email) => {
    expect(buildCommitAuthor(ROBOT, apiUrl)).toEqual({ name: 'robot', email });
  });

  it('can be configured completely or in part', () => {
    const configured = { commitName: 'Acme Robot', commitEmail: 'robot@acme.example' };
    const url = 'https://api.github.com';
    expect(buildCommitAuthor(ROBOT, url, configured)).toEqual({
      name: 'Acme Robot',
      email: 'robot@acme.example',
    });
    expect(buildCommitAuthor(ROBOT, url, { commitName: 'Acme Robot' })).toEqual({
      name: 'Acme Robot',
      email: '4711+robot@users.noreply.github.com',
    });
  });

  it('is unknown until GitHub reports the login, unless name and email are configured', () => {
    const url = 'https://api.github.com';
    expect(buildCommitAuthor(undefined, url, { commitName: 'Acme Robot' })).toBeUndefined();
    expect(buildCommitAuthor(undefined, url, { commitEmail: 'robot@acme.example' })).toBeUndefined();
    const author = buildCommitAuthor(undefined, url, { commitName: 'R', commitEmail: 'r@acme.example' });
    expect(author).toEqual({ name: 'R', email: 'r@acme.example' });
  });

  it('may be an app', () => {
    const author = buildCommitAuthor({ id: 5, login: 'acme[bot]' }, 'https://api.github.com');
    expect(CommitAuthor.parse(author).email).toBe('5+acme[bot]@users.noreply.github.com');
  });
});
