ALTER TABLE `issue_runs` ADD `ended_kind` text;
--> statement-breakpoint
UPDATE `issue_runs` SET `ended_kind` = `blocked_kind`, `blocked_kind` = NULL
WHERE `status` = 'closed' AND `blocked_kind` IN ('takeover', 'issue_closed', 'author_removed', 'implemented_by_hand');
--> statement-breakpoint
UPDATE `issue_runs` SET `ended_kind` = 'retired', `error` = NULL
WHERE `status` = 'closed' AND `error` = 'retired by mergexo adopt';
--> statement-breakpoint
UPDATE `feedback_events` SET `skip_reason` = CASE
	WHEN `skip_reason` = 'it is our own' THEN json_object('code', 'ours')
	WHEN `skip_reason` = 'it is a copy of our own' THEN json_object('code', 'copy_of_ours')
	WHEN `skip_reason` = 'it is empty' THEN json_object('code', 'empty')
	WHEN `skip_reason` = 'the review was dismissed' THEN json_object('code', 'review_dismissed')
	WHEN `skip_reason` = 'it is a command' THEN json_object('code', 'command')
	WHEN `skip_reason` = 'a person had taken over' THEN json_object('code', 'taken_over')
	WHEN `skip_reason` IN ('it was edited before it was answered', 'it was edited before it was acted on') THEN json_object('code', 'edited')
	WHEN `skip_reason` IN ('it was deleted before it was answered', 'it was deleted before it was acted on') THEN json_object('code', 'deleted')
	WHEN `skip_reason` = 'it has not failed any more' THEN json_object('code', 'check_passed')
	WHEN `skip_reason` = 'it was about an earlier commit' THEN json_object('code', 'older_commit')
	WHEN `skip_reason` = 'it was part of the work before' THEN json_object('code', 'consumed')
	WHEN `skip_reason` = 'it was obeyed before' THEN json_object('code', 'obeyed')
	WHEN `skip_reason` = 'it was redirected before' THEN json_object('code', 'redirected')
	WHEN `skip_reason` = 'GitHub took no redirect' THEN json_object('code', 'redirect_refused')
	WHEN `skip_reason` = 'no work on this issue is open' THEN json_object('code', 'no_open_work')
	WHEN `skip_reason` = 'the issue is gone' THEN json_object('code', 'issue_gone')
	WHEN `skip_reason` = 'retired by mergexo adopt' THEN json_object('code', 'retired')
	WHEN `skip_reason` IN ('the pull request was merged', 'the pull request was closed') THEN json_object('code', 'pull_ended', 'status', substr(`skip_reason`, 22))
	WHEN `skip_reason` GLOB 'pull request #[0-9]* was closed' THEN json_object('code', 'issue_pull_closed', 'prNumber', CAST(substr(`skip_reason`, 15) AS integer))
	WHEN `skip_reason` = 'the review (no verdict) has no text' THEN json_object('code', 'review_without_text', 'state', NULL)
	WHEN `skip_reason` IN ('the review (approved) has no text', 'the review (changes_requested) has no text', 'the review (commented) has no text') THEN json_object('code', 'review_without_text', 'state', replace(substr(`skip_reason`, 13), ') has no text', ''))
	WHEN `skip_reason` GLOB '* is a bot' THEN json_object('code', 'bot', 'login', substr(`skip_reason`, 1, length(`skip_reason`) - 9))
	WHEN `skip_reason` GLOB '* is not in allowed_users' THEN json_object('code', 'not_allowed', 'login', substr(`skip_reason`, 1, length(`skip_reason`) - 24))
	ELSE json_object('code', 'legacy', 'text', `skip_reason`)
END WHERE `skip_reason` IS NOT NULL;
--> statement-breakpoint
UPDATE `actions` SET `error` = CASE
	WHEN `state` = 'tombstone' AND `error` IN ('edited', 'deleted') THEN json_object('code', `error`)
	WHEN `error` = 'retired by mergexo adopt' THEN json_object('code', 'retired')
	WHEN `error` = 'not sent: it was unblocked' THEN json_object('code', 'unblocked')
	WHEN `error` = 'not sent: it was reopened' THEN json_object('code', 'reopened')
	WHEN `error` = 'not sent: a person took it over' THEN json_object('code', 'taken_over')
	WHEN `error` IN ('not sent: the pull request was merged', 'not sent: the pull request was closed') THEN json_object('code', 'pull_ended', 'status', substr(`error`, 32))
	WHEN `error` GLOB 'not sent: the turn is [a-z]*' THEN json_object('code', 'turn_ended', 'state', substr(`error`, 23))
	ELSE json_object('code', 'refused', 'text', `error`)
END WHERE `error` IS NOT NULL;
