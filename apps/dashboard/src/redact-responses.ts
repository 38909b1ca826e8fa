import { type Redact, redactJson } from '@mergexo/core/text';
import type { Handler } from 'express';

/**
 * Redacts every response, because the database may contain secrets that were unknown when they were stored. In JSON,
 * redacts each text alone, so that redaction cannot remove other fields.
 */
export function redactResponses(redact: Redact): Handler {
  return (_request, response, next) => {
    const send = response.send.bind(response);
    response.send = (body) => {
      if (typeof body !== 'string') return send(body);
      const isJson = /^application\/json\b/.test(response.get('content-type') ?? '');
      return send(isJson ? redactJson(body, redact) : redact(body));
    };
    next();
  };
}
