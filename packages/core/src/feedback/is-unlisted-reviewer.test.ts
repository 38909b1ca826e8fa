import { isUnlistedReviewer } from './is-unlisted-reviewer.js';

const bob = { id: 2, login: 'bob', type: 'User' };

it.each([
  ['a collaborator', { association: 'COLLABORATOR' }, true],
  ['a member of the organization', { association: 'MEMBER' }, true],
  ['an owner', { association: 'OWNER' }, true],
  ['a contributor', { association: 'CONTRIBUTOR' }, false],
  ['a stranger', { association: 'NONE' }, false],
  ['a person whose association was not recorded', {}, false],
  ['an account of type Bot', { association: 'COLLABORATOR', author: { ...bob, type: 'Bot' } }, false],
  [
    'an account with the name of a bot',
    { association: 'MEMBER', author: { ...bob, login: 'lint[bot]' } },
    false,
  ],
  ['an approval without text', { association: 'COLLABORATOR', body: ' ' }, false],
  ['an allowed person', { association: 'OWNER', author: { ...bob, login: 'Alice' } }, false],
])('given %s, decides whether to post the note about allowed_users', (_who, remark, expected) => {
  expect(isUnlistedReviewer({ author: bob, body: 'Why?', ...remark }, ['alice'])).toBe(expected);
});
