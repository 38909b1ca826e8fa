import {
  APP_EVENTS,
  APP_PERMISSIONS,
  buildManifest,
  findMissingEvents,
  findMissingPermissions,
  newAppPage,
  permissionsPage,
} from './index.js';

const ALL = Object.fromEntries(Object.entries(APP_PERMISSIONS).map(([name, { level }]) => [name, level]));
const findMissing = (granted: Record<string, string>) => findMissingPermissions(granted, { workflows: true });
const PLAN = {
  owner: 'acme',
  websiteUrl: 'https://github.com/acme/app',
  redirectUrl: 'http://127.0.0.1:1/created',
  webhookUrl: undefined,
  workflows: false,
};

describe('the permissions of an App', () => {
  it('lack nothing at the same level or a higher one', () => {
    expect(findMissing(ALL)).toEqual([]);
    expect(findMissing({ ...ALL, metadata: 'write', issues: 'admin' })).toEqual([]);
  });

  it('lack a permission that is absent, lower or unknown, and name the required ones first', () => {
    const { workflows: _, statuses: __, ...some } = ALL;
    const found = findMissing({ ...some, issues: 'read', contents: 'none', checks: 'read' });
    expect(found.map(({ name, isRequired }) => [name, isRequired])).toEqual([
      ['issues', true],
      ['contents', true],
      ['statuses', true],
      ['workflows', true],
      ['checks', false],
    ]);
    expect(findMissing({}).map(({ name }) => name)).toEqual(Object.keys(APP_PERMISSIONS));
    expect(findMissingPermissions(some, { workflows: false }).map(({ name }) => name)).toEqual(['statuses']);
  });

  it('lack the events that nobody subscribed to', () => {
    expect(findMissingEvents(APP_EVENTS)).toEqual([]);
    expect(findMissingEvents(APP_EVENTS.filter((event) => event !== 'push'))).toEqual(['push']);
  });
});

describe('the manifest of an App', () => {
  it('has no webhook and no optional permission unless somebody asks for them', () => {
    const manifest = buildManifest(PLAN);
    expect(manifest).not.toHaveProperty('hook_attributes');
    expect(manifest.default_permissions).not.toHaveProperty('workflows');
    expect(manifest.default_permissions).toMatchObject({ contents: 'write', metadata: 'read' });
    expect(manifest.public).toBe(false);
    const more = buildManifest({ ...PLAN, webhookUrl: 'https://hooks.acme.example', workflows: true });
    expect(more.hook_attributes).toEqual({ url: 'https://hooks.acme.example', active: true });
    expect(findMissing(more.default_permissions)).toEqual([]);
    expect(findMissingEvents(more.default_events)).toEqual([]);
  });

  it('suggests a name that GitHub accepts', () => {
    expect(buildManifest(PLAN).name).toBe('mergexo-acme');
    const { name } = buildManifest({ ...PLAN, owner: `${'a'.repeat(25)}-${'b'.repeat(20)}` });
    expect(name).toBe(`mergexo-${'a'.repeat(25)}`);
  });
});

describe('the pages of an App', () => {
  it.each([
    [undefined, 'https://github.com/settings/apps/new?state=a%2Bb'],
    ['acme', 'https://github.com/organizations/acme/settings/apps/new?state=a%2Bb'],
    ['../x', 'https://github.com/organizations/..%2Fx/settings/apps/new?state=a%2Bb'],
  ])('for the organisation %s', (organisation, expected) => {
    expect(newAppPage('https://github.com', organisation, 'a+b')).toBe(expected);
  });

  it('belong to the owner of the App', () => {
    const page = (type: string) => permissionsPage('https://ghe.test', 'mergexo', { login: 'acme', type });
    expect(page('User')).toBe('https://ghe.test/settings/apps/mergexo/permissions');
    expect(page('Organization')).toBe(
      'https://ghe.test/organizations/acme/settings/apps/mergexo/permissions',
    );
  });
});
