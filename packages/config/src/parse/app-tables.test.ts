import { parseConfig } from './parse-config.js';

const options = { homeDir: '/home/ada' };
const parse = (text: string) =>
  parseConfig(`${text}\n[repo.main]\nowner = "octo-org"\nname = "hello-world"\n`, options);
const APP = 'client_id = "Iv1.abc", private_key_path = "~/key.pem"';

describe('the tables of GitHub Apps', () => {
  it('are optional', () => {
    const { github, review } = parse('');
    expect([github.app, review.app]).toEqual([undefined, undefined]);
  });

  it('can be inline tables, and expand the home directory', () => {
    expect(parse(`[github]\napp = { ${APP} }`).github.app).toEqual({
      clientId: 'Iv1.abc',
      privateKeyPath: '/home/ada/key.pem',
      secondPrivateKeyPath: undefined,
      workflows: false,
    });
  });

  it.each([
    ['[github.app]\nclient_id = "x"', /github\.app\.private_key_path: missing/],
    ['[github]\napp = "x"', /github\.app: got "x", expected a table/],
    [`[github.app]\n${APP.replace(', ', '\n')}\nkeys = 1`, /github\.app\.keys: unknown key/],
    ['[runtime]\napp = 1', /runtime\.app: unknown key/],
    [`[github]\napp = { ${APP} }\n[review]\napp = { ${APP} }`, /review\.app\.client_id: got "Iv1\.abc"/],
  ])('report the problem in %j', (text, problem) => {
    expect(() => parse(text)).toThrow(problem);
  });
});
