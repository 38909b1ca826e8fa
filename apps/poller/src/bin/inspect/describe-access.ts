import { findMissingEvents, findMissingPermissions, permissionsPage } from '@mergexo/core/github-app';
import type { AppAccess } from '@mergexo/github';
import { type Finding, failure, ok, warning } from './finding.js';

type About = { repo: string; webUrl: string; workflows: boolean; hasWebhook: boolean };

/** Names each permission and event that an App lacks for a repository, with the page on GitHub that adds it. */
export function describeAccess({ app, installation }: AppAccess, about: About): Finding[] {
  const { repo, webUrl, workflows, hasWebhook } = about;
  const page = permissionsPage(webUrl, app.slug, app.owner);
  const unasked = findMissingPermissions(app.permissions, { workflows }).map(({ name }) => name);
  const missing = findMissingPermissions(installation.permissions, { workflows });
  const findings = missing.map(({ name, level, why, isRequired }) => {
    const what = `${name}: ${level} on ${repo} (${why})`;
    const complain = isRequired ? failure : warning;
    if (!unasked.includes(name)) {
      const fix = `Ask the owner of the repository to accept the new permissions at ${installation.html_url}.`;
      return complain('permission', `the owner has not accepted ${what}`, fix);
    }
    const fix = `Add it at ${page}. GitHub then asks the owner of the repository to accept it.`;
    return complain('permission', `the App ${app.slug} lacks ${what}`, fix);
  });
  const events = hasWebhook ? findMissingEvents(app.events) : [];
  const late = events.map((event) => {
    const fix = `Subscribe to it at ${page}. Until then, MergeXO reacts at the next poll.`;
    return warning('event', `the App ${app.slug} does not send the event ${event}`, fix);
  });
  if (findings.length > 0) return [...findings, ...late];
  return [ok('permission', `the App ${app.slug} has every permission on ${repo}`), ...late];
}
