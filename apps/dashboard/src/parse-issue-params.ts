const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const NUMBER = /^[1-9]\d{0,8}$/;

export type IssueParams = { repo: string; number: number };

/** Parses the parameters of `/:owner/:name/:number`. Returns undefined if a parameter is invalid. */
export function parseIssueParams(params: Readonly<Record<string, unknown>>): IssueParams | undefined {
  const [owner, name, number] = [params['owner'], params['name'], params['number']].map(String);
  if (owner === undefined || name === undefined || number === undefined) return undefined;
  if (!NAME.test(owner) || !NAME.test(name) || !NUMBER.test(number)) return undefined;
  return { repo: `${owner}/${name}`, number: Number(number) };
}
