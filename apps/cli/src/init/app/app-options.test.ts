import { UsageError } from '@mergexo/core/basics';
import { resolveOptions } from './app-options.js';

describe('the options of init for hosts and Apps', () => {
  it('turn a host into the address of its API', () => {
    expect(resolveOptions({ host: 'ghe.acme.example' }).apiUrl).toBe('https://ghe.acme.example/api/v3');
    expect(resolveOptions({ host: 'acme.ghe.com' }).apiUrl).toBe('https://api.acme.ghe.com');
    expect(resolveOptions({ apiUrl: 'https://api.github.com' }).apiUrl).toBe('https://api.github.com');
    expect(resolveOptions({})).toEqual({});
  });

  it.each([
    [{ host: 'a', apiUrl: 'https://a/api/v3' }, /not both/],
    [{ host: 'https://ghe.test' }, /--host must be a host name/],
    [{ org: 'acme' }, /belong to --app/],
    [{ workflows: true }, /belong to --app/],
    [{ app: true, compose: true }, /does not work with --compose/],
    [{ app: true, org: '../acme' }, /--org must be/],
    [{ app: true, webhookUrl: 'http://acme.example' }, /--webhook-url must be an https/],
  ])('reject %j, and write nothing', (options, reason) => {
    expect(() => resolveOptions(options)).toThrow(UsageError);
    expect(() => resolveOptions(options)).toThrow(reason);
    expect(() => resolveOptions(options)).toThrow('Nothing was written.');
  });
});
