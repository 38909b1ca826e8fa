type Replacement = { phrase: RegExp; write: string; example: string };

/** Phrases that made readers stumble, and their replacements. Add a row when a review finds another phrase. */
export const REPLACEMENTS: readonly Replacement[] = [
  { phrase: /\b(?:is|are|was|were) told\b/gi, write: 'MergeXO reports …', example: 'It is told once' },
  { phrase: /\beverything rests\b/gi, write: 'MergeXO stops working on it', example: 'everything rests' },
  { phrase: /\bmend(?:s|ed|ing)?\b/gi, write: 'fix', example: 'the agent mends it' },
  { phrase: /\bspeaks? on GitHub\b/gi, write: 'post', example: 'it speaks on GitHub' },
  {
    phrase: /\bfell silent|falls? silent\b/gi,
    write: 'stopped responding',
    example: 'the worker fell silent',
  },
  {
    phrase: /\b(?:waited|tried|sent|fixe[sd]) in vain\b/gi,
    write: 'timed out, or failed',
    example: 'Waited in vain',
  },
  { phrase: /\bcome(?:s)? to nothing\b/gi, write: 'fail', example: 'the turn comes to nothing' },
  { phrase: /\bdone again\b/gi, write: 'retried', example: 'its work is done again' },
  {
    phrase: /\bgoes on by itself|cannot go on\b/gi,
    write: 'continues, cannot continue',
    example: 'it cannot go on',
  },
  { phrase: /\bleft alone\b/gi, write: 'ignored, skipped', example: 'other keys are left alone' },
  {
    phrase: /\bwhat is said meanwhile\b/gi,
    write: 'comments made while it is paused',
    example: 'what is said meanwhile',
  },
  { phrase: /\bmeanwhile\b/gi, write: 'in the meantime, while …', example: 'comments made meanwhile' },
  { phrase: /\bwhoever\b/gi, write: 'the actor', example: 'whoever is next' },
  { phrase: /\bwhat became of\b/gi, write: 'the outcome of', example: 'what became of every comment' },
  { phrase: /\blooks? at GitHub\b/gi, write: 'poll', example: 'between two looks at GitHub' },
  { phrase: /\blooked for\b/gi, write: 'searched for', example: 'a write is looked for' },
  {
    phrase: /\b(?:never )?stands? here\b/gi,
    write: 'is in this file',
    example: 'a password never stands here',
  },
  { phrase: /\bwants? a (?:password|confirmation)\b/gi, write: 'requires', example: 'it wants a password' },
  {
    phrase: /\bwithout blame\b/gi,
    write: 'does not count as a failure',
    example: 'tried again without blame',
  },
  { phrase: /\bhands? over\b/gi, write: 'pass', example: 'it hands over the plan' },
  { phrase: /\bthat cannot be\b(?= *[.|])/gi, write: 'name the error', example: 'That cannot be' },
  { phrase: /\bthat is our fault\b/gi, write: 'Something went wrong', example: 'That is our fault' },
  { phrase: /\bhow-manieth\b/gi, write: '1-based number', example: 'the how-manieth run' },
  {
    phrase: /\bholds? (?:everything|all) of it up\b/gi,
    write: 'pauses the whole repository',
    example: 'holds everything of it up',
  },
  { phrase: /\bno more\b(?= *[.,])/gi, write: 'no longer', example: 'it has that commit no more' },
  { phrase: /\bsaid aloud\b/gi, write: 'state it plainly', example: 'the window, said aloud' },
];
