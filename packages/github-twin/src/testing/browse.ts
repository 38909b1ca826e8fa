import type { Twin } from '../start/start-twin.js';

export type Seen = { status: number; text: string; headers: Headers };
export type Browser = ReturnType<typeof openBrowser>;

/** Simulates a browser without scripts: it keeps cookies, submits forms, and sends their origin. */
export function openBrowser(twin: Twin) {
  const jar = new Map<string, string>();
  const visit = async (path: string, init: RequestInit = {}): Promise<Seen> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = {
      accept: 'text/html',
      ...(cookie && { cookie }),
      ...Object.fromEntries(new Headers(init.headers)),
    };
    const response = await fetch(new URL(path, twin.url), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      jar.set(name, value);
    }
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const open = async (path: string): Promise<Seen> => {
    const seen = await visit(path);
    const next = seen.headers.get('location');
    return seen.status === 303 && next ? open(next) : seen;
  };
  const post = (action: string, fields: [string, string][], headers: Record<string, string> = {}) =>
    visit(action, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: twin.url, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  return {
    open,
    visit,
    post,
    /** Fills in and submits the form with an action URL that ends with `action`. */
    async send(page: string, action: string, fields: Record<string, string>): Promise<Seen> {
      const form = findForm((await open(page)).text, action);
      return post(form.action, [...form.fields, ...Object.entries(fields)]);
    },
    async become(login: string): Promise<void> {
      const { text } = await open('/');
      const user =
        new RegExp(`value="(\\d+)"[^>]*>(?:(?!</button>).)*<bdi>${login}</bdi>`).exec(text)?.[1] ?? '';
      const form = findForm(text, '/_pages/visitor');
      const seen = await post(form.action, [...form.fields, ['user', user]]);
      if (seen.status !== 303)
        throw new Error(`Choosing the user ${login} failed with status ${seen.status}`);
    },
  };
}

/** Finds a form on a page, with its hidden fields. */
export function findForm(page: string, action: string): { action: string; fields: [string, string][] } {
  for (const [, target = '', inner = ''] of page.matchAll(
    /<form method="post" action="([^"]*)"[^>]*>(.*?)<\/form>/gs,
  )) {
    if (!target.endsWith(action)) continue;
    const hidden = inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g);
    const fields = [...hidden].map(([, name = '', value = '']): [string, string] => [name, decode(value)]);
    return { action: target, fields };
  }
  throw new Error(`the page has no form for ${action}`);
}

function decode(text: string): string {
  const names: Record<string, string> = { quot: '"', '#39': "'", lt: '<', gt: '>', amp: '&' };
  return text.replace(/&(quot|#39|lt|gt|amp);/g, (_, name: string) => names[name] ?? '');
}
