ALTER TABLE `actions` ADD `payload_json` text;
--> statement-breakpoint
UPDATE `actions` SET `payload_json` = CASE
	WHEN `kind` IN ('open_pull', 'status_comment', 'review_reply', 'resolve_thread', 'rerun_checks', 'thread_link') THEN NULL
	WHEN `kind` IN ('review_status', 'review_failed_status') THEN json_object('headSha', `words`)
	WHEN `kind` IN ('escalation_label', 'escalation_unlabel') THEN json_object('label', `words`)
	WHEN `kind` = 'review_request' THEN json_object('login', `words`)
	WHEN `kind` = 'update_body' THEN json_object('drift', json(`words`))
	WHEN `kind` = 'unblock_notice' THEN json_object('text', `words`, 'acceptedHeadSha', CASE
		WHEN `words` GLOB '* is the accepted head now.*'
			AND length(substr(`words`, instr(`words`, ' is the accepted head now.') - 40, 40)) = 40
			AND substr(`words`, instr(`words`, ' is the accepted head now.') - 40, 40) NOT GLOB '*[^0-9a-f]*'
		THEN substr(`words`, instr(`words`, ' is the accepted head now.') - 40, 40)
	END)
	ELSE json_object('text', `words`)
END WHERE `words` IS NOT NULL;
--> statement-breakpoint
ALTER TABLE `actions` DROP COLUMN `words`;
