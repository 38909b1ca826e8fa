#!/usr/bin/env python3
"""A MergeXO agent in Python: takes notes instead of asking a model. Needs no packages."""
import json
import sys

request = json.load(sys.stdin)
kind, turn = request["kind"], request["turn"]
issue, events = turn["task_context"]["issue_number"], turn["new_events"]
NOTES = "Notes are in NOTES.md."
change = {"pr_title": f"Note issue {issue}", "pr_summary": NOTES, "commit_message": f"Note issue {issue}",
          "state_summary": NOTES, "blocked_reason": None}

if kind not in ("review", "review_verify", "design_start"):
    # People who watch the turn see this step at once.
    print(json.dumps({"progress": {"kind": "edit", "text": "NOTES.md"}}), file=sys.stderr, flush=True)
    title = turn["issue"]["title"] if turn["issue"] else ""
    with open("NOTES.md", "a", encoding="utf-8") as notes:
        notes.write("\n".join([f"## {kind}", "", title, *(f"- {event['body']}" for event in events), ""]))

# The shape of `output` depends on the kind of turn; request["output_schema"] describes it.
if kind == "review":
    earlier = [{"id": event["id"], "status": "fixed", "line": None, "evidence": NOTES} for event in events]
    output = {"summary": "The notes are complete.", "findings": [], "earlier": earlier}
elif kind == "review_verify":
    output = {"findings": [{"id": event["id"], "status": "confirmed", "evidence": NOTES} for event in events]}
elif kind == "review_fix":
    findings = [{"id": event["id"], "resolution": "fixed", "note": NOTES} for event in events if event["id"]]
    output = {"commit_message": "Note the findings", "summary": NOTES, "state_summary": NOTES, "findings": findings}
elif kind.endswith("_feedback"):
    replies = [{"review_comment_id": event["id"], "body": NOTES} for event in events if event["kind"] == "review"]
    output = {"review_replies": replies, "general_comment": NOTES, "commit_message": "Note the comments",
              "state_summary": NOTES, "blocked_reason": None, "flaky": None}
elif kind == "design_start":
    output = {"blocked_reason": "This agent cannot write designs."}
else:
    output = {**change, "acceptance": []} if kind == "implementation_start" else change

json.dump({"session": {"thread_id": None}, "output": output}, sys.stdout)
