import { parseCommand, parseStartCommand } from './parse-command.js';

describe('parseStartCommand', () => {
  it.each([
    ['/mergexo design', 'design_doc'],
    ['please\r\n  /MergeXO BugFix \r\nthanks', 'bugfix'],
    ['/mergexo small-job', 'small_job'],
    ['try /mergexo design', undefined],
    ['> /mergexo design', undefined],
    ['/mergexo design now', undefined],
    ['/mergexo', undefined],
    ['/mergexo deploy', undefined],
  ])('reads %j as %s', (body, flow) => expect(parseStartCommand(body)).toBe(flow));
});

describe('parseCommand', () => {
  it.each([
    ['/mergexo', { kind: 'help' }],
    ['/mergexo Retry', { kind: 'retry' }],
    ['/mergexo unblock', { kind: 'unblock', headSha: null }],
    [`/mergexo unblock head_sha=${'A'.repeat(40)}`, { kind: 'unblock', headSha: 'a'.repeat(40) }],
    ['/mergexo unblock now', { kind: 'unknown', name: 'unblock now' }],
    ['/mergexo bugfix', { kind: 'start', flow: 'bugfix' }],
    ['/mergexo start', { kind: 'unknown', name: 'start' }],
    ['/mergexo bugfix\n/mergexo status', { kind: 'start', flow: 'bugfix' }],
    ['/mergexo constructor', { kind: 'unknown', name: 'constructor' }],
  ])('reads %j as %j', (body, command) => expect(parseCommand(body)?.command).toEqual(command));
});
