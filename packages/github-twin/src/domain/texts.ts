import { invalid } from '../basics/api-error.js';

const LONGEST = 65_536;

export function checkBodyText(resource: string, body: string): string {
  if (body.trim() === '')
    throw invalid({ resource, code: 'missing_field', field: 'body', message: "body can't be blank" });
  return checkLength(resource, body);
}

export function checkLength(resource: string, body: string): string {
  if (body.length <= LONGEST) return body;
  const message = `body is too long (maximum is ${LONGEST} characters)`;
  throw invalid({ resource, code: 'custom', field: 'body', message });
}

export function checkTitle(resource: string, title: string): string {
  if (title.trim() === '') throw invalid({ resource, code: 'missing_field', field: 'title' });
  if (title.length > 256)
    throw invalid({
      resource,
      code: 'custom',
      field: 'title',
      message: 'title is too long (maximum is 256 characters)',
    });
  return title;
}
