export type Names = {
  /** Returns the same name for the same value, such as `person-2`. */
  nameOf(group: string, value: string): string;
  /** Replaces every known login, and every mention, in a text. */
  hideLogins(text: string): string;
};

const MENTION = /@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/g;

/** Replaces texts with numbered names. Logins are case-insensitive, as on GitHub. */
export function createNames({
  logins,
  keepLogins,
}: {
  logins: readonly string[];
  keepLogins: boolean;
}): Names {
  const groups = new Map<string, Map<string, string>>();
  const nameOf = (group: string, value: string): string => {
    if (group === 'person' && keepLogins) return value.slice(0, 120);
    const names = groups.get(group) ?? new Map<string, string>();
    groups.set(group, names);
    const key = group === 'person' ? value.toLowerCase() : value;
    const name = names.get(key) ?? `${group}-${names.size + 1}`;
    names.set(key, name);
    return name;
  };
  const known = [...new Set(logins.map((login) => login.toLowerCase()))].filter((login) => login !== '');
  // A long login comes first, because it may contain a short one.
  const sorted = known.sort((a, b) => b.length - a.length).map(escapePattern);
  const pattern =
    sorted.length === 0
      ? undefined
      : new RegExp(`(?<![A-Za-z0-9_-])(?:${sorted.join('|')})(?![A-Za-z0-9_-])`, 'gi');
  return {
    nameOf,
    hideLogins(text) {
      if (keepLogins) return text;
      const mentioned = text.replace(MENTION, (_all, login: string) => `@${nameOf('person', login)}`);
      return pattern === undefined
        ? mentioned
        : mentioned.replace(pattern, (login) => nameOf('person', login));
    },
  };
}

const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
