const DOCS = 'https://docs.github.com/rest';

export type FieldError = { resource: string; code: string; field?: string; message?: string; value?: string };

/** An error response from GitHub's API. */
export class ApiError extends Error {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    message: string,
    extra: { errors?: (FieldError | string)[]; headers?: Record<string, string>; docs?: string } = {},
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.headers = extra.headers ?? {};
    this.body = {
      message,
      ...(extra.errors && { errors: extra.errors }),
      documentation_url: extra.docs ?? DOCS,
      status: String(status),
    };
  }
}

export const notFound = () => new ApiError(404, 'Not Found');
export const forbidden = (message: string) => new ApiError(403, message);

export function invalid(...errors: FieldError[]): ApiError {
  return new ApiError(422, 'Validation Failed', { errors });
}

/** Some endpoints (reviews, reviewers) respond with plain sentences instead of field errors. */
export function unprocessable(...errors: string[]): ApiError {
  return new ApiError(422, 'Unprocessable Entity', { errors });
}

/** The error for requests that GitHub does not document or the twin does not support. GitHub never sends it. */
export function refusedByTwin(status: number, what: string): ApiError {
  return new ApiError(status, `Refused by the twin: ${what}`, {
    docs: 'https://docs.github.com/rest#twin-strict-mode',
  });
}
