import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startTwin, type Twin } from '@mergexo/github-twin';
import { createTemporaryDirectory, killPrograms, startProgram, untilPrinted } from '@mergexo/testkit';

const CLI = fileURLToPath(new URL('../../apps/cli/bin/mergexo.js', import.meta.url));
const REPO = 'acme/app';

type Program = ReturnType<typeof startProgram>;

describe('mergexo init --app', () => {
  let directory: ReturnType<typeof createTemporaryDirectory>;
  let twin: Twin;
  let programs: Program[];
  beforeEach(async () => {
    directory = createTemporaryDirectory();
    programs = [];
    twin = await startTwin({
      pages: true,
      seed: {
        users: [{ login: 'acme', type: 'Organization' }, { login: 'alice' }],
        repos: [{ name: REPO, permissions: { alice: 'admin' }, files: { 'README.md': '# app\n' } }],
      },
    });
  });
  afterEach(async () => {
    await killPrograms(programs);
    expect(twin.control.violations()).toEqual([]);
    await twin.stop();
    directory.remove();
  });

  const path = (...names: string[]): string => join(directory.path, ...names);
  const run = (...args: string[]): Program => {
    const env = {
      HOME: directory.path,
      XDG_DATA_HOME: '',
      XDG_CONFIG_HOME: '',
      GITHUB_TOKEN: '',
      GH_TOKEN: '',
    };
    const program = startProgram(CLI, [...args, '--config', path('mergexo.toml')], env);
    programs.push(program);
    return program;
  };
  const initApp = (...args: string[]): Program => {
    const agent = ['--agent', 'command', '--command', process.execPath];
    const given = ['--repo', REPO, '--api-url', twin.apiUrl, ...agent, '--no-labels', '--no-browser'];
    return run('init', '--app', '--org', 'acme', ...given, ...args);
  };
  const listKeys = (): string[] =>
    readdirSync(directory.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.pem'),
    );

  const decodeHtml = (text: string): string =>
    text
      .replace(/&#(\d+);/g, (_entity, code) => String.fromCharCode(Number(code)))
      .replaceAll('&quot;', '"')
      .replaceAll('&amp;', '&');
  const listFields = (text: string): [string, string][] =>
    [...text.matchAll(/<input [^>]*name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [
      name,
      decodeHtml(value),
    ]);
  const post = (url: string, fields: [string, string][], origin: string) =>
    fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        origin,
        accept: 'text/html',
        'content-type': 'application/x-www-form-urlencoded',
        cookie: `twin_visitor_${new URL(twin.url).port}=${twin.userId('alice')}`,
      },
      body: new URLSearchParams(fields),
    });
  /** Does what a person does in the browser: opens the page, and confirms the App on GitHub. */
  const createInBrowser = async (program: Program): Promise<void> => {
    await untilPrinted(program, /http:\/\/127\.0\.0\.1:\d+\/[\w-]+/);
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(program.output()) ?? [];
    const page = await fetch(address);
    const text = await page.text();
    const [, action = ''] = /<form action="([^"]*)"/.exec(text) ?? [];
    const shown = await post(decodeHtml(action), listFields(text), new URL(address).origin);
    const created = await post(`${twin.url}/_pages/apps`, listFields(await shown.text()), twin.url);
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
    const back = await fetch(created.headers.get('location') ?? '', { headers: { cookie } });
    expect(back.status).toBe(200);
  };
  const install = (slug = 'mergexo-acme'): number => twin.app(slug).install('acme');

  it('creates an App in the browser, stores its key, and waits until somebody installs it', async () => {
    const program = initApp();
    await createInBrowser(program);
    await untilPrinted(
      program,
      /The App belongs to acme\. .*Waiting until the App is installed on acme\/app: \S+\/apps\/mergexo-acme\/installations\/new/s,
    );
    const [key = ''] = listKeys();
    expect(statSync(path(key)).mode & 0o777).toBe(0o600);
    expect(readFileSync(path(key), 'utf8')).toBe(twin.app('mergexo-acme').keys()[0]?.pem);
    expect(program.output()).not.toContain('PRIVATE KEY');
    install();
    expect([await program.exited, program.output()]).toEqual([
      0,
      expect.stringMatching(/The App mergexo-acme is installed on acme\/app/),
    ]);
    const doctor = run('doctor');
    await doctor.exited;
    expect(doctor.output()).toContain('the App mergexo-acme has every permission on acme/app');
  });

  it('continues with the same App after a crash, with or without the config', async () => {
    const first = initApp();
    await createInBrowser(first);
    await untilPrinted(first, 'Waiting until');
    await killPrograms([first]);
    const second = initApp();
    await untilPrinted(second, 'Waiting until');
    expect(second.output()).not.toContain('Open this address');
    await killPrograms([second]);
    rmSync(path('mergexo.toml'));
    const third = initApp();
    await untilPrinted(third, /Continuing with the key of an earlier run: .*Waiting until/s);
    install();
    expect(await third.exited).toBe(0);
    expect(listKeys()).toHaveLength(1);
    expect(twin.world.store.apps.filter(({ slug }) => slug.startsWith('mergexo'))).toHaveLength(1);
  });

  it('adds the App to an existing config, and stores the secret of a webhook', async () => {
    const own = `# ours\n[github]\napi_url = "${twin.apiUrl}"\n[agent]\nadapter = "command"\n[command]\nargv = ["${process.execPath}"]\n[repo.main]\nowner = "acme"\nname = "app"\nallowed_users = ["alice"]\n`;
    writeFileSync(path('mergexo.toml'), own, { mode: 0o640 });
    const program = run(
      'init',
      '--app',
      '--org',
      'acme',
      '--no-labels',
      '--no-browser',
      '--webhook-url',
      'https://hooks.acme.example/webhook',
      '--workflows',
    );
    await createInBrowser(program);
    await untilPrinted(program, 'Waiting until');
    const text = readFileSync(path('mergexo.toml'), 'utf8');
    expect(text.replace(/^app = .*\n/m, '')).toBe(own);
    expect(text).toContain(`app = { client_id = "${twin.app('mergexo-acme').clientId}"`);
    expect(text).toMatch(/^app = .*, workflows = true }$/m);
    expect(twin.world.store.apps.find(({ slug }) => slug === 'mergexo-acme')?.permissions).toMatchObject({
      workflows: 'write',
    });
    expect(statSync(path('mergexo.toml')).mode & 0o777).toBe(0o640);
    expect(readFileSync(path('.env'), 'utf8')).toMatch(/^MERGEXO_WEBHOOK_SECRET=[0-9a-f]{40}\n$/);
    expect(statSync(path('.env')).mode & 0o777).toBe(0o600);
    install();
    expect(await program.exited).toBe(0);
  });
});
