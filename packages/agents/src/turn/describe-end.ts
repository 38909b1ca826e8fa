import { explainExceeded } from '../run/resources.js';
import { describeSurvivors, type ProcessEnd } from '../run/run-process.js';
import type { AgentFailed } from './agent.js';

/** Explains to the operator how the program ended, with the end of its standard error. */
export function describeEnd(end: ProcessEnd, log: string): Pick<AgentFailed, 'failure' | 'message'> {
  const lastLines = log.trim();
  const withLog = (message: string): string =>
    lastLines === '' ? message : `${message}; its log ends with: ${lastLines}`;
  // The answer may be valid, but surviving processes may still change the files.
  if (end.survivors.length > 0) return { failure: 'killed', message: describeSurvivors(end.survivors) };
  switch (end.kind) {
    case 'not-started':
      return { failure: 'not-installed', message: withLog(`the agent could not be started: ${end.reason}`) };
    case 'exited':
      // Shells and bubblewrap report a signal as an exit code above 128.
      return end.code > 128 && end.code < 160
        ? {
            failure: 'killed',
            message: withLog(
              `the agent was killed by signal ${end.code - 128}${explainKill(end.code === 128 + 9)}`,
            ),
          }
        : { failure: 'crashed', message: withLog(`the agent exited with code ${end.code}`) };
    case 'signalled':
      return {
        failure: 'killed',
        message: withLog(`the agent was killed by ${end.signal}${explainKill(end.signal === 'SIGKILL')}`),
      };
    case 'timed-out':
      return { failure: 'timed-out', message: withLog('the agent took longer than `agent.timeout_seconds`') };
    case 'silent':
      return {
        failure: 'silent',
        message: withLog('the agent printed nothing for `agent.silence_seconds`'),
      };
    case 'exceeded':
      return { failure: 'resource-limit', message: withLog(`the agent ${explainExceeded(end)}`) };
    case 'flooded':
      return { failure: 'invalid-output', message: 'the agent printed more than 10 MB as its answer' };
    case 'aborted':
      return { failure: 'killed', message: `the turn was stopped: ${end.reason}` };
  }
}

/** Mentions containers and services, because their memory limit may be lower than MergeXO's. */
function explainKill(isKilled: boolean): string {
  return isKilled ? ' (the kernel sends it when the machine, container or service runs out of memory)' : '';
}
