import { APP_EVENTS, buildManifest } from '@mergexo/core/github-app';
import { describeAccess } from './describe-access.js';

const { default_permissions: ALL } = buildManifest({
  owner: 'acme',
  websiteUrl: '',
  redirectUrl: '',
  webhookUrl: undefined,
  workflows: false,
});
const ABOUT = { repo: 'acme/app', webUrl: 'https://github.test', workflows: false, hasWebhook: true };

describe('the check of an App’s permissions', () => {
  const describeWith = (
    app: { permissions?: Record<string, string>; events?: string[]; type?: string },
    granted: Record<string, string>,
    about: Partial<typeof ABOUT> = {},
  ) =>
    describeAccess(
      {
        app: {
          slug: 'mergexo',
          html_url: 'https://github.test/apps/mergexo',
          owner: { login: 'acme', type: app.type ?? 'Organization' },
          permissions: app.permissions ?? ALL,
          events: app.events ?? [...APP_EVENTS],
        },
        installation: { html_url: 'https://github.test/i/1', permissions: granted, events: [] },
      },
      { ...ABOUT, ...about },
    );

  it('reports nothing if everything is granted', () => {
    const detail = 'the App mergexo has every permission on acme/app';
    expect(describeWith({}, ALL)).toMatchObject([{ status: 'ok', detail }]);
  });

  it('names the permissions that the App does not ask for, with the page where its owner can add them', () => {
    const permissions = { ...ALL, issues: 'read' };
    const lacking = (type: string) => describeWith({ permissions, type }, permissions);
    expect(lacking('Organization')).toEqual([
      {
        name: 'permission',
        status: 'failure',
        detail: expect.stringMatching(/^the App mergexo lacks issues: write on acme\/app \(to read issues/),
        fix: expect.stringContaining(
          'https://github.test/organizations/acme/settings/apps/mergexo/permissions.',
        ),
      },
    ]);
    expect(lacking('User')[0]?.fix).toContain('https://github.test/settings/apps/mergexo/permissions.');
  });

  it('names the permissions that the repository’s owner has not accepted yet', () => {
    const found = describeWith({}, { ...ALL, checks: 'read', statuses: 'read' });
    expect(found.map(({ status, detail }) => [status, detail.split(' on ')[0]])).toEqual([
      ['failure', 'the owner has not accepted statuses: write'],
      ['warning', 'the owner has not accepted checks: write'],
    ]);
    for (const { fix } of found) expect(fix).toContain('at https://github.test/i/1.');
  });

  it('asks for workflow files and events only if the config uses them', () => {
    expect(describeWith({}, ALL, { workflows: true })).toMatchObject([{ status: 'failure' }]);
    const events = APP_EVENTS.filter((event) => event !== 'push' && event !== 'status');
    const found = describeWith({ events }, ALL).filter(({ name }) => name === 'event');
    expect(found.map(({ status, detail }) => [status, detail])).toEqual([
      ['warning', 'the App mergexo does not send the event push'],
      ['warning', 'the App mergexo does not send the event status'],
    ]);
    expect(describeWith({ events: [] }, ALL, { hasWebhook: false })).toHaveLength(1);
  });
});
