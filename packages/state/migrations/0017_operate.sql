CREATE TABLE `agent_steps` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`turn_key` text NOT NULL,
	`attempt` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`text` text NOT NULL,
	`bytes_so_far` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `agent_steps_by_turn` ON `agent_steps` (`turn_key`);--> statement-breakpoint
CREATE TABLE `notify_channels` (
	`channel` text PRIMARY KEY NOT NULL,
	`event_id` integer NOT NULL,
	`attempts` integer DEFAULT 0 NOT NULL,
	`wait_since` integer DEFAULT 0 NOT NULL,
	`wait_until` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE `operator_pauses` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`since` integer NOT NULL,
	`paused_by` text NOT NULL,
	`reason` text,
	PRIMARY KEY(`repo_id`, `issue_number`)
);
--> statement-breakpoint
CREATE TABLE `reactions` (
	`repo_id` integer NOT NULL,
	`kind` text NOT NULL,
	`subject_id` integer NOT NULL,
	`thread` integer NOT NULL,
	`shown` text,
	`shown_id` integer,
	`stale_id` integer,
	`sending` text,
	`refused` integer DEFAULT false NOT NULL,
	`open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`repo_id`, `kind`, `subject_id`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `reactions_open` ON `reactions` (`repo_id`) WHERE "reactions"."open" = 1;--> statement-breakpoint
CREATE TABLE `status_comments` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`state` text NOT NULL,
	`remote_id` integer,
	`digest` text,
	`sent_at` integer DEFAULT 0 NOT NULL,
	`open` integer DEFAULT true NOT NULL,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `status_comments_open` ON `status_comments` (`repo_id`) WHERE "status_comments"."open" = 1;--> statement-breakpoint
ALTER TABLE `pull_requests` ADD `review_skipped_sha` text;--> statement-breakpoint
CREATE INDEX `pull_requests_by_status` ON `pull_requests` (`repo_id`,`status`);--> statement-breakpoint
ALTER TABLE `spend` ADD `adapter` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `model` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `cached_tokens` integer;--> statement-breakpoint
ALTER TABLE `spend` ADD `cost_source` text;--> statement-breakpoint
ALTER TABLE `spend` ADD `duration_ms` integer;--> statement-breakpoint
CREATE INDEX `spend_by_run` ON `spend` (`run_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `issue_runs_by_update` ON `issue_runs` (`updated_at`);--> statement-breakpoint
CREATE INDEX `feedback_events_by_author` ON `feedback_events` (lower("payload_json" ->> '$.author.login'),`repo_id`,`issue_number`);--> statement-breakpoint
CREATE INDEX `turns_by_run` ON `turns` (`run_id`,`opened_at`);--> statement-breakpoint
UPDATE `spend` SET `cost_source` = 'agent' WHERE `cost_usd` > 0;
