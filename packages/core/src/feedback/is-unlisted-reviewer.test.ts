import { isUnlistedReviewer } from './is-unlisted-reviewer.js';

const bob = { id: 2, login: 'bob', type: 'User' };

it.each([
  ['a collaborator', { association: 'COLLABORATOR' }, true],
  ['a member of the organisation', { association: 'MEMBER' }, true],
  ['an owner', { association: 'OWNER' }, true],
  ['a contributor', { association: 'CONTRIBUTOR' }, false],
  ['a stranger', { association: 'NONE' }, false],
  ['somebody whose relation was not recorded', {}, false],
  ['a bot by its type', { association: 'COLLABORATOR', author: { ...bob, type: 'Bot' } }, false],
  ['a bot by its name', { association: 'MEMBER', author: { ...bob, login: 'lint[bot]' } }, false],
  ['an approval without text', { association: 'COLLABORATOR', body: ' ' }, false],
  ['an allowed person', { association: 'OWNER', author: { ...bob, login: 'Alice' } }, false],
])('decides whether %s gets the note about allowed_users', (_who, remark, expected) => {
  expect(isUnlistedReviewer({ author: bob, body: 'Why?', ...remark }, ['alice'])).toBe(expected);
});
