const NAME = /^(?!\.{1,2}$)[\w.-]{1,100}$/;
const NUMBER = /^[1-9]\d{0,8}$/;

type Params = Readonly<Record<string, unknown>>;
export type IssueParams = { repo: string; number: number };

/** Parses the parameters of `/:owner/:name`. Returns undefined if a parameter is invalid. */
export function parseRepo(params: Params): string | undefined {
  const [owner = '', name = ''] = [params['owner'], params['name']].map(String);
  return NAME.test(owner) && NAME.test(name) ? `${owner}/${name}` : undefined;
}

/** Parses the parameters of `/:owner/:name/:number`. Returns undefined if a parameter is invalid. */
export function parseIssueParams(params: Params): IssueParams | undefined {
  const repo = parseRepo(params);
  const number = String(params['number']);
  return repo === undefined || !NUMBER.test(number) ? undefined : { repo, number: Number(number) };
}
