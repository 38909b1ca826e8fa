import type { RepoConfig } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Ask } from './ask-github.js';
import { type Finding, ok, warning } from './finding.js';

const Account = z.object({ login: z.string(), type: z.string() });

type Key = 'allowed_users' | 'operator_logins';
type Named = { login: string; places: { key: Key; repoId: string }[] };

/**
 * Checks that each configured login belongs to a person, with one request per login. A misspelled login would exclude
 * somebody.
 */
export async function inspectPeople(ask: Ask, repos: readonly RepoConfig[]): Promise<Finding[]> {
  const named = listNamed(repos);
  const looked = await Promise.all(
    named.map(async (one) => ({ ...one, answer: await ask(`/users/${encodeURIComponent(one.login)}`) })),
  );
  const unsure = looked.filter(({ answer }) => !isCertain(answer));
  const findings = [
    ...looked.flatMap(({ answer, ...one }) => describeAccount(one, answer)),
    ...(unsure.length === 0 ? [] : [describeUnsure(unsure)]),
  ];
  if (findings.length > 0 || named.length === 0) return findings;
  return [ok('people', `GitHub knows ${named.map(({ login }) => login).join(', ')}`)];
}

/** Lists each login once, ignoring case. Omits the owner, because the repository check reports a wrong owner. */
function listNamed(repos: readonly RepoConfig[]): Named[] {
  const all = new Map<string, Named>();
  for (const { id: repoId, owner, allowedUsers, operatorLogins } of repos) {
    const add = (key: Key, login: string): void => {
      const name = login.toLowerCase();
      const known = all.get(name) ?? { login, places: [] };
      // By default, `operator_logins` repeats `allowed_users`, so only the first place per repository is reported.
      if (name === owner.toLowerCase() || known.places.some((place) => place.repoId === repoId)) return;
      all.set(name, { ...known, places: [...known.places, { key, repoId }] });
    };
    for (const login of allowedUsers) add('allowed_users', login);
    for (const login of operatorLogins) add('operator_logins', login);
  }
  return [...all.values()];
}

function describeAccount({ login, places }: Named, answer: Answer): Finding[] {
  if (answer.kind === 'silent') return [];
  const where = places.map(({ key, repoId }) => `${key} in [repo.${repoId}]`).join(' and ');
  if (answer.status === 404) {
    const fix =
      `Correct ${where}, or remove the login there. ` +
      'GitHub also hides accounts that an enterprise manages from logins outside of it.';
    return [
      warning('people', `GitHub returned no user ${login}, so nobody can comment with that login`, fix),
    ];
  }
  if (Account.safeParse(answer.data).data?.type !== 'Organization') return [];
  const fix = `Name its people in ${where} instead.`;
  return [warning('people', `${login} is an organisation, and organisations cannot comment`, fix)];
}

function isCertain(answer: Answer): boolean {
  return answer.kind === 'heard' && (answer.status === 200 || answer.status === 404);
}

function describeUnsure(unsure: readonly { login: string; answer: Answer }[]): Finding {
  const logins = unsure
    .map(({ login, answer }) => `${login} (${answer.kind === 'silent' ? answer.reason : answer.status})`)
    .join(', ');
  const fix = `Run \`${MERGEXO_CLI} doctor\` again later.`;
  return warning('people', `could not check these logins: ${logins}`, fix);
}
