CREATE TABLE `issue_comment_cursors` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`pre_pr_last_consumed_comment_id` integer DEFAULT 0 NOT NULL,
	`post_pr_last_redirected_comment_id` integer DEFAULT 0 NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `poll_cursors` (
	`repo_id` integer NOT NULL,
	`feed` text NOT NULL,
	`cursor` text,
	`etag` text,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `feed`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `pre_pr_followup_state` (
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`flow` text NOT NULL,
	`branch` text NOT NULL,
	`context_json` text NOT NULL,
	`waiting_reason` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`repo_id`, `issue_number`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE TABLE `repositories` (
	`id` integer PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`default_branch` text NOT NULL,
	`active` integer DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE INDEX `repositories_by_name` ON `repositories` (`owner`,`name`);--> statement-breakpoint
CREATE TABLE `review_findings` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`pr_number` integer NOT NULL,
	`round_id` integer NOT NULL,
	`fingerprint` text NOT NULL,
	`severity` text NOT NULL,
	`category` text NOT NULL,
	`path` text NOT NULL,
	`line` integer,
	`body` text NOT NULL,
	`suggestion` text,
	`status` text NOT NULL,
	`remote_id` integer,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`round_id`) REFERENCES `review_rounds`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `review_findings_identity` ON `review_findings` (`repo_id`,`pr_number`,`fingerprint`);--> statement-breakpoint
CREATE TABLE `review_rounds` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`pr_number` integer NOT NULL,
	`head_sha` text NOT NULL,
	`fix_cycle` integer NOT NULL,
	`turn_key` text,
	`verdict` text,
	`summary` text,
	`created_at` integer NOT NULL,
	`completed_at` integer,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`turn_key`) REFERENCES `turns`(`turn_key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `review_rounds_identity` ON `review_rounds` (`repo_id`,`pr_number`,`head_sha`);--> statement-breakpoint
CREATE TABLE `agent_sessions` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`run_id` integer NOT NULL,
	`adapter` text NOT NULL,
	`thread_id` text,
	`status` text NOT NULL,
	`last_heartbeat_at` integer,
	`last_processed_event_key` text,
	`state_summary` text,
	`open_items` text,
	`check_statuses` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`run_id`) REFERENCES `issue_runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `agent_sessions_active` ON `agent_sessions` (`run_id`) WHERE "agent_sessions"."status" = 'active';--> statement-breakpoint
CREATE TABLE `issue_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`flow` text NOT NULL,
	`ordinal` integer DEFAULT 1 NOT NULL,
	`status` text NOT NULL,
	`blocked_kind` text,
	`error` text,
	`issue_title` text DEFAULT '' NOT NULL,
	`branch` text,
	`pr_number` integer,
	`run_start_comment_id` integer,
	`design_doc_path` text,
	`priority` integer DEFAULT 3 NOT NULL,
	`estimated_size` text,
	`conflict_hint_paths` text,
	`depends_on` text,
	`parent_run_id` integer,
	`cleared_at` integer DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `issue_runs_identity` ON `issue_runs` (`repo_id`,`issue_number`,`flow`,`ordinal`);--> statement-breakpoint
CREATE INDEX `issue_runs_by_status` ON `issue_runs` (`repo_id`,`status`);--> statement-breakpoint
CREATE TABLE `pull_requests` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`pr_number` integer NOT NULL,
	`run_id` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`branch` text NOT NULL,
	`status` text NOT NULL,
	`blocked_kind` text,
	`error` text,
	`last_seen_head_sha` text,
	`head_sha` text,
	`url` text,
	`remote_updated_at` text,
	`reviews_etag` text,
	`listed_at` integer,
	`accepted_at` integer,
	`ignored_since` text,
	`issue_ignored_since` text,
	`human_review_required` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `issue_runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pull_requests_identity` ON `pull_requests` (`repo_id`,`pr_number`);--> statement-breakpoint
CREATE TABLE `runtime_events` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`event_type` text NOT NULL,
	`repo_id` integer,
	`run_id` integer,
	`issue_number` integer,
	`pr_number` integer,
	`turn_key` text,
	`event_key` text,
	`action_token` text,
	`payload_json` text NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer
);
--> statement-breakpoint
CREATE INDEX `runtime_events_by_issue` ON `runtime_events` (`repo_id`,`issue_number`);--> statement-breakpoint
CREATE INDEX `runtime_events_by_turn` ON `runtime_events` (`turn_key`);--> statement-breakpoint
CREATE INDEX `runtime_events_by_type` ON `runtime_events` (`event_type`,`created_at`);--> statement-breakpoint
CREATE TABLE `scheduler_leases` (
	`name` text PRIMARY KEY NOT NULL,
	`holder_id` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `spend` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`repo_id` integer NOT NULL,
	`run_id` integer,
	`turn_key` text NOT NULL,
	`attempt` integer NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cost_usd` real DEFAULT 0 NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `spend_identity` ON `spend` (`turn_key`,`attempt`);--> statement-breakpoint
CREATE INDEX `spend_by_day` ON `spend` (`created_at`);--> statement-breakpoint
CREATE TABLE `actions` (
	`id` text PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`turn_key` text,
	`thread` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`target` text NOT NULL,
	`state` text NOT NULL,
	`token` text,
	`remote_id` integer,
	`sends` integer DEFAULT 0 NOT NULL,
	`error` text,
	`words` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`turn_key`) REFERENCES `turns`(`turn_key`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `actions_by_remote_id` ON `actions` (`repo_id`,`remote_id`);--> statement-breakpoint
CREATE INDEX `actions_by_token` ON `actions` (`token`);--> statement-breakpoint
CREATE INDEX `actions_by_turn` ON `actions` (`turn_key`);--> statement-breakpoint
CREATE INDEX `actions_unsettled` ON `actions` (`repo_id`,`thread`,`position`) WHERE "actions"."state" in ('planned', 'sending');--> statement-breakpoint
CREATE TABLE `feedback_events` (
	`repo_id` integer NOT NULL,
	`event_key` text NOT NULL,
	`pr_number` integer NOT NULL,
	`issue_number` integer NOT NULL,
	`kind` text NOT NULL,
	`comment_id` integer NOT NULL,
	`updated_at` text NOT NULL,
	`payload_json` text NOT NULL,
	`turn_key` text,
	`skip_reason` text,
	`seen_at` integer NOT NULL,
	`created_at` integer NOT NULL,
	`processed_at` integer,
	PRIMARY KEY(`repo_id`, `event_key`),
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `feedback_events_by_comment` ON `feedback_events` (`repo_id`,`pr_number`,`kind`,`comment_id`);--> statement-breakpoint
CREATE INDEX `feedback_events_pending` ON `feedback_events` (`repo_id`,`pr_number`) WHERE "feedback_events"."processed_at" is null;--> statement-breakpoint
CREATE TABLE `turns` (
	`turn_key` text PRIMARY KEY NOT NULL,
	`repo_id` integer NOT NULL,
	`run_id` integer,
	`kind` text NOT NULL,
	`issue_number` integer,
	`pr_number` integer,
	`state` text NOT NULL,
	`reason` text,
	`epoch` integer NOT NULL,
	`begins` text NOT NULL,
	`worker_id` text,
	`heartbeat_at` integer,
	`crashes` integer NOT NULL,
	`agent_failures` integer NOT NULL,
	`infrastructure_failures` integer NOT NULL,
	`not_before` integer,
	`context_json` text NOT NULL,
	`plan_digest` text,
	`plan_json` text,
	`bundle` blob,
	`opened_at` integer NOT NULL,
	`ended_at` integer,
	FOREIGN KEY (`repo_id`) REFERENCES `repositories`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`run_id`) REFERENCES `issue_runs`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `turns_live_pr` ON `turns` (`repo_id`,`pr_number`) WHERE "turns"."pr_number" is not null and "turns"."state" in ('open', 'queued', 'running', 'frozen', 'speaking');--> statement-breakpoint
CREATE UNIQUE INDEX `turns_live_run` ON `turns` (`run_id`) WHERE "turns"."run_id" is not null and "turns"."state" in ('open', 'queued', 'running', 'frozen', 'speaking');--> statement-breakpoint
CREATE INDEX `turns_live` ON `turns` (`state`) WHERE "turns"."state" in ('open', 'queued', 'running', 'frozen', 'speaking');