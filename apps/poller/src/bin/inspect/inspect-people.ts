import type { RepoConfig } from '@mergexo/config';
import { MERGEXO_CLI } from '@mergexo/core/basics';
import { z } from 'zod';
import type { Answer, Ask } from './ask-github.js';
import { type Finding, finding } from './finding.js';

const Account = z.object({ login: z.string(), type: z.string() });

type Key = 'allowed_users' | 'operator_logins';
type Named = { login: string; places: { key: Key; repoId: string }[] };

/** Whether the configured logins belong to people: nobody can comment under a misspelt login. One request per login. */
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
  return [finding('people', 'ok', `GitHub knows ${named.map(({ login }) => login).join(', ')}`)];
}

/** Each login once, whatever its capitals. The owner is left out: the check of the repository reports a wrong owner. */
function listNamed(repos: readonly RepoConfig[]): Named[] {
  const all = new Map<string, Named>();
  for (const { id: repoId, owner, allowedUsers, operatorLogins } of repos) {
    const add = (key: Key, login: string): void => {
      const name = login.toLowerCase();
      const known = all.get(name) ?? { login, places: [] };
      // By default operators are the allowed users: one place to correct is enough.
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
    return [finding('people', 'warning', `GitHub shows no user ${login}: nobody can comment as them`, fix)];
  }
  if (Account.safeParse(answer.data).data?.type !== 'Organization') return [];
  const fix = `Name its people in ${where} instead.`;
  return [finding('people', 'warning', `${login} is an organisation: nobody can comment as it`, fix)];
}

function isCertain(answer: Answer): boolean {
  return answer.kind === 'heard' && (answer.status === 200 || answer.status === 404);
}

function describeUnsure(unsure: readonly { login: string; answer: Answer }[]): Finding {
  const logins = unsure
    .map(({ login, answer }) => `${login} (${answer.kind === 'silent' ? answer.reason : answer.status})`)
    .join(', ');
  const fix = `Run \`${MERGEXO_CLI} doctor\` again in a while.`;
  return finding('people', 'warning', `these logins could not be checked: ${logins}`, fix);
}
