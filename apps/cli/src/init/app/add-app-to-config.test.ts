import { parseConfig, renderConfigExample } from '@mergexo/config';
import { addAppToConfig } from './add-app-to-config.js';

const LOGIN = { clientId: 'Iv23liAbCdEfGhIjKlMn', keyPath: '/home/a "b"/app.pem' };
const REPO = '[repo.main]\nowner = "ada"\nname = "engine"\n';

describe('the line that adds an App to a config', () => {
  it.each([
    ['a new config', renderConfigExample({ values: { 'repo.owner': 'ada', 'repo.name': 'engine' } })],
    ['a table with keys', `# mine\n[github]  # ours\nreactions = false\n\n${REPO}`],
    ['no such table', `${REPO}\n`],
    ['the table at the end', `${REPO}[github]`],
  ])('fits into a config with %s, and changes nothing else', (_name, text) => {
    const before = parseConfig(text, { homeDir: '/home/ada' });
    const { github, ...rest } = parseConfig(addAppToConfig(text, LOGIN), { homeDir: '/home/ada' });
    const { github: earlier, ...others } = before;
    expect(rest).toEqual(others);
    expect({ ...github, app: undefined }).toEqual(earlier);
    expect(github.app).toMatchObject({ clientId: LOGIN.clientId, privateKeyPath: LOGIN.keyPath });
  });
});
