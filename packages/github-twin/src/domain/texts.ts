import { invalid } from '../basics/api-error.js';

export function checkBodyText(resource: string, body: string): string {
  if (body.trim() === '')
    throw invalid({ resource, code: 'missing_field', field: 'body', message: "body can't be blank" });
  return checkLength(resource, body);
}

type Limit = [field: string, most: number];

export function checkLength(resource: string, text: string, [field, most]: Limit = ['body', 65_536]): string {
  if (text.length <= most) return text;
  const message = `${field} is too long (maximum is ${most} characters)`;
  throw invalid({ resource, code: 'custom', field, message });
}

export function checkTitle(resource: string, title: string): string {
  if (title.trim() === '') throw invalid({ resource, code: 'missing_field', field: 'title' });
  return checkLength(resource, title, ['title', 256]);
}
