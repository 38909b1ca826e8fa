import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ApiError } from '../../basics/api-error.js';
import { readText } from '../../http/exchange.js';
import type { Person } from '../../people/people.js';
import { Refused } from '../../people/request.js';
import { openRepo, type PageContext } from '../visit/page-context.js';
import { actAs, isFormToken, listPeople, setCookie } from '../visit/visitor.js';
import { ACTIONS, openIssue } from './actions.js';
import { isSameOrigin } from './guard.js';

const CHOOSE = '/_pages/visitor';
const FORM = /^\/([\w.-]+)\/([\w.-]+)\/(?:issues|(?:issues|pull)\/(\d{1,15})\/([a-z-]+))$/;

export const isFormPath = (path: string) => path === CHOOSE || FORM.test(path);

export type Submitted = { path: string; cookie?: string };

/** Reads a form and does what it asks for. What a page elsewhere might have sent is refused before anything is done. */
export async function readForm(context: PageContext, request: IncomingMessage): Promise<URLSearchParams> {
  const { headers } = request;
  const type = headers['content-type']?.split(';', 1)[0]?.trim();
  const text = await readText(request);
  if (!isSameOrigin(headers)) throw new ApiError(403, 'This form was not sent by a page of this server.');
  if (type !== 'application/x-www-form-urlencoded')
    throw new ApiError(415, 'This is no form of these pages.');
  const form = new URLSearchParams(text);
  if (!isFormToken(context.visitor, form.get('token') ?? ''))
    throw new ApiError(
      403,
      'This form is out of date: you have become somebody else, or the server was restarted. Go back and load the page again.',
    );
  return form;
}

export async function submit(
  context: PageContext,
  form: URLSearchParams,
  as: (login: string) => Person,
): Promise<Submitted> {
  if (context.path === CHOOSE) return choose(context, form);
  const { user } = context.visitor;
  if (!user) throw new ApiError(403, 'Choose who you are first.');
  const [, owner = '', name = '', number, verb = ''] = FORM.exec(context.path) ?? [];
  const repo = openRepo(context, { owner, repo: name });
  const sent = { context: { ...context, repo }, form, user, person: as(user.login) };
  const action = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
  if (number !== undefined && !action) throw new ApiError(404, 'Not Found');
  return { path: await (action ? action(sent, Number(number)) : openIssue(sent)) };
}

function choose(context: PageContext, form: URLSearchParams): Submitted {
  const person = listPeople(context.world).find(({ id }) => String(id) === form.get('user'));
  if (!person) throw new ApiError(422, 'There is nobody of that name.');
  const cookie = setCookie(context.world, actAs(context.world, context.visitor, person.id));
  return { path: localPath(form.get('back') ?? '/'), cookie };
}

/** Never away from here: `//elsewhere` and its relatives are addresses of other servers. */
function localPath(path: string): string {
  const url = URL.canParse(path, 'http://here') ? new URL(path, 'http://here') : undefined;
  return url?.origin === 'http://here' && path.startsWith('/') ? `${url.pathname}${url.search}` : '/';
}

const Said = z.object({
  message: z.string(),
  errors: z
    .array(
      z.union([
        z.string(),
        z
          .object({
            message: z.string().optional(),
            field: z.string().optional(),
            code: z.string().optional(),
          })
          .transform(({ message, field, code }) => message ?? [field, code].filter(Boolean).join(': ')),
      ]),
    )
    .default([]),
});

/** Why something was not done, in the API's own words; undefined when it is no refusal but a bug. */
export function toRefusal(error: unknown): { status: number; words: string } | undefined {
  if (error instanceof z.ZodError) return { status: 400, words: 'This is no form of these pages.' };
  if (!(error instanceof ApiError || error instanceof Refused)) return undefined;
  const said = Said.safeParse(error.body);
  const words = said.success ? [said.data.message, ...said.data.errors].join('. ') : error.message;
  return { status: error.status, words };
}
