import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { ApiError, notFound } from '../../basics/api-error.js';
import type { Person } from '../../people/people.js';
import { Refused } from '../../people/request.js';
import { listPeople, openRepo, type PageContext, setCookie } from '../parts/page-context.js';
import { ACTIONS, openIssue } from './actions.js';

const CHOOSE = '/_pages/visitor';
const FORM = /^\/([\w.-]+\/[\w.-]+)\/(?:issues|(?:issues|pull)\/(\d{1,15})\/([a-z-]+))$/;

export const isFormPath = (path: string) => path === CHOOSE || FORM.test(path);

/** Rejects forms from other sites. Browsers send the origin of a POST in its headers. */
export function checkSender(headers: IncomingHttpHeaders): void {
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (headers.origin !== `http://${headers.host}` || site !== 'same-origin')
    throw new ApiError(
      403,
      'Refused: this form came from another site. Open the page on this server and send it again.',
    );
  if (headers['content-type']?.split(';', 1)[0]?.trim() !== 'application/x-www-form-urlencoded')
    throw new ApiError(415, 'The request is not a valid form of these pages.');
}

export type Submitted = { path: string; cookie?: string };

export async function submit(
  context: PageContext,
  form: URLSearchParams,
  as: (login: string) => Person,
): Promise<Submitted> {
  if (context.path === CHOOSE) return choose(context, form);
  const user = context.visitor;
  if (!user) throw new ApiError(403, 'Choose who you are first.');
  const [, name = '', number, verb = ''] = FORM.exec(context.path) ?? [];
  const repo = openRepo(context, name);
  const sent = { context: { ...context, repo }, form, user, person: as(user.login) };
  if (number === undefined) return { path: await openIssue(sent) };
  const action = ACTIONS.get(verb);
  if (!action) throw notFound();
  return { path: await action(sent, Number(number)) };
}

function choose({ world }: PageContext, form: URLSearchParams): Submitted {
  const person = listPeople(world).find(({ id }) => String(id) === form.get('user'));
  if (!person) throw new ApiError(422, 'This user does not exist or is not a person. Choose another one.');
  return { path: localPath(form.get('back') ?? '/'), cookie: setCookie(world, person) };
}

/** Returns the path if it is on this server, else `/`. `//host` and similar forms lead to another server. */
function localPath(path: string): string {
  const url = URL.canParse(path, 'http://here') ? new URL(path, 'http://here') : undefined;
  return url?.origin === 'http://here' && path.startsWith('/') ? `${url.pathname}${url.search}` : '/';
}

const text = z.string().optional();
const FieldError = z
  .object({ message: text, field: text, code: text })
  .transform(({ message, field, code }) => message ?? [field, code].filter(Boolean).join(': '));
const ErrorBody = z.object({
  message: z.string(),
  errors: z.array(z.union([z.string(), FieldError])).default([]),
});

/** Returns the status and message of an API error, or undefined if the error is a bug. */
export function toRefusal(error: unknown): { status: number; text: string } | undefined {
  if (error instanceof z.ZodError)
    return { status: 400, text: 'The request does not come from a form on these pages.' };
  if (!(error instanceof ApiError || error instanceof Refused)) return undefined;
  const answer = ErrorBody.safeParse(error.body);
  const text = answer.success ? [answer.data.message, ...answer.data.errors].join('. ') : error.message;
  return { status: error.status, text };
}
