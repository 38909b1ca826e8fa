import { isPassword } from './check-password.js';

describe('isPassword', () => {
  const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
  it.each([
    [basic('ada:pass:word with ü'), true],
    [basic(':pass:word with ü'), true],
    [basic('ada:pass:word with'), false],
    [basic('pass:word with ü'), false],
    [basic('ada:'), false],
    [basic(''), false],
    ['Bearer pass:word with ü', false],
    ['Basic !!!', false],
    [undefined, false],
  ])('for the Authorization header %j, returns %j', (header, expected) => {
    expect(isPassword(header, 'pass:word with ü')).toBe(expected);
  });
});
