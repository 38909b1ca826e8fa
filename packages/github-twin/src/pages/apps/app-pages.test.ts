import { createManualClock } from '../../basics/clock.js';
import { ask } from '../../testing/ask.js';
import { openBrowser } from '../../testing/browse.js';
import { at } from '../../testing/json-fields.js';
import { startTestTwin } from '../../testing/test-twin.js';

const MANIFEST = {
  name: 'MergeXO Acme',
  url: 'https://acme.example',
  redirect_url: 'http://127.0.0.1:9/created',
  default_permissions: { issues: 'write' },
  default_events: ['issues'],
};

describe('the pages of Apps', () => {
  const start = async (manifest: object = MANIFEST, path = '/settings/apps/new?state=s+1') => {
    const clock = createManualClock();
    const twin = await startTestTwin({ pages: true, clock });
    const browser = openBrowser(twin);
    await browser.become('alice');
    const foreign = { origin: 'http://127.0.0.1:9' };
    const shown = await browser.post(path, [['manifest', JSON.stringify(manifest)]], foreign);
    const confirm = async (more: Record<string, string> = {}) => {
      const hidden = [
        ...shown.text.matchAll(/<input (?:type="hidden"|id="name") name="(\w+)" value="([^"]*)"/g),
      ];
      const fields = hidden.map(([, name = '', value = '']) => [name, decodeHtml(value)] as [string, string]);
      return browser.post('/_pages/apps', [
        ...fields.filter(([name]) => !(name in more)),
        ...Object.entries(more),
      ]);
    };
    return { twin, clock, browser, shown, confirm };
  };
  const decodeHtml = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const convert = (twin: Parameters<typeof ask>[0], code: string | null) =>
    ask(twin, `POST /app-manifests/${code}/conversions`, { headers: { authorization: '' } });

  it('create an App from a manifest, and give its key for the code once', async () => {
    const { twin, shown, confirm } = await start();
    expect(shown.text).toContain('issues: write');
    const { status, headers } = await confirm({ name: 'Robo' });
    const back = new URL(headers.get('location') ?? '');
    expect([status, back.origin, back.searchParams.get('state')]).toEqual([303, 'http://127.0.0.1:9', 's 1']);
    const { status: created, body } = await convert(twin, back.searchParams.get('code'));
    expect([created, at(body, 'slug'), at(body, 'owner', 'login')]).toEqual([201, 'robo', 'alice']);
    expect(at(body, 'pem')).toBe(twin.app('robo').keys()[0]?.pem);
    expect([at(body, 'client_id'), at(body, 'webhook_secret')]).toEqual([twin.app('robo').clientId, null]);
    expect((await convert(twin, back.searchParams.get('code'))).status).toBe(404);
  });

  it('create it for an organisation, with a webhook secret, and refuse the code after an hour', async () => {
    const manifest = { ...MANIFEST, hook_attributes: { url: 'https://hooks.acme.example' } };
    const { twin, clock, confirm } = await start(manifest, '/organizations/acme/settings/apps/new?state=x');
    const codeOf = ({ headers }: { headers: Headers }) =>
      new URL(headers.get('location') ?? '').searchParams.get('code');
    const late = codeOf(await confirm());
    clock.advance(3_600_000);
    expect((await convert(twin, late)).status).toBe(404);
    const { body } = await convert(twin, codeOf(await confirm({ name: 'second' })));
    expect([at(body, 'owner', 'login'), at(body, 'webhook_secret')]).toEqual(['acme', expect.any(String)]);
  });

  it('refuse a manifest with an empty hook, a taken name, and a confirmation from another site', async () => {
    const { shown } = await start({ ...MANIFEST, hook_attributes: { active: false } });
    expect([shown.status, shown.text]).toEqual([422, expect.stringContaining('hook_attributes')]);
    const { confirm, browser } = await start();
    expect((await confirm()).status).toBe(303);
    expect((await confirm()).text).toContain('already been taken');
    const forged = await browser.post('/_pages/apps', [], { origin: 'http://127.0.0.1:9' });
    expect(forged.status).toBe(403);
  });

  it('install an App on an account', async () => {
    const { twin, browser, confirm } = await start();
    await confirm({ name: 'robo' });
    const sent = await browser.send('/apps/robo/installations/new', '/_pages/installations', {
      account: 'acme',
    });
    expect(sent.status).toBe(303);
    expect(twin.app('robo').installationId('acme')).toBeGreaterThan(0);
    expect((await browser.open('/apps/robo/installations/new')).text).not.toContain('value="acme"');
  });
});
