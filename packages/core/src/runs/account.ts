export type Account = { id: number; login: string; type: string };

export function isBot({ login, type }: Account): boolean {
  return type === 'Bot' || login.endsWith('[bot]');
}
