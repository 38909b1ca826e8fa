import type { OperatorMessage } from '@mergexo/core/ledger';
import type { Html } from '../html.js';
import type { Asked, OperatorRequest } from './ask-poller.js';

type Params = Readonly<Record<string, unknown>>;

/** A change that an operator confirms before the poller makes it. */
export type OperatorForm<Subject> = {
  /** Returns undefined if the path is invalid, which leads to "Page not found". */
  parse(params: Params): Subject | undefined;
  /** Identifies the change. A confirmation of one change is not valid for another. */
  identify(subject: Subject): string;
  /** The path of the page to return to: the page of the issue, the repositories page or the home page. */
  locate(subject: Subject): string;
  /** Describes what will happen. Returns a string with the reason if there is nothing to do. */
  show(subject: Subject): Confirm | string;
  /** Builds the message from the submitted form. Returns an error message if the form is invalid. */
  build(subject: Subject, body: unknown, request: OperatorRequest): OperatorMessage | string;
  describe(subject: Subject, answer: Extract<Asked, { kind: 'answered' }>['answer']): Done | undefined;
};
export type Confirm = { title: string; verb: string; about: Html; fields?: Html };
export type Done = { title: string; text: Html };
