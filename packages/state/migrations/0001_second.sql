CREATE TABLE `review_fixes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`pr_number` integer NOT NULL,
	`round_id` integer NOT NULL,
	`fix_cycle` integer NOT NULL,
	`turn_key` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`sha` text,
	`ended_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`round_id`) REFERENCES `review_rounds`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`turn_key`) REFERENCES `turns`(`turn_key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `review_fixes_identity` ON `review_fixes` (`turn_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `review_fixes_cycle` ON `review_fixes` (`repo_id`,`pr_number`,`fix_cycle`) WHERE "review_fixes"."outcome" <> 'superseded';--> statement-breakpoint
CREATE INDEX `review_fixes_by_pull` ON `review_fixes` (`repo_id`,`pr_number`);--> statement-breakpoint
ALTER TABLE `review_findings` ADD `last_round_id` integer REFERENCES review_rounds(id);--> statement-breakpoint
ALTER TABLE `review_findings` ADD `note` text;--> statement-breakpoint
ALTER TABLE `review_rounds` ADD `number` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `review_rounds` ADD `state` text DEFAULT 'open' NOT NULL;--> statement-breakpoint
ALTER TABLE `review_rounds` ADD `blocking_json` text;--> statement-breakpoint
ALTER TABLE `review_rounds` ADD `remote_id` integer;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `design_merge_sha` text;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `label_priority` integer;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `schedule_json` text;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `ignored_since` text;--> statement-breakpoint
ALTER TABLE `issue_runs` ADD `label_gone` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `checks_json` text;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `changed_files_json` text;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `changed_files_sha` text;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `escalated_at` integer;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `resumed_at` integer DEFAULT 0 NOT NULL;