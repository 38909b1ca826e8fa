import { parseConfig } from '@mergexo/config';
import { listLeaks } from './isolate-settings.js';

describe('an agent that looks for the merged change through its own tests', () => {
  const list = (sandbox: string, repo: string) => {
    const keys = `[sandbox]\nnetwork = "model-only"\n${sandbox}\n[repo.a]\nowner = "acme"\nname = "app"\n${repo}`;
    const config = parseConfig(keys, { homeDir: '/' });
    return config.repos.flatMap((each) => listLeaks({ config }, each, { hasBubblewrap: true }));
  };
  const TESTS = 'required_tests = "test.sh"';
  const WARNING = expect.stringContaining('tests that the agent writes can reach every host');

  it.each<[string, string, unknown[]]>([
    ['', TESTS, [WARNING]],
    ['required_tests_network = "none"', TESTS, []],
    ['required_tests_network = "none"', `${TESTS}\nsetup = "setup.sh"`, [WARNING]],
    ['required_tests_network = "none"\nsetup_network = "none"', `${TESTS}\nsetup = "setup.sh"`, []],
    ['', '', []],
  ])('is reported: [sandbox] %j, [repo] %j', (sandbox, repo, expected) => {
    expect(list(sandbox, repo)).toEqual(expected);
  });
});
