/** How the twin's deliveries differ from GitHub's examples, by reason. Names are as in `webhook-shapes.json`. */
const DIFFERENCES_BY_REASON: Record<string, string[]> = {
  'The objects of the examples had an optional text. GitHub’s description allows null.': [
    '$app.description: is null',
    '$label.description: is null',
    '$pull-simple.body: is null',
    '$push-repository.language: is null',
  ],
  'The installations of the examples were requested by a member and approved by an owner.': [
    'installation created.requester: is null',
    'installation_repositories added.requester: is null',
  ],
  'Null until GitHub has merged the branches as a test. The examples were older pull requests.': [
    '$pull-simple.merge_commit_sha: is null',
  ],
};

export const WEBHOOK_DIFFERENCES = new Set(Object.values(DIFFERENCES_BY_REASON).flat());
