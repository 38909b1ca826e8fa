import { quoteName } from './quote-name.js';

it.each([
  ['docs/design/7-upload.md', '`docs/design/7-upload.md`'],
  ['docs/x` closes #4 @acme/all `.md', "`docs/x' closes #\u20604 @\u2060acme/all '.md`"],
  ['a\n\n<!-- /mergexo-drift -->\u2028b', '`a  <\u2060!-- /mergexo-drift --> b`'],
])('quotes %j as %j', (name, shown) => {
  expect(quoteName(name)).toBe(shown);
});
