import { buildIssueUrl, parseIssueQuery } from './issue-query.js';

const parse = (search: string) => parseIssueQuery(new URLSearchParams(search));

describe('the query of the issue list', () => {
  it.each([
    '',
    'q=a%26b%23&repo=o%2Fn&flow=bugfix&state=attention&person=ada&sort=number&dir=asc&page=3',
    'state=merged&sort=title',
    'sort=title&dir=desc',
    'dir=asc',
  ])('builds the URL that it was parsed from: %s', (search) => {
    expect(buildIssueUrl(parse(search), { page: parse(search).page })).toBe(
      search === '' ? '/issues' : `/issues?${search}`,
    );
  });

  it('returns to the first page when a filter changes', () => {
    expect(buildIssueUrl(parse('page=7&q=x'), { state: 'done' })).toBe('/issues?q=x&state=done');
  });

  it('ignores unknown values, and limits lengths and pages', () => {
    expect(parse('flow=x&state=__proto__&sort=y&page=0')).toEqual(parse(''));
    expect(parse('page=1e9').page).toBe(1);
    expect(parse(`q=${'😀'.repeat(200)}`).text).toBe('😀'.repeat(100));
    expect(() => buildIssueUrl(parse(`q=${'😀'.repeat(200)}`))).not.toThrow();
  });

  it('reads the order that the form sends as one field', () => {
    expect(parse('order=created-asc')).toMatchObject({ sort: 'created', descending: false });
    expect(parse('order=created-desc')).toMatchObject({ sort: 'created', descending: true });
  });
});
