CREATE TABLE `operator_pauses` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`since` integer NOT NULL,
	`paused_by` text NOT NULL,
	`reason` text,
	PRIMARY KEY(`repo_id`, `issue_number`)
);
--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `review_skipped_sha` text;