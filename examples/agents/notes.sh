#!/usr/bin/env bash
# A MergeXO agent in bash: takes notes instead of asking a model. Needs jq.
set -euo pipefail
request=$(cat)
get() { jq -r "$1" <<<"$request"; }

kind=$(get .kind)
issue=$(get .turn.task_context.issue_number)
case $kind in
  bugfix_start | small_job_start | implementation_start | *_feedback | review_fix)
    # People who watch the turn see this step at once.
    echo '{"progress": {"kind": "edit", "text": "NOTES.md"}}' >&2
    get '"## \(.kind)\n\n\(.turn.issue.title // "")\n\(.turn.new_events | map("- " + .body) | join("\n"))"' >>NOTES.md ;;
esac

# The shape of `output` depends on the kind of turn; .output_schema describes it.
output=$(jq --arg issue "$issue" '
  def notes: "Notes are in NOTES.md.";
  { pr_title: "Note issue \($issue)", pr_summary: notes, commit_message: "Note issue \($issue)",
    state_summary: notes, blocked_reason: null } as $change |
  .turn.new_events as $events |
  if .kind == "review" then { summary: "The notes are complete.", findings: [],
    earlier: [$events[] | { id, status: "fixed", line: null, evidence: notes }] }
  elif .kind == "review_verify" then { findings: [$events[] | { id, status: "confirmed", evidence: notes }] }
  elif .kind == "review_fix" then
    { commit_message: "Note the findings", summary: notes, state_summary: notes,
      findings: [$events[] | select(.id) | { id, resolution: "fixed", note: notes }] }
  elif .kind | endswith("_feedback") then
    { review_replies: [$events[] | select(.kind == "review") | { review_comment_id: .id, body: notes }],
      general_comment: notes, commit_message: "Note the comments", state_summary: notes, blocked_reason: null, flaky: null }
  elif .kind == "design_start" then { blocked_reason: "This agent cannot write designs." }
  elif .kind == "implementation_start" then $change + { acceptance: [] }
  else $change end' <<<"$request")
jq -n --argjson output "$output" '{session: {thread_id: null}, output: $output}'
