/** The owner of an App, as GitHub describes an account. */
export type AppOwner = { login: string; type: string };

const accountPath = (organisation: string | undefined): string =>
  organisation === undefined ? '/settings' : `/organizations/${encodeURIComponent(organisation)}/settings`;

/** The page that creates an App from a manifest. The App belongs to the organisation, or to the person who opens it. */
export function newAppPage(webUrl: string, organisation: string | undefined, state: string): string {
  return `${webUrl}${accountPath(organisation)}/apps/new?state=${encodeURIComponent(state)}`;
}

/** The page that lists the Apps of the organisation or the person. */
export const listAppsPage = (webUrl: string, organisation: string | undefined): string =>
  `${webUrl}${accountPath(organisation)}/apps`;

/** The page on which the owner of an App changes its permissions and events. */
export function permissionsPage(webUrl: string, slug: string, owner: AppOwner): string {
  const organisation = owner.type === 'Organization' ? owner.login : undefined;
  return `${webUrl}${accountPath(organisation)}/apps/${encodeURIComponent(slug)}/permissions`;
}

/** The page that installs an App. `appUrl` is the address of the App itself. */
export const installPage = (appUrl: string): string => `${appUrl}/installations/new`;
